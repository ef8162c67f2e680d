"""A service with a rate limit gets a pause, and then every message in the order of its incident."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest
from flask import Flask

from inbox.destinations import WITH_SUMMARIES
from inbox.domain.deliveries.delivery import ATTEMPTS
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import send_one
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.cast import Cast, present
from tests.destinations.kinds.cases import CASES, CONVERGING
from tests.destinations.kinds.rates import SECOND, Budget
from tests.destinations.kinds.stand_in import Stage
from tests.destinations.kinds.test_whole_journeys import Journey, journey_in
from tests.workers import workers

INCIDENTS, CALLS, MOST_ATTEMPTS, ROUNDS = 3, 3, 6, 200
NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})
LIMITED = [name for name, case in CASES.items() if case.too_many]
STATES = re.compile(r"ERROR|CRITICAL|RESOLVED|triggered|open", re.IGNORECASE)

named = pytest.mark.parametrize("stage", LIMITED, indirect=True)


@dataclass
class Backlog:
    """Deliveries that wait for a service with a limit, and the clock of the workers."""

    journey: Journey
    stage: Stage
    now: datetime
    calls: list[datetime]

    @property
    def budget(self) -> Budget:
        assert self.stage.service.budget is not None
        return self.stage.service.budget

    def clock(self) -> datetime:
        """The time of the workers and of the service."""
        return self.now

    def send_all(self) -> None:
        """Send all that is due, at the first moment at which something is."""
        for _ in range(ROUNDS):
            if calls := claim_due(self.now, 10).calls:
                self.calls += [self.now] * len(calls)
                record_results([send_one(*each, self.journey.client, self.clock) for each in calls], self.now)
            elif (moment := self.next_moment()) is not None:
                self.now = max(self.now + SECOND / 100, moment)
            else:
                return
        raise AssertionError(f"not sent within {ROUNDS} rounds: {[each.status for each in Delivery.select()]}")

    def next_moment(self) -> datetime | None:
        """When the next call may be made; None when nothing is left to send."""
        due = [each.due_at for each in Delivery.select() if each.status in ("pending", "retrying")]
        rests_until = Destination.get().next_call_at
        return max(min(due), rests_until or min(due)) if due else None


Filled = Callable[..., Backlog]


@pytest.fixture
def filled(stage: Stage, app: Flask, cast: Cast) -> Filled:
    """Makes a backlog of incidents that open, and of what else happens to them, before anything is sent."""

    def make(*later: dict[str, Any], calls: int = CALLS, settings: Mapping[str, Any] = NO_SETTINGS) -> Backlog:
        journey = journey_in(app, cast, stage.client)
        journey.listen(stage.case.kind, {**stage.case.settings, **settings})
        backlog = Backlog(journey, stage, present() + timedelta(seconds=1), [])
        journey.work = lambda: None  # type: ignore[method-assign]
        for fields in ({}, *later):
            for number in range(INCIDENTS):
                journey.event(title=f"Disk {number}", dedupKey=f"disk-{number}", **fields)
        stage.service.budget = Budget(stage.case, calls, backlog.clock)
        backlog.now = present() + timedelta(seconds=1)
        return backlog

    return make


def shown_of(stage: Stage, number: int) -> list[str]:
    """The messages about an incident, in the order of their arrival."""
    return [text for text in stage.service.messages.values() if f"Disk {number}" in text]


def assert_all_ended(stage: Stage, status: str = "sent") -> None:
    """Each notice ended so, by itself or in a summary that did. A later one of its incident may stand for it."""
    by_id = {each.id: each for each in Delivery.select()}
    notices = [each for each in by_id.values() if each.reason != "digest"]
    for each in by_id.values():
        if each.status == "gathered":
            assert stage.case.kind in WITH_SUMMARIES
            assert by_id[each.digest_id].status == status
        elif each.status == "skipped":
            later = [one.status for one in notices if one.incident_id == each.incident_id and one.seq > each.seq]
            assert (each.cause, status in later) == ("superseded", True)
        else:
            assert each.status == status


def has_summary() -> bool:
    """Whether notices waited for a minute, or for one that did, so that a summary has them."""
    return Delivery.select().where(Delivery.status == "gathered").exists()


def is_gathered(number: int) -> bool:
    """Whether a summary has the end of an incident."""
    [incident] = Incident.select().where(Incident.title == f"Disk {number}")
    ends = (Delivery.incident_id == incident.id) & (Delivery.reason == "resolved")
    return Delivery.select().where(ends & (Delivery.status == "gathered")).exists()


ESCALATED, RESOLVED = {"severity": "CRITICAL"}, {"severity": "SUCCESS", "action": "resolve"}


@named
def test_rate_limited_deliveries_all_arrive_and_respect_every_wait(stage: Stage, filled: Filled) -> None:
    backlog = filled(ESCALATED, RESOLVED)

    backlog.send_all()

    assert backlog.budget.early == []
    assert bool(backlog.budget.refused) is (stage.case.kind != "discord")  # it says when its limit is reached
    assert_all_ended(stage)
    deliveries = [*Delivery.select().where(Delivery.reason != "digest")]
    assert len(deliveries) == 3 * INCIDENTS
    assert max(each.attempts for each in deliveries) <= MOST_ATTEMPTS


@named
def test_the_messages_of_an_incident_arrive_in_their_order(stage: Stage, filled: Filled) -> None:
    backlog = filled(ESCALATED, RESOLVED)

    backlog.send_all()

    for number in range(INCIDENTS):
        shown = shown_of(stage, number)
        states = [found[0].upper() for text in shown if (found := STATES.search(text))]
        if stage.case.name in CONVERGING:
            assert states[0] == "RESOLVED" or is_gathered(number), shown
        else:
            in_order = ["ERROR", "CRITICAL", "RESOLVED"]
            assert states == [each for each in in_order if each in states], shown
            # A short summary has the number of those that it does not name.
            assert states == in_order or (has_summary() and (states[-1] == "RESOLVED" or is_gathered(number))), shown


@named
def test_messages_keep_the_minimum_interval_after_a_pause(stage: Stage, filled: Filled) -> None:
    backlog = filled(ESCALATED)

    backlog.send_all()

    pace = timedelta(seconds=stage.kind.description.limits.pace_seconds or 0)
    assert all(later - earlier >= pace for earlier, later in zip(backlog.calls, backlog.calls[1:], strict=False))


@pytest.mark.parametrize("stage", ["discord"], indirect=True)
def test_a_service_that_says_that_its_limit_is_reached_refuses_no_call(stage: Stage, filled: Filled) -> None:
    backlog = filled(RESOLVED, calls=2)

    backlog.send_all()

    assert backlog.budget.refused == []
    assert {each.status for each in Delivery.select()} == {"sent"}
    assert backlog.calls[-1] - backlog.calls[0] >= 2 * stage.case.window


@named
def test_a_lasting_rate_limit_gets_ten_attempts_per_message_and_none_early(stage: Stage, filled: Filled) -> None:
    backlog = filled(calls=0)

    backlog.send_all()

    assert backlog.budget.early == []
    assert_all_ended(stage, "failed")
    failed = Delivery.select().where(Delivery.status == "failed").count()
    assert len(backlog.calls) == ATTEMPTS * failed
    assert failed == INCIDENTS or (has_summary() and failed == 2)  # the first, and a summary of the others


def test_each_service_with_a_rate_limit_has_a_test() -> None:
    limited = {name for name, case in CASES.items() if case.is_limited}

    assert limited == set(LIMITED), "give the case `too_many`, or `is_limited=False` if its service has no limit"


@pytest.mark.parametrize("stage", [name for name, case in CASES.items() if case.with_address], indirect=True)
def test_two_workers_at_once_keep_the_limit(stage: Stage, filled: Filled) -> None:
    address = f"http://127.0.0.1:{stage.receiver.port}"
    backlog = filled(ESCALATED, RESOLVED, settings=stage.case.with_address(address))

    for _ in range(ROUNDS):
        with workers(2, lambda: deliver(backlog.clock)):
            pass
        if (moment := backlog.next_moment()) is None:
            break
        backlog.now = max(backlog.now + SECOND / 100, moment)

    assert backlog.budget.early == []
    assert backlog.budget.refused or stage.case.kind == "discord"  # it says when its limit is reached
    assert_all_ended(stage)
    assert all("RESOLVED" in shown_of(stage, number)[0] for number in range(INCIDENTS))
