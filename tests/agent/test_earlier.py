"""Stored ends of earlier runs: one ping reports them and affects no later run (specification 21.4)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from agent.client import Client
from agent.earlier import MOST_LISTED, PINGS, TEXT_TYPE, report_before_end, report_before_start
from agent.spool import Spool
from agent.wrap import END_LIMIT, KEPT_BYTES, START_SECONDS
from tests.stand_ins.receivers import Answer, Receiver


@pytest.fixture
def instance() -> Iterator[Receiver]:
    with Receiver(Answer(200, b"OK")) as started:
        yield started


@pytest.fixture
def client(instance: Receiver) -> Client:
    return Client(f"http://127.0.0.1:{instance.port}", "svc_hb_x")


def store(spool: Spool, *codes: int, output: str = "") -> None:
    for code in codes:
        spool.add(f"{PINGS}/{code}?rid=00000000-0000-4000-8000-000000000000", output or f"output {code}", TEXT_TYPE)


@pytest.mark.parametrize(
    ("codes", "signal", "output"),
    [((0,), "log", 0), ((3,), "3", 3), ((0, 3), "3", 3), ((3, 0), "log", 3), ((4, 0, 137), "137", 137), ((4, 0, 0), "log", 4)],
)  # fmt: skip
def test_the_next_start_decides_the_pending_ends_by_the_last_run(
    client: Client, instance: Receiver, spool: Spool, codes: tuple[int, ...], signal: str, output: int
) -> None:
    store(spool, *codes)

    assert report_before_start(client, spool, 5)

    [ping] = instance.requests
    assert (ping.path, spool.waiting()) == (f"{PINGS}/{signal}", [])
    text = ping.body.decode()
    assert text.startswith(
        f"Runs that ended while the instance was unreachable: {len(codes)}\n{time.gmtime().tm_year}-"
    )
    assert [line.rpartition(" ")[2] for line in text.splitlines() if "exit code" in line] == [str(c) for c in codes]
    assert [line for line in text.splitlines() if line.startswith("output")] == [f"output {output}"]


def test_pending_ends_reported_during_a_run_are_log_pings(client: Client, instance: Receiver, spool: Spool) -> None:
    store(spool, 3)

    assert report_before_end(client, spool, 5)

    assert [ping.path for ping in instance.requests] == [f"{PINGS}/log"]


def test_very_many_ends_fit_into_one_ping(client: Client, instance: Receiver, spool: Spool) -> None:
    store(spool, *[255] * (MOST_LISTED + 5), output="x" * KEPT_BYTES)

    assert report_before_start(client, spool, 5)

    [ping] = instance.requests
    assert len(ping.body) <= 10_000 and ping.body.endswith(b"x") and ping.body.count(b"exit code") == MOST_LISTED


@pytest.mark.parametrize(("answer", "may_follow"), [(503, False), (404, True), (521, False)])
def test_stored_job_ends_stay_while_the_instance_is_down(
    client: Client, instance: Receiver, spool: Spool, answer: int, may_follow: bool
) -> None:
    store(spool, 0, 1)
    instance.answer = Answer(answer)

    assert report_before_start(client, spool, 5) is may_follow
    assert len(spool.waiting()) == 2


def test_a_refused_report_is_dropped(client: Client, instance: Receiver, spool: Spool) -> None:
    store(spool, 0)
    instance.answer = Answer(401, b'{"code": "unauthenticated"}')

    assert report_before_start(client, spool, 5)
    assert spool.waiting() == []


def test_a_lock_of_another_process_does_not_stop_a_ping(client: Client, instance: Receiver, spool: Spool) -> None:
    store(spool, 0)
    with spool.locked(0):
        assert report_before_end(client, spool, 2)

    assert (instance.requests, len(spool.waiting())) == ([], 1)
    assert END_LIMIT + START_SECONDS <= 30
