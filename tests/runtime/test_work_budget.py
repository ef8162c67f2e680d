"""Requests have a work budget: they yield to others, and are refused when it is spent."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from inbox.domain.values.refusals import TooCostly
from inbox.runtime import work_budget
from inbox.runtime.work_budget import WorkBudget

LIMIT = "Send fewer rules."


@pytest.fixture(autouse=True)
def no_budget_afterwards() -> Iterator[None]:
    yield
    work_budget.end()


def compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def steps_until_refused(budget: WorkBudget, each: float, most: int = 1_000) -> int:
    budget.spend()
    for number in range(1, most + 1):
        compute(each)
        try:
            budget.spend()
        except TooCostly:
            return number
    return most


def test_a_request_is_refused_after_its_computing_time() -> None:
    assert 10 <= steps_until_refused(WorkBudget(0.3, step=0.001), each=0.02) <= 16


def test_a_refusal_names_the_limit() -> None:
    budget = WorkBudget(0.01, step=0.001)
    budget.spend(LIMIT)
    compute(0.02)

    with pytest.raises(TooCostly, match=r"more than 0\.01 s of computing\. Send fewer rules\."):
        budget.spend(LIMIT)


def test_short_steps_add_up_to_the_budget() -> None:
    assert steps_until_refused(WorkBudget(0.05, step=0.01), each=0.002) < 60


def test_time_in_which_a_request_waits_is_not_counted() -> None:
    budget = WorkBudget(0.05, step=0.001)
    for _ in range(10):
        budget.spend()
        budget.rest()
        compute(0.02)
    budget.spend()


def test_a_request_is_refused_when_it_waited_after_its_last_computing() -> None:
    budget = WorkBudget(0.01, step=0.001)
    budget.spend()
    compute(0.02)
    budget.rest()

    with pytest.raises(TooCostly):
        budget.spend(LIMIT)


def test_a_request_pauses_for_as_long_as_it_computed() -> None:
    pauses = list[float]()
    budget = WorkBudget(10, step=0.005, pause=pauses.append)
    for _ in range(20):
        budget.spend()
        compute(0.006)

    assert pauses[::2] == [0] * 19
    assert len(pauses) == 2 * 19
    assert all(0.006 <= pause <= work_budget.LONGEST_PAUSE_SECONDS for pause in pauses[1::2])


def test_a_pause_is_bounded() -> None:
    pauses = list[float]()
    budget = WorkBudget(10, step=0.005, pause=pauses.append)
    budget.spend()
    compute(2 * work_budget.LONGEST_PAUSE_SECONDS)
    budget.spend()

    assert pauses == [0, work_budget.LONGEST_PAUSE_SECONDS]


def test_a_long_request_reports_once_that_it_is_long() -> None:
    reports = list[int]()
    work_budget.begin(10)
    work_budget.when_long(lambda: reports.append(1))
    work_budget.spend()
    work_budget.spend()
    assert reports == []
    for _ in range(3):
        compute(2 * work_budget.STEP_SECONDS)
        work_budget.spend()

    assert reports == [1]


def test_a_request_does_not_pause_within_a_step() -> None:
    pauses = list[float]()
    budget = WorkBudget(10, step=5, pause=pauses.append)
    for _ in range(20):
        budget.spend()

    assert pauses == []


def test_work_outside_a_request_has_no_budget() -> None:
    for _ in work_budget.spending(range(3)):
        compute(0.01)
    work_budget.spend()


def test_items_are_refused_when_the_budget_of_their_request_is_spent() -> None:
    work_budget.begin(0.05)
    seen = []
    with pytest.raises(TooCostly, match="Send fewer rules"):
        for number in work_budget.spending(range(100), LIMIT):
            seen.append(number)
            compute(0.03)

    assert 1 <= len(seen) < 10


def test_a_new_request_has_a_new_budget() -> None:
    for _ in range(5):
        work_budget.begin(0.1)
        for _ in work_budget.spending(range(2), LIMIT):
            compute(0.03)
