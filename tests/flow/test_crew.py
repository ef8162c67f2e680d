"""Calls side by side: as many at a time as there are hands, each over a connection of its own."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from inbox.flow.crew import Crew
from inbox.models.base import db

LONG = 20.0


def backend() -> int:
    return int(db.execute_sql("SELECT pg_backend_pid()").fetchone()[0])


def everything(crew: Crew[Any]) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    while crew.busy:
        found += crew.answers()
    return found


def test_calls_run_at_the_same_time_each_over_a_connection_of_its_own(ground: Any) -> None:
    together = threading.Barrier(3)

    def meet() -> int:
        together.wait(LONG)
        return backend()

    with Crew[int](3) as crew:
        for name in (7, 8, 9):
            crew.call(name, meet)
        assert (crew.free, sorted(crew.busy)) == (0, [7, 8, 9])
        found = everything(crew)

    assert sorted(name for name, _ in found) == [7, 8, 9]
    assert len({*(pid for _, pid in found), backend()}) == 4
    assert crew.free == 3


def test_an_answer_is_there_before_the_slowest_call_is_done() -> None:
    goes_on = threading.Event()

    with Crew[bool](2) as crew:
        crew.call(1, lambda: goes_on.wait(LONG))
        crew.call(2, lambda: True)
        assert list(crew.answers()) == [(2, True)]
        assert (list(crew.busy), crew.free) == ([1], 1)
        goes_on.set()
        assert everything(crew) == [(1, True)]


@pytest.mark.parametrize(("hands", "is_only"), [(1, False), (1, True), (3, True)])
def test_one_hand_or_the_only_call_is_the_callers_own(ground: Any, hands: int, is_only: bool) -> None:
    with Crew[tuple[int, int]](hands) as crew:
        crew.call(5, lambda: (threading.get_ident(), backend()), is_only=is_only)
        assert (list(crew.busy), crew.free) == ([5], hands - 1)
        assert everything(crew) == [(5, (threading.get_ident(), backend()))]


def test_what_is_no_longer_the_only_call_is_not_the_callers_own() -> None:
    goes_on = threading.Event()

    with Crew[int](2) as crew:
        crew.call(1, lambda: goes_on.wait(LONG) and threading.get_ident())
        crew.call(2, threading.get_ident, is_only=True)
        [(_, ident)] = crew.answers()
        goes_on.set()

    assert ident != threading.get_ident()


def test_what_a_call_raises_is_raised_and_who_leaves_waits_for_the_others() -> None:
    ended: list[int] = []

    def fail() -> None:
        raise ValueError("no")

    def linger() -> None:
        time.sleep(0.2)
        ended.append(1)

    with pytest.raises(ValueError, match="no"), Crew[None](2) as crew:
        crew.call(1, linger)
        crew.call(2, fail)
        everything(crew)

    assert ended == [1]


def test_nobody_busy_has_no_answers() -> None:
    with Crew[int](2) as crew:
        assert list(crew.answers()) == []
