"""Requests that compute long take turns, and pause, so that short ones rarely wait for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.ops.processes import PROJECT

pytestmark = pytest.mark.slow

LONG_REQUESTS = """
from gevent import monkey
monkey.patch_all(time=False)
from inbox.runtime import work_budget
monkey.patch_time()  # a web process does this after its imports
import time
import gevent

done, steps = [], []

def compute():
    until = time.thread_time() + work_budget.STEP_SECONDS
    while time.thread_time() < until:
        pass

def long_request(seconds=60.0):
    work_budget.begin(seconds)
    try:
        while not done:
            work_budget.spend()
            compute()
            steps.append(1)
    finally:
        work_budget.end()

requests = [gevent.spawn(long_request) for _ in range(6)]
"""


def green(code: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", LONG_REQUESTS + code],
        capture_output=True,
        text=True,
        check=True,
        cwd=PROJECT,
        timeout=120,
    )
    return ran.stdout.splitlines()


def test_a_short_request_makes_many_steps_for_one_of_all_long_ones() -> None:
    code = """
while len(steps) < 20:
    gevent.sleep(0)
waits = []
for _ in range(100):
    before = len(steps)
    gevent.sleep(0)
    waits.append(len(steps) - before)
done.append(True)
gevent.joinall(requests)
print(max(waits) <= 1, sum(waits) < 50)
"""
    assert green(code) == ["True True"]


def test_all_long_requests_progress() -> None:
    code = """
numbers = []
def counted(number):
    work_budget.begin(60)
    for _ in range(5):
        work_budget.spend()
        compute()
        numbers.append(number)
    work_budget.end()
done.append(True)
gevent.joinall(requests)
gevent.joinall([gevent.spawn(counted, number) for number in range(4)])
print(sorted(numbers) == sorted([0, 1, 2, 3] * 5), len(set(numbers[4:9])) > 1)
"""
    assert green(code) == ["True True"]


def test_a_request_that_is_refused_ends_its_turn() -> None:
    code = """
done.append(True)
gevent.joinall(requests)
done.clear()
refused = gevent.spawn(long_request, 0.05)
refused.join()
print(type(refused.exception).__name__, work_budget._turn.locked())
"""
    assert green(code) == ["TooCostly False"]


def test_a_request_that_waits_for_a_server_ends_its_turn() -> None:
    code = """
done.append(True)
gevent.joinall(requests)
work_budget.begin(60)
for _ in range(3):
    work_budget.spend()
    compute()
work_budget.spend()
held = work_budget._turn.locked()
work_budget.rest()
print(held, work_budget._turn.locked())
"""
    assert green(code) == ["True False"]
