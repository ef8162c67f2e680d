"""Timers of a simulation: they run when their incident is next read, with the same results."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.incidents.state_machine import Reason
from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.routing.profiles import Profile, Step
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions, RuleSet
from inbox.domain.routing.silences import CompiledSilence
from inbox.domain.workspaces.settings import effective_route, effective_settings
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.preview.simulated_timers import PORTION
from inbox.flow.preview.simulation import Simulation
from inbox.flow.routing.evaluate import evaluate, subject_of
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.models.events.preview_events import StoredEvent
from tests.cast import NOW
from tests.flow.preview import random_workspaces
from tests.flow.rulemaking import ANY

MINUTE = timedelta(minutes=1)
PLACE = random_workspaces.PLACES[0]


class Arrived:
    """A simulation, and its notices with their times."""

    def __init__(self, book: RoutingConfig) -> None:
        self.reported: list[tuple[datetime, str]] = []
        self.course = Simulation(
            random_workspaces.WORKSPACE, book, random_workspaces.RECIPIENTS, NOW, listener=self._listen
        )
        self._context = book.source(random_workspaces.origins(random.Random(0))[0])

    def meet(self, *events: StoredEvent) -> None:
        for event in events:
            self.course.process(evaluate(event, subject_of(event, self._context), self._context))

    def pass_to(self, moment: datetime) -> int:
        """Answers how many pauses there were."""
        return len(list(self.course.run_until(moment)))

    def _listen(self, notice: IncidentNotice | EventNotice) -> None:
        self.reported.append((self.course.recorder.now, str(notice.reason)))


def profiled(
    *steps: Step, rules: Sequence[Any] = (), silences: tuple[CompiledSilence, ...] = (), **more: Any
) -> RoutingConfig:
    id = random_workspaces.PROFILES[0]
    profile = Profile(id=id, name="Profile", delay=timedelta(), steps=steps, repeat=0, **more)
    route = effective_route({"destinationIds": [], "routingProfileId": str(id)})
    settings = effective_settings({"renotifyMinutes": {"ERROR": 0}})
    return random_workspaces.book(
        RuleSet(rules), profiles={id: profile}, route=route, settings=settings, silences=silences
    )


def step(minutes: int) -> Step:
    return Step(minutes * MINUTE, None, (PLACE,), 1 + minutes)


def test_a_timer_due_before_an_event_fires_at_its_own_time() -> None:
    arrived = Arrived(profiled(step(0), step(7), step(9)))

    arrived.meet(random_workspaces.event(0, NOW), random_workspaces.event(1, NOW + 30 * MINUTE))
    arrived.pass_to(NOW + 60 * MINUTE)

    after = [(at - NOW, reason) for at, reason in arrived.reported]
    assert after == [
        (timedelta(), "opened"), (7 * MINUTE, "escalated"), (9 * MINUTE, "escalated"), (30 * MINUTE, "reoccurred"),
    ]  # fmt: skip


@pytest.mark.parametrize(("until", "reasons"), [
    (45 * MINUTE - timedelta.resolution, ["opened"]),
    (45 * MINUTE, ["opened", "escalated", "resolved"]),
])  # fmt: skip
def test_an_escalation_step_due_with_the_auto_resolve_comes_first(until: timedelta, reasons: list[str]) -> None:
    arrived = Arrived(profiled(step(0), step(45), auto_resolve=45 * MINUTE))

    arrived.meet(random_workspaces.event(0, NOW))
    arrived.pass_to(NOW + until)

    assert [reason for _, reason in arrived.reported] == reasons


def test_a_repeat_that_is_only_counted_puts_the_end_off() -> None:
    arrived = Arrived(profiled(step(0), auto_resolve=45 * MINUTE))

    arrived.meet(
        random_workspaces.event(0, NOW),
        random_workspaces.event(1, NOW + 10 * MINUTE),
        random_workspaces.event(2, NOW + 54 * MINUTE),
    )
    arrived.pass_to(NOW + 200 * MINUTE)

    assert arrived.reported[-1] == (NOW + (54 + 45) * MINUTE, "resolved")
    assert [reason for _, reason in arrived.reported] == ["opened", "reoccurred", "resolved"]


def test_a_snooze_that_ends_under_a_silence_ends_with_it() -> None:
    covered = CompiledSilence(
        random_workspaces.PLACES[2], ActivePeriods(((NOW, NOW + 60 * MINUTE),)), frozenset(), lambda _: True
    )
    snoozing = random_workspaces.rule(0, ANY, RuleActions(RuleAction.INCIDENT, snooze=15 * MINUTE))
    arrived = Arrived(profiled(step(0), rules=[snoozing], silences=(covered,)))

    arrived.meet(random_workspaces.event(0, NOW), random_workspaces.event(1, NOW + 20 * MINUTE))
    arrived.pass_to(NOW + 90 * MINUTE)

    assert arrived.reported == [(NOW, "opened"), (NOW + 60 * MINUTE, "silence_expired")]


def test_a_silence_that_begins_covers_only_unresolved_incidents() -> None:
    begins = CompiledSilence(
        random_workspaces.PLACES[2],
        ActivePeriods(((NOW + 45 * MINUTE, NOW + 50 * MINUTE),)),
        frozenset(),
        lambda _: True,
    )
    over, unresolved = (profiled(step(0), auto_resolve=n * MINUTE, silences=(begins,)) for n in (44, 60))

    for book, reasons in ((over, ["opened", "resolved"]), (unresolved, ["opened"])):
        arrived = Arrived(book)
        arrived.meet(random_workspaces.event(0, NOW))
        arrived.pass_to(NOW + 50 * MINUTE)
        assert [reason for _, reason in arrived.reported] == reasons


def test_a_flapping_incident_with_a_successor_calms_down_and_is_dropped() -> None:
    arrived = Arrived(profiled(step(0), reopen_window=timedelta()))
    course, events = arrived.course, 400

    for n in range(events):
        action = "resolve" if n % 2 else "trigger"
        arrived.meet(random_workspaces.event(n, NOW + n * MINUTE, dedup_key="k1", action=action))
        course.drop_finished()
        assert len(course.recorder.incidents) <= 17
    arrived.pass_to(NOW + 2 * events * MINUTE)

    assert len(course.recorder.incidents) == 1
    assert course.recorder.totals.incidents == events // 2


@pytest.mark.parametrize(("incidents", "pauses"), [(0, 0), (PORTION, 1), (PORTION + 1, 2)])
def test_the_last_step_of_a_preview_yields_after_each_portion(incidents: int, pauses: int) -> None:
    arrived = Arrived(profiled(step(0), step(5)))
    arrived.meet(*(random_workspaces.event(n, NOW, dedup_key=f"k{n}") for n in range(incidents)))

    assert arrived.pass_to(NOW + 6 * MINUTE) == pauses
    assert arrived.course.recorder.totals.reasons[Reason.ESCALATED] == incidents
