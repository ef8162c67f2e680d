"""Previews agree with routing: thousands of random events, by random rules."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.routing.matchers import evaluation_cost
from inbox.domain.routing.preview.verdict_cache import CachedRuleSets
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.preview.comparison import Comparison
from inbox.flow.preview.configs import configs_of, recipients_of
from inbox.flow.preview.request import Question
from inbox.flow.preview.simulation import Simulation
from inbox.flow.preview.summary import outcome
from inbox.flow.routing.evaluate import subject_of
from inbox.flow.routing.route import route
from inbox.models.deliveries.tables import Notice
from inbox.models.events import preview_events
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import Period, StoredEvent
from inbox.models.events.tables import Event
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing import routing_config
from inbox.models.routing.rules import CostlyMatch
from tests.cast import NOW, Cast
from tests.flow.preview.random_runs import bursts, gamble, queue
from tests.runner.amounts import amount

pytestmark = pytest.mark.slow

SEEDS = amount("TEST_WORKSPACES", usual=3, long=10)
EVENTS = amount("TEST_EVENTS", usual=5_000, long=10_000)
"""For each seed."""

BURST = 500


class Foretold:
    """All that a preview of these events says, without clocks."""

    def __init__(self, period: Period) -> None:
        rules = routing_config.rules([period.workspace_id])[period.workspace_id]
        self.events: list[StoredEvent] = []
        self.outcomes: list[dict[str, Any]] = []
        self.incident_of: list[UUID | None] = []
        self.incidents: dict[UUID, IncidentRow] = {}
        self.notices: dict[UUID | None, list[tuple[str, dict[str, str]]]] = defaultdict(list)
        book = configs_of(Question(period, rules, rules))[0]
        model_recipients = recipients_of(period.workspace_id)
        course, *apart = (
            Simulation(period.workspace_id, book, model_recipients, NOW, clocks=False, listener=self._listen)
            for _ in range(3)
        )
        courses = Comparison(CachedRuleSets(book.rules, book.rules), course, *apart)
        for page in preview_events.pages(period, book.needs):
            origins = event_queue.source_contexts({event.source_id for event in page})
            for event in page:
                waiting = courses.sources.get(event.source_id.int) or courses.add_source(origins[event.source_id])
                subject = subject_of(event, waiting.routing)
                come, _ = courses.process(event, subject, waiting)
                self.events.append(event)
                self.outcomes.append(outcome(come, subject))
                self.incident_of.append(come.outcome.incident_id)
                for fingerprint in (come.evaluated.fingerprint, event.fingerprint):
                    met = course.index.latest(event.source_id, fingerprint)
                    if met is not None:
                        self.incidents[met.id] = met

        for simulation in (course, *apart):
            simulation.end_moment()

    def _listen(self, notice: IncidentNotice | EventNotice) -> None:
        stated = {each.recipient.name: str(each.cause) for each in notice.recipients}
        self.notices[notice.incident_id].append((str(notice.reason), stated))


def names(incident_of: Sequence[UUID | None]) -> list[int | None]:
    """The incidents of events by the place of the first event in each."""
    first: dict[UUID, int] = {}
    return [None if id is None else first.setdefault(id, place) for place, id in enumerate(incident_of)]


def reported(notices: dict[UUID | None, list[Any]], incident_of: Sequence[UUID | None]) -> dict[int | None, list[Any]]:
    places = dict(zip(reversed(incident_of), reversed(names(incident_of)), strict=True)) | {None: None}
    return {places[id]: stated for id, stated in notices.items()}


def comparable(incident: IncidentRow) -> dict[str, Any]:
    """An incident as it stands, without ids that differ."""
    retained = asdict(incident)
    now = retained.pop("state_values")._asdict()
    for name in ("id", "number", "rev", "is_new", "is_renamed", "workspace_id", "related_incident_id", "last_entry_at"):
        retained.pop(name)
    return {**retained, **now, "resolved_by": now["resolved_by"] and now["resolved_by"].type}


@pytest.mark.parametrize("budget", [None, 1_000])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_preview_of_random_events_equals_their_routing(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, seed: int, budget: int | None
) -> None:
    dice = random.Random(seed)
    if budget is not None:
        monkeypatch.setattr(evaluation_cost, "EVENT_BUDGET", budget)
    moments = bursts(gamble(cast, dice), dice, EVENTS, BURST)
    foretold = Foretold(Period(cast.workspace.id, NOW, moments[-1] + timedelta(minutes=1)))
    assert len(foretold.events) == EVENTS

    for number, moment in enumerate(moments):
        burst = foretold.events[number * BURST : (number + 1) * BURST]
        queue([(event.workspace_id, event.id, event.source_id) for event in burst])
        assert route(lambda at=moment: at) == len(burst)

    assert CostlyMatch.select().exists() is (budget is not None)
    rows = list(Event.select(Event.disposition, Event.incident_id, Event.routing).order_by(Event.id))
    routed = [{**row.routing, "incidentId": None} for row in rows]
    incident_of = [row.incident_id for row in rows]
    for place, stated in enumerate(foretold.outcomes):
        for name in ("severity", "text", "reasons"):  # the preview says more than is stored
            stated.pop(name)
        assert (place, stated) == (place, routed[place])
    held = {place for place, stated in enumerate(foretold.outcomes) if stated["disposition"] == "waiting"}
    incident_of = [None if place in held else id for place, id in enumerate(incident_of)]
    assert names(incident_of) == names(foretold.incident_of)

    pairs = dict(zip(incident_of, foretold.incident_of, strict=True))
    for incident in incident_lock.lock_many(cast.workspace.id, [id for id in pairs if id is not None]):
        assert comparable(incident) == comparable(foretold.incidents[pairs[incident.id]])

    notices: dict[UUID | None, list[Any]] = defaultdict(list)
    for notice in Notice.select().order_by(Notice.incident_id, Notice.seq):
        decisions = {one["name"]: one["decision"] for one in notice.decisions}
        notices[notice.incident_id].append((notice.reason, decisions))
    by_event, foretold_by_event = notices.pop(None, []), foretold.notices.pop(None, [])
    assert sorted(map(str, by_event)) == sorted(map(str, foretold_by_event))
    assert reported(notices, incident_of) == reported(foretold.notices, foretold.incident_of)
