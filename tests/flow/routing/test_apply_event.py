"""Prediction for an event without a database equals the result of routing."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from inbox.domain.events.subject import Subject
from inbox.domain.incidents.alerts import Alert
from inbox.domain.incidents.incident import Actor, Incident
from inbox.domain.values.severity import Severity
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.routing.apply_event import apply_event
from inbox.flow.routing.evaluate import evaluate
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.route import route
from inbox.flow.routing.routing_config import SourceRouting, routing_configs
from inbox.models.events import queue as event_queue
from inbox.models.events.tables import Event
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing.rules import OpenAfterCounter
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept
from tests.flow.routing_fixtures import event as stored
from tests.flow.rulemaking import clause, rule, silence

MINUTE = timedelta(minutes=1)


@dataclass
class Counts:
    """A book in which nothing is kept but what was said and of how many incidents."""

    now: datetime = NOW
    writes_timelines: bool = True
    stated: list[str] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: count(1))

    def make_id(self) -> UUID:
        return UUID(int=next(self.numbers))

    def update(self, incident: IncidentRow, after: Incident) -> None:
        incident.state_values, incident.is_new = after, False

    def count_event(self, incident: IncidentRow, after: Incident) -> None:
        incident.state_values = after

    def update_alert(self, incident: IncidentRow, alert: Alert) -> None:
        """The incident holds its alerts."""

    def is_joined_due(self, incident: IncidentRow) -> bool:
        return False

    def add_timeline_entry(
        self, incident: IncidentRow, kind: str, actor: Any, details: Mapping[str, Any], **_: Any
    ) -> None:
        """Nobody reads the timeline of a preview."""

    def add_notice(self, notice: IncidentNotice) -> None:
        self.stated.append(str(notice.reason))

    def event_actor(self, event_id: UUID, source_name: str) -> Actor:
        return Actor("event", str(event_id), source_name)

    def add_event_notice(self, notice: EventNotice) -> None:
        self.stated.append("informational")


def context_of(source: Source) -> SourceRouting:
    origin = event_queue.source_contexts([source.id])[source.id]
    return routing_configs({origin.workspace_id: origin.routing_rev}, NOW)[origin.workspace_id].source(origin)


Outcome = tuple[str, str | None, str | None]


def evaluated(event: Event, context: SourceRouting, index_value: IncidentIndex, counts: Counts) -> Outcome:
    """Disposition, act and reason of a stored event in this world, at the time it was received."""
    counts.now = event.received_at
    event.severity = Severity(event.severity)
    subject = Subject(
        event.severity,
        event.action,
        event.title,
        event.type,
        event.resource,
        event.dedup_key,
        event.tags,
        context.source_id,
        context.source_name,
        event.body,
        event.url,
        event.external_id,
        event.metadata,
    )
    final_state = apply_event(evaluate(event, subject, context), index_value, counts)
    return final_state.disposition, final_state.act, final_state.reason


def make_rules(cast: Cast) -> None:
    rule(cast.workspace, clause("tags", "contains", "prod"), None, continue_matching=True, add_tags=("seen",))
    rule(cast.workspace, clause("title", "contains", "noise"), "drop")
    rule(cast.workspace, clause("metadata.team", "eq", "db"), group_by=("resource",), severity=Severity.CRITICAL)
    rule(cast.workspace, clause("title", "contains", "rare"), open_after=(3, 30))
    rule(cast.workspace, clause("body", "matches", "deploy(ed|ing)"), "notify")
    rule(cast.workspace, clause("title", "contains", "later"), snooze=timedelta(hours=2))
    silence(cast.workspace, clause("resource", "eq", "host:2"), since=NOW + 60 * MINUTE)


def random_event(dice: random.Random) -> dict[str, Any]:
    """Titles and keys repeat, so that events meet each other."""
    title = dice.choice(["noise", "rare", "later", "plain", "deploy"])
    return {
        "key": dice.choice([None, f"{title}-1", f"{title}-2"]),
        "title": title,
        "severity": dice.choice(["INFO", "WARNING", "ERROR", "CRITICAL", "SUCCESS"]),
        "resource": f"host:{dice.randrange(4)}",
        "tags": dice.sample(["prod", "x"], dice.randrange(3)),
        "body": dice.choice([None, "we deployed it", "nothing"]),
        "metadata": dice.choice([None, {"team": "db"}, {"team": "qa"}]),
        "by": title,
    }


def test_evaluating_events_beforehand_gives_the_results_of_routing(cast: Cast) -> None:
    make_rules(cast)
    dice, context, index_value, counts = random.Random(7), context_of(cast.source), IncidentIndex(), Counts()
    met = set()
    for number in range(400):
        at, fields = NOW + number * MINUTE, random_event(dice)
        action = "resolve" if fields["key"] and dice.random() < 0.25 else "trigger"
        event_id = accept(cast.source, at, action=action, **fields)
        foreseen = evaluated(stored(event_id), context, index_value, counts)
        assert stored(event_id).disposition == "pending"

        route(lambda at=at: at)  # type: ignore[misc]

        done = stored(event_id)
        assert (done.disposition, done.routing["act"], done.routing["reason"]) == foreseen, (number, fields)
        met.add(done.disposition)
    assert met == {"dropped", "waiting", "notified", "opened", "updated", "resolved", "unmatched", "logged"}
    assert sum(index_value.silenced_counts.values()) > 0


def test_one_incident_index_does_not_change_another(cast: Cast) -> None:
    rule(cast.workspace, open_after=(2, 10))
    event = stored(accept(cast.source))
    first, second = IncidentIndex(), IncidentIndex()

    once = evaluated(event, context_of(cast.source), first, Counts())
    repeated = evaluated(event, context_of(cast.source), second, Counts())

    assert once == repeated == ("waiting", None, None)
    assert (len(first.open_after_updates), OpenAfterCounter.select().count()) == (1, 0)
