"""The same faults for as long as one likes: `python -m tests.faults.soak --seconds 600 --seed 7`.

Random faults with their own random numbers, so that a seed names a schedule; meanwhile people change silences, rules,
profiles and settings and delete sources. The books are checked at the end.
With `TEST_POOLER=1` it runs behind PgBouncer, which is killed and restarted, too.
Addresses loopback only and stops by itself.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg2

from tests.database.pgbouncer import CHOSEN, PooledServers
from tests.faults.accepted_events import check_books
from tests.faults.aftermath import check_aftermath, is_over
from tests.faults.groups import GroupSenders, check_alerts
from tests.faults.on_call import OnCall, check_pages
from tests.faults.paid_pages import check_paid
from tests.faults.people import SENDERS, People
from tests.faults.service_processes import RunningService, Senders, running, until
from tests.faults.test_faults import (
    flush_redis,
    kill_a_queue_worker,
    kill_a_web_worker,
    kill_the_scheduler,
    restart_postgres,
    restart_redis,
)
from tests.stand_ins.receivers import SECRET, Receiver


def stop_a_queue_worker_for_longer_than_a_lease(running_service: RunningService) -> None:
    """It wakes up after somebody else has sent what it was sending: its late answer must change nothing."""
    pid = running_service.processes("jobs.worker")[0]
    os.kill(pid, signal.SIGSTOP)
    time.sleep(40)
    os.kill(pid, signal.SIGCONT)


def cut_all_database_connections(running_service: RunningService) -> None:
    """As a fail-over or an impatient administrator would."""
    servers = running_service.servers
    connection = psycopg2.connect(servers.direct_url if isinstance(servers, PooledServers) else servers.database_url)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'inbox-%'")
    connection.close()


def kill_the_pooler(running_service: RunningService) -> None:
    """It comes back after a second, as its supervisor starts it."""
    assert isinstance(running_service.servers, PooledServers)
    running_service.servers.pooler.kill()
    time.sleep(1)
    running_service.servers.pooler.start()


def restart_the_pooler(running_service: RunningService) -> None:
    assert isinstance(running_service.servers, PooledServers)
    running_service.servers.pooler.restart()


WEIGHTS: dict[Callable[[RunningService], None], float] = {
    kill_a_web_worker: 5,
    kill_a_queue_worker: 6,
    kill_the_scheduler: 2,
    flush_redis: 4,
    cut_all_database_connections: 3,
    restart_redis: 1,
    restart_postgres: 1,
    stop_a_queue_worker_for_longer_than_a_lease: 0.2,
    **({kill_the_pooler: 3, restart_the_pooler: 3} if CHOSEN else {}),
}


@dataclass
class Accepted:
    """What all senders together had accepted."""

    accepted: Mapping[str, str]


def inflict(running_service: RunningService, chance: random.Random, seconds: float, most: int) -> Counter[str]:
    """One fault after another for so long, or so many; how many of each."""
    faults, end = Counter[str](), time.monotonic() + seconds
    while time.monotonic() < end and faults.total() < most:
        time.sleep(chance.uniform(0.3, 1.5))
        (fault,) = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
        try:
            fault(running_service)
            faults[fault.__name__] += 1
        except (IndexError, ProcessLookupError, psycopg2.OperationalError):
            continue
    until(running_service.ready, "the service answers after the last fault")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=10**6, help="end after so many, even before the time is over")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two events of a sender")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as running_service:
        try:
            soak(running_service, given.seconds, given.seed, given.faults, given.pause)
        except BaseException:
            print("\n".join(line for log in running_service.state.glob("logs/*.log") for line in broken(log)))
            raise


def soak(running_service: RunningService, seconds: float, seed: int, most: int = 10**6, pause: float = 0.0) -> None:
    """Faults for so long; raises `AssertionError` where the books do not balance afterwards."""
    with Receiver() as one, Receiver() as other:
        workspace = running_service.sign_in()
        destinations = [running_service.webhook(workspace, receiver.url, SECRET) for receiver in (other, one)]
        with (
            People(running_service, workspace, destinations, seed) as people,
            Senders(running_service, people.key, threads=SENDERS, incidents=150, pause=pause) as senders,
            GroupSenders(running_service, people.key, threads=2, incidents=60) as groups,
            OnCall(running_service, workspace, destinations) as on_call,
        ):
            faults = inflict(running_service, random.Random(seed), seconds, most)
        print(f"{faults.total()} faults: {dict(faults)}", flush=True)
        drained = time.monotonic()
        until(
            lambda: is_over(running_service),
            "everything accepted is routed and sent, and what people began is over",
            300,
        )
        drained = time.monotonic() - drained
        accepted = Accepted({**senders.accepted, **groups.accepted, **people.accepted, **on_call.accepted})
        for receiver in (one, other):
            check_books(running_service, accepted, receiver)
        check_alerts(running_service)
        check_aftermath(running_service)
        paged, nobody = check_pages(running_service, on_call)
        print("\n".join(check_paid(running_service, on_call.twilio)))
        on_call.close()
        print(f"{paged} pages, each sent once, and {nobody} steps with nobody on call before the handoff")
        print(f"{len(groups.accepted)} events of groups, {groups.repeats} repeats")
        report(seed, len(accepted.accepted), (one, other), drained)
        print(f"answers {dict(senders.statuses)}; {dict(people.acts)}")


def broken(log: Path) -> list[str]:
    """The last errors in a log."""
    return [f"{log.name}: {line}" for line in log.read_text().splitlines() if '"level": "error"' in line][-5:]


def report(seed: int, accepted: int, receivers: Sequence[Receiver], drained: float) -> None:
    """Say what came of it."""
    webhooks = sum(len(receiver.by_id()) for receiver in receivers)
    repeats = sum(len(receiver.requests) for receiver in receivers) - webhooks
    print(f"seed {seed}: {accepted} accepted, 0 lost, 0 doubled,")
    print(f"{webhooks} webhooks, {repeats} repeats under the same id, drained in {drained:.1f} s")


if __name__ == "__main__":
    main()
