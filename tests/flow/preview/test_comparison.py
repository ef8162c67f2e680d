"""Both simulations run together as long as possible, with the results of two that were always separate."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing.preview.verdict_cache import CachedRuleSets
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions, RuleSet
from inbox.domain.values.severity import Severity
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.preview.comparison import Comparison
from inbox.flow.preview.recorder import Totals
from inbox.flow.preview.simulation import SimulatedEvent, Simulation
from inbox.flow.routing.evaluate import evaluate, subject_of
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.models.events.preview_events import StoredEvent
from inbox.models.events.queue import SourceContext
from tests.cast import NOW
from tests.flow.preview import random_workspaces
from tests.flow.rulemaking import clause
from tests.runner.amounts import amount

DAY = timedelta(days=1)
SEEDS = amount("TEST_WORKSPACES", usual=3, long=10)


class Played(NamedTuple):
    """All results of a simulation: of each event, its notices, the totals, and the incidents at its end."""

    fared: list[Any]
    reported: dict[int | None, list[Any]]
    totals: Totals
    standing: dict[Any, Any]


class Witness:
    """A simulation, its notices, and the incident of each event."""

    def __init__(self, book: RoutingConfig, reported: Sequence[dict[UUID | None, list[Any]]]) -> None:
        self.reported = reported
        self.course = Simulation(
            random_workspaces.WORKSPACE, book, random_workspaces.RECIPIENTS, NOW, listener=self._listen
        )

    def _listen(self, notice: IncidentNotice | EventNotice) -> None:
        stated = [(each.recipient.name, str(each.cause), each.until) for each in notice.recipients]
        at = self.course.recorder.now
        for reported in self.reported:
            reported[notice.incident_id].append((at, str(notice.reason), stated))

    def standing(self) -> dict[Any, Any]:
        index = self.course.index
        return {
            key: {**asdict(one), "id": None, "related_incident_id": None} for key, one in index._by_fingerprint.items()
        }


def comparable(come: SimulatedEvent, names: dict[UUID, int]) -> tuple[Any, ...]:
    """What is known of an event's way, without ids that differ."""
    decision, final_state = come.evaluated.decision, come.outcome
    met = None if final_state.incident_id is None else names.setdefault(final_state.incident_id, len(names))
    way = (
        decision.notify_target,
        decision.severity,
        decision.sentences,
        decision.rules_result.matched,
        come.evaluated.fingerprint,
    )
    return (final_state.disposition, met, final_state.act, final_state.reason, final_state.sentences, *way)


def named(reported: dict[UUID | None, list[Any]], names: dict[UUID, int]) -> dict[int | None, list[Any]]:
    return {None if id is None else names[id]: stated for id, stated in reported.items()}


def ring(played: Simulation | Comparison, until: datetime) -> None:
    for _ in played.run_until(until):
        pass


def played_apart(book: RoutingConfig, origins: Sequence[SourceContext], events: Sequence[StoredEvent]) -> Played:
    """By one course, in which every timer rings before the next event comes, as if there were one clock for all."""
    reported: dict[UUID | None, list[Any]] = defaultdict(list)
    witness, names, seen = Witness(book, [reported]), dict[UUID, int](), []
    courts = {origin.source_id: book.source(origin) for origin in origins}
    for event in events:
        context = courts[event.source_id]
        ring(witness.course, event.received_at)
        seen.append(comparable(witness.course.process(evaluate(event, subject_of(event, context), context)), names))
    ring(witness.course, NOW + 5 * DAY)
    return Played(seen, named(reported, names), witness.course.recorder.totals, witness.standing())


def played_together(
    books: tuple[RoutingConfig, RoutingConfig], origins: Sequence[SourceContext], events: Sequence[StoredEvent]
) -> list[Played]:
    reported: list[dict[UUID | None, list[Any]]] = [defaultdict(list), defaultdict(list)]
    shared, before, after = (
        Witness(books[0], reported),
        Witness(books[0], reported[:1]),
        Witness(books[1], reported[1:]),
    )
    remembering = CachedRuleSets(books[0].rules, books[1].rules)
    courses = Comparison(remembering, shared.course, before.course, after.course)
    states = {origin.source_id: courses.add_source(origin) for origin in origins}
    names: list[dict[UUID, int]] = [{}, {}]
    seen: list[list[Any]] = [[], []]
    for event in events:
        state = states[event.source_id]
        for side, come in enumerate(courses.process(event, subject_of(event, state.routing), state)):
            seen[side].append(comparable(come, names[side]))
        if len(seen[0]) % 7 == 0:
            courses.drop_finished()
    ring(courses, NOW + 5 * DAY)
    rest = zip(seen, reported, names, courses.totals(), (before, after), strict=True)
    return [
        Played(fared, named(stated, existing), totals, shared.standing() | own.standing())
        for fared, stated, existing, totals, own in rest
    ]


@settings(max_examples=30 * SEEDS, deadline=None)
@given(st.integers(1, 200), st.integers(0, 2**32))
def test_paired_simulations_give_the_results_of_two_separate_ones(count: int, seed: int) -> None:
    dice = random.Random(seed)
    books, origins, events = (
        random_workspaces.books(dice),
        random_workspaces.origins(dice),
        random_workspaces.events(dice, count),
    )

    together = played_together(books, origins, events)

    for book, side in zip(books, together, strict=True):
        apart = played_apart(book, origins, events)
        assert side.fared == apart.fared
        assert side.reported == apart.reported
        assert side.totals == apart.totals
        assert side.standing == apart.standing


def test_incidents_separated_by_grouping_are_resolved_in_both_simulations_by_dedup_key() -> None:
    grouping, worsening = (
        random_workspaces.rule(0, clause("tags", "eq", "db"), RuleActions(RuleAction.INCIDENT, group_by=("title",))),
        random_workspaces.rule(1, clause("type", "eq", "cpu"), RuleActions(severity=Severity.CRITICAL), continues=True),
    )
    books = [random_workspaces.book(RuleSet(rules)) for rules in ([grouping], [worsening, grouping])]
    [origin, *_] = random_workspaces.origins(random.Random(0))
    opens = random_workspaces.event(0, NOW, tags=["db"], dedup_key="k1")
    parts = random_workspaces.event(1, NOW, tags=["db"], type="cpu", dedup_key="k1")
    ends = random_workspaces.event(2, NOW, dedup_key="k1", action="resolve")

    for side in played_together((books[0], books[1]), [origin], [opens, parts, ends]):
        assert [(stated[0], stated[1]) for stated in side.fared] == [("opened", 0), ("updated", 0), ("resolved", 0)]
