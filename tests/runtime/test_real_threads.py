"""Work in real threads: results, exceptions, and an event loop that keeps running, also beside long searches."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inbox.runtime.real_threads import RealThreads
from tests.ops.processes import PROJECT

pytestmark = pytest.mark.slow

PREPARE = """
from gevent import monkey; monkey.patch_all()
import gevent
from inbox.runtime.real_threads import RealThreads
Event = monkey.get_original("threading", "Event")  # its wait blocks a whole thread
"""


def green(code: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", PREPARE + code], capture_output=True, text=True, check=True, cwd=PROJECT
    )
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def test_the_event_loop_runs_while_a_thread_works() -> None:
    code = """
event = Event()
gevent.spawn(event.set)
print(RealThreads(1).run(event.wait, 30))
"""
    assert green(code) == ["True"]


def test_work_beyond_the_number_of_threads_waits() -> None:
    code = """
threads, event, ran = RealThreads(1), Event(), []
first = gevent.spawn(threads.run, event.wait, 30)
gevent.sleep(0)
second = gevent.spawn(threads.run, ran.append, 1)
gevent.sleep(0.05)
before = list(ran)
event.set()
print(before, first.get(), second.get(), ran)
"""
    assert green(code) == ["[] True None [1]"]


def test_an_exception_in_a_thread_is_raised_to_its_caller_and_not_printed() -> None:
    code = """
try:
    RealThreads(1).run(int, "x")
except ValueError:
    print("raised")
"""
    assert green(code) == ["raised"]


def test_the_caller_does_the_work_without_gevent() -> None:
    with pytest.raises(ValueError):
        RealThreads(1).run(int, "x")
    assert RealThreads(1).run(int, "7") == 7


@pytest.mark.parametrize(("more", "continues"), [(-1, False), (0, False), (1, True)], ids=["below", "at", "above"])
def test_the_event_loop_runs_while_a_pattern_searches_a_long_message(more: int, continues: bool) -> None:
    code = f"""
from inbox.intake import legacy_push
turns = []
def take_turns():
    while True:
        turns.append(1)
        gevent.sleep(0)
gevent.spawn(take_turns)
message = legacy_push.parse({{"message": "a" * (legacy_push.SHORT_TEXT + {more})}})
legacy_push.event(message, pattern="[ab]*a[ab]{{200}}c", preset=None)
print(bool(turns))
"""
    assert green(code) == [str(continues)]
