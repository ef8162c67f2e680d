"""Whatever dies, every event that was answered 202 is stored and routed once, and every due webhook arrives.

Real processes, killed with SIGKILL while senders go on.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.faults.accepted_events import check_books
from tests.faults.service_processes import Rig, Senders, running, until
from tests.receivers import SECRET, Answer, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with running(tmp_path_factory.mktemp("faults")) as rig:
        yield rig


@pytest.fixture(scope="module")
def workspace(rig: Rig) -> str:
    return rig.sign_in()


@pytest.fixture
def receiver(rig: Rig, workspace: str) -> Iterator[Receiver]:
    with Receiver() as receiver:
        rig.webhook(workspace, receiver.url, SECRET)
        yield receiver


@pytest.fixture
def key(rig: Rig, workspace: str) -> str:
    return rig.source_key(workspace)


def kill(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def kill_a_web_worker(rig: Rig) -> None:
    kill(rig.web_workers()[:1])


def kill_a_queue_worker(rig: Rig) -> None:
    kill(rig.processes("jobs.worker")[:1])


def kill_the_scheduler(rig: Rig) -> None:
    kill(rig.processes("jobs.scheduler"))


def flush_redis(rig: Rig) -> None:
    Redis.from_url(rig.servers.redis_url).flushall()


def restart_redis(rig: Rig) -> None:
    rig.servers.kill_redis()
    time.sleep(1)
    rig.servers.start_redis()


def restart_postgres(rig: Rig) -> None:
    rig.servers.stop_postgres(immediate=True)
    time.sleep(1)
    rig.servers.start_postgres()


FAULTS = [
    kill_a_web_worker, kill_a_queue_worker, kill_the_scheduler, flush_redis, restart_redis, restart_postgres,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_nothing_accepted_is_lost_when_something_dies_under_load(
    fault: Callable[[Rig], None], rig: Rig, key: str, receiver: Receiver
) -> None:
    with Senders(rig, key) as senders:
        for _ in range(3):
            seen = len(senders.accepted)
            until(lambda: len(senders.accepted) > seen + 50, "events are accepted before the next fault")  # noqa: B023
            fault(rig)
        seen = len(senders.accepted)
        until(lambda: len(senders.accepted) > seen + 50, "events are accepted again")

    until(rig.settled, "everything accepted is routed and sent", 120)
    check_books(rig, senders, receiver)
    assert set(senders.statuses) <= {202, 409, 503}


def test_a_worker_killed_in_the_middle_of_its_calls_sends_them_again_under_the_same_id(
    rig: Rig, key: str, receiver: Receiver
) -> None:
    receiver.answer = Answer(delay=1.0)
    with Senders(rig, key, threads=2) as senders:
        until(lambda: len(receiver.requests) >= 3, "calls are under way")
        kill(rig.processes("jobs.worker"))
        receiver.answer = Answer()
        seen = len(senders.accepted)
        until(lambda: len(senders.accepted) > seen + 20, "events are accepted")

    until(rig.settled, "the interrupted calls are made again when their lease ends", 150)
    check_books(rig, senders, receiver)


def test_a_supervisor_killed_with_the_ninth_signal_leaves_nothing_and_the_next_one_takes_over(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as rig:
        family = [*rig.processes("gunicorn"), *rig.processes("jobs.")]
        assert len(family) >= 5
        assert rig.up is not None
        rig.up.kill()
        rig.up.wait()
        until(lambda: not any(alive(pid) for pid in family), "all children are gone", 90)

        rig.start()
        assert rig.ready()


def alive(pid: int) -> bool:
    try:
        return "Z" not in (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
