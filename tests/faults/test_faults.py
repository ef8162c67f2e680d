"""Whichever process dies, every event answered 202 is stored and routed once, and every due webhook arrives.

Real processes are killed with SIGKILL while senders continue.
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
from tests.faults.groups import GROUPING, GroupSenders, check_alerts, check_repeats, repeats
from tests.faults.service_processes import RunningService, Senders, running, until
from tests.runner.amounts import amount
from tests.stand_ins.receivers import SECRET, Answer, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

TIMES = amount("TEST_FAULTS", usual=1, long=5)
"""How often something dies under the same load."""


@pytest.fixture(scope="module")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running(tmp_path_factory.mktemp("faults")) as running_service:
        yield running_service


@pytest.fixture(scope="module")
def workspace(running_service: RunningService) -> str:
    workspace = running_service.sign_in()
    running_service.call("POST", "/v1/rules", {"workspaceId": workspace, **GROUPING})
    return workspace


@pytest.fixture
def receiver(running_service: RunningService, workspace: str) -> Iterator[Receiver]:
    with Receiver() as receiver:
        running_service.webhook(workspace, receiver.url, SECRET)
        yield receiver


@pytest.fixture
def key(running_service: RunningService, workspace: str) -> str:
    return running_service.source_key(workspace)


def kill(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def kill_a_web_worker(running_service: RunningService) -> None:
    kill(running_service.web_workers()[:1])


def kill_a_queue_worker(running_service: RunningService) -> None:
    kill(running_service.processes("jobs.worker")[:1])


def kill_the_scheduler(running_service: RunningService) -> None:
    kill(running_service.processes("jobs.scheduler"))


def flush_redis(running_service: RunningService) -> None:
    Redis.from_url(running_service.servers.redis_url).flushall()


def restart_redis(running_service: RunningService) -> None:
    running_service.servers.kill_redis()
    time.sleep(1)
    running_service.servers.start_redis()


def restart_postgres(running_service: RunningService) -> None:
    running_service.servers.stop_postgres(immediate=True)
    time.sleep(1)
    running_service.servers.start_postgres()


FAULTS = [
    kill_a_web_worker, kill_a_queue_worker, kill_the_scheduler, flush_redis, restart_redis, restart_postgres,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_no_accepted_event_is_lost_when_a_process_dies_under_load(
    fault: Callable[[RunningService], None], running_service: RunningService, key: str, receiver: Receiver
) -> None:
    before = repeats(running_service)
    with (
        Senders(running_service, key, threads=4) as senders,
        GroupSenders(running_service, key, threads=2, incidents=20) as groups,
    ):
        for _ in range(TIMES):
            seen = len(senders.accepted)
            until(lambda: len(senders.accepted) > seen + 50, "events are accepted before the next fault")  # noqa: B023
            fault(running_service)
        seen = len(senders.accepted)
        until(lambda: len(senders.accepted) > seen + 50, "events are accepted again")

    until(running_service.settled, "everything accepted is routed and sent", 120)
    check_books(running_service, senders, receiver)
    check_books(running_service, groups, receiver)
    check_alerts(running_service)
    check_repeats(running_service, before, groups)
    assert set(senders.statuses) | set(groups.statuses) <= {202, 409, 503}


def test_a_worker_killed_during_its_calls_sends_them_again_under_the_same_ids(
    running_service: RunningService, key: str, receiver: Receiver
) -> None:
    receiver.answer = Answer(delay=1.0)
    with Senders(running_service, key, threads=2) as senders:
        until(lambda: len(receiver.requests) >= 3, "calls are under way")
        kill(running_service.processes("jobs.worker"))
        receiver.answer = Answer()
        seen = len(senders.accepted)
        until(lambda: len(senders.accepted) > seen + 20, "events are accepted")

    until(running_service.settled, "the interrupted calls are made again when their lease ends", 150)
    check_books(running_service, senders, receiver)


def test_a_supervisor_killed_with_the_ninth_signal_leaves_nothing_and_the_next_one_takes_over(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as running_service:
        family = [*running_service.processes("gunicorn"), *running_service.processes("jobs.")]
        assert len(family) >= 5
        assert running_service.up is not None
        running_service.up.kill()
        running_service.up.wait()
        until(lambda: not any(alive(pid) for pid in family), "all children are gone", 90)

        running_service.start()  # it waits until the service is ready


def alive(pid: int) -> bool:
    try:
        return "Z" not in (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
