"""The same faults for as long as one likes: `python -m tests.faults.soak --seconds 600 --seed 7`.

Random faults with their own random numbers, so that a seed names a schedule; the books are checked at the end.
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
from pathlib import Path

import psycopg2

from tests.faults.ledger import check_books
from tests.faults.rig import Rig, Senders, running, until
from tests.faults.test_faults import (
    flush_redis,
    kill_a_queue_worker,
    kill_a_web_worker,
    kill_the_scheduler,
    restart_postgres,
    restart_redis,
)
from tests.receivers import SECRET, Receiver


def stop_a_queue_worker_for_longer_than_a_lease(rig: Rig) -> None:
    """It wakes up after somebody else has sent what it was sending: its late answer must change nothing."""
    pid = rig.processes("jobs.worker")[0]
    os.kill(pid, signal.SIGSTOP)
    time.sleep(40)
    os.kill(pid, signal.SIGCONT)


def cut_all_database_connections(rig: Rig) -> None:
    """As a fail-over or an impatient administrator would."""
    connection = psycopg2.connect(rig.servers.database_url)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'inbox-%'")
    connection.close()


WEIGHTS = {
    kill_a_web_worker: 5,
    kill_a_queue_worker: 6,
    kill_the_scheduler: 2,
    flush_redis: 4,
    cut_all_database_connections: 3,
    restart_redis: 1,
    restart_postgres: 1,
    stop_a_queue_worker_for_longer_than_a_lease: 0.2,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faults, chance = Counter[str](), random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as rig, Receiver() as receiver:
        workspace = rig.sign_in()
        rig.webhook(workspace, receiver.url, SECRET)
        with Senders(rig, rig.source_key(workspace)) as senders:
            end = time.monotonic() + given.seconds
            while time.monotonic() < end:
                time.sleep(chance.uniform(0.3, 1.5))
                (fault,) = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
                try:
                    fault(rig)
                    faults[fault.__name__] += 1
                except (IndexError, ProcessLookupError, psycopg2.OperationalError):
                    continue
            until(rig.ready, "the service answers after the last fault")
        drained = time.monotonic()
        until(rig.settled, "everything accepted is routed and sent", 180)
        drained = time.monotonic() - drained
        check_books(rig, senders, receiver)
        repeats = len(receiver.requests) - len(receiver.by_id())
        print(f"seed {given.seed}: {sum(faults.values())} faults, {len(senders.accepted)} accepted, 0 lost, 0 doubled,")
        print(f"{len(receiver.by_id())} webhooks, {repeats} repeats under the same id, drained in {drained:.1f} s")
        print(f"answers {dict(senders.statuses)}; {dict(faults)}")


if __name__ == "__main__":
    main()
