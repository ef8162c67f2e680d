"""CRITICAL events are routed before a backlog of their own source, in the order of each incident (specification 1.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.domain.values.severity import Severity
from inbox.flow.ingest import own_events
from inbox.flow.routing.batch import FETCH_SIZE, MANY_EVENTS, DeferredEvents, ShardOrder, SlowWorkspaces
from inbox.flow.routing.overtaking import OVERTAKING, route_overtaking
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import work
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import Event, EventQueueRow, RoutedEvent
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast, make_source, make_workspace
from tests.flow.routing_fixtures import event, incident, listen, reasons, timeline
from tests.flow.rulemaking import ANY, clause, rule
from tests.runner.amounts import amount

ANOTHER_BACKLOG = MANY_EVENTS
"""The events of another source, so that the source takes turns with it."""

_NAMES = count()


def send(source: Source, documents: Sequence[dict[str, Any]]) -> list[UUID]:
    """Accepts events as ingest does: with their fingerprints, in the queue, in this order."""
    sender = SourceKeyContext(source.id, source.id, source.workspace_id, Severity.ERROR, tuple(source.group_by))
    stored = []
    for first in range(0, len(documents), 100):
        with work() as done:
            stored += own_events.store(documents[first : first + 100], sender, NOW, done)
    return [each.event_id for each in stored]


def flood(source: Source, number: int) -> list[UUID]:
    return send(source, [{"title": "Slow", "severity": "WARNING", "dedupKey": f"flood {n}"} for n in range(number)])


def overtake(source: Source) -> int:
    """Routes the overtaking events of the source, as if its turn did not come soon."""
    deferred = defaultdict[int, DeferredEvents](DeferredEvents)
    return route_overtaking([shard_of(source.id)], [], deferred, lambda: NOW, SlowWorkspaces())


def outcomes(sent: Sequence[UUID]) -> list[str]:
    return [event(id).disposition for id in sent]


def critical(key: str | None, **more: Any) -> dict[str, Any]:
    return {"title": "Database down", "severity": "CRITICAL", "dedupKey": key, **more}


def test_a_critical_event_is_routed_before_the_first_batch_of_the_flood_of_its_source(cast: Cast) -> None:
    listen(cast.workspace)
    other, _ = make_source(cast.workspace, "Other")
    flood(other, ANOTHER_BACKLOG)
    flooding = flood(cast.source, FETCH_SIZE)
    [alarm] = send(cast.source, [critical("db")])
    later = flood(cast.source, 1)
    before_a_batch: list[tuple[str, int]] = []

    route(
        lambda: NOW,
        between_batches=lambda: before_a_batch.append((event(alarm).disposition, RoutedEvent.select().count())),
        order=ShardOrder(),
    )

    assert before_a_batch[0] == ("opened", 1)
    assert set(outcomes([*flooding[::500], *later])) == {"opened", "updated"}
    assert reasons(incident(alarm).id) == ["opened"]
    assert EventQueueRow.select().count() == 0


def test_earlier_events_of_the_same_incident_are_routed_first(cast: Cast) -> None:
    sent = send(cast.source, [{"title": "Slow", "severity": "WARNING", "dedupKey": key} for key in ("db", "web", "db")])
    [alarm] = send(cast.source, [critical("db")])

    assert overtake(cast.source) == 3

    assert outcomes([*sent, alarm]) == ["opened", "pending", "updated", "updated"]
    assert timeline(incident(alarm).id) == ["opened", "escalated"]


@pytest.mark.parametrize(
    "document",
    [
        {"title": "Down", "severity": "ERROR", "dedupKey": "db"},
        {"title": "Up", "severity": "CRITICAL", "action": "resolve", "dedupKey": "db"},
        {"title": "Up", "severity": "SUCCESS", "dedupKey": "db"},
        {"title": "Down", "severity": "CRITICAL"},
    ],
    ids=["error", "recovery", "success", "without a key"],
)
def test_other_events_keep_their_turn(cast: Cast, document: dict[str, Any]) -> None:
    send(cast.source, [document])

    assert overtake(cast.source) == 0


def test_an_event_whose_incident_a_recovery_ends_keeps_its_turn(cast: Cast) -> None:
    send(cast.source, [{"title": "Up", "action": "resolve", "dedupKey": "db"}, critical("db")])

    assert overtake(cast.source) == 0


def test_an_event_that_a_rule_adds_to_another_incident_keeps_its_turn(cast: Cast) -> None:
    rule(cast.workspace, clause("title", "contains", "Database"), group_by=("resource",))
    sent = send(cast.source, [critical("db", resource="host:a"), critical("web", title="Web down", resource="host:a")])

    assert overtake(cast.source) == 1

    assert outcomes(sent) == ["pending", "opened"]


def test_a_fingerprint_with_a_failed_event_keeps_its_turn(cast: Cast) -> None:
    send(cast.source, [critical("db"), critical("db"), critical("web")])
    first = EventQueueRow.select().order_by(EventQueueRow.seq).first()
    EventQueueRow.update(attempts=1).where(EventQueueRow.seq == first.seq).execute()

    assert overtake(cast.source) == 1
    assert EventQueueRow.select().count() == 2


def test_a_round_routes_a_bounded_number_of_overtaking_events(cast: Cast) -> None:
    sent = send(cast.source, [critical(f"db {n}") for n in range(OVERTAKING + 1)])

    assert [overtake(cast.source) for _ in range(3)] == [OVERTAKING, 1, 0]
    assert set(outcomes(sent)) == {"opened"}


EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "title": st.sampled_from(["Database down", "db", "web 1", "web 2"]),
            "severity": st.sampled_from(["WARNING", "ERROR", "CRITICAL", "CRITICAL", "INFO", "SUCCESS"]),
            "action": st.sampled_from(["trigger", "trigger", "trigger", "resolve"]),
            "dedupKey": st.sampled_from(["db", "web", "db", "web", None]),
            "resource": st.sampled_from([None, "host:a", "host:b"]),
            "occurredAt": st.sampled_from([None, -1, -2, -3]),
        }
    ),
    min_size=2,
    max_size=14,
)

RULES: dict[str, dict[str, Any]] = {
    "none": {},
    "group by": {"match": clause("title", "contains", "Database"), "group_by": ("resource",)},
    "group all": {"match": ANY, "group_by": ("title",)},
    "open after": {"match": ANY, "open_after": (2, 10)},
    "raise": {"match": clause("severity", "eq", "ERROR"), "severity": Severity.CRITICAL},
}


@settings(
    max_examples=amount("TEST_OVERTAKING", usual=60, long=600),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(EVENTS, st.integers(1, 14), st.sampled_from(sorted(RULES)), st.sampled_from([(), ("resource",), ("title",)]),
    st.sampled_from(["dedupKey", "fingerprint"]))  # fmt: skip
def test_incidents_are_those_of_routing_in_order(
    ground: object, documents: list[dict[str, Any]], waits: int, named: str, group_by: tuple[str, ...], resolve_by: str
) -> None:
    """A part of the events waits while the next ones overtake. Each workspace has the same events and rules."""
    found = []
    for overtakes in (False, True):
        workspace = make_workspace(f"W{next(_NAMES)}")
        source, _ = make_source(workspace, "Source", group_by=list(group_by), resolve_by=resolve_by)
        listen(workspace)
        if RULES[named]:
            rule(workspace, **RULES[named])
        stored = []
        for part in (documents[:waits], documents[waits:]):
            stored += send(source, [sendable(each) for each in part])
            if overtakes:
                overtake(source)
        route(lambda: NOW)
        found.append(history(workspace, stored))

    assert found[1] == found[0]


def sendable(document: dict[str, Any]) -> dict[str, Any]:
    """A recovery without a key is one by its severity, because an `action` needs the key."""
    given = {name: value for name, value in document.items() if value is not None}
    if given["action"] == "resolve" and "dedupKey" not in given:
        given |= {"action": "trigger", "severity": "SUCCESS"}
    minutes = given.pop("occurredAt", None)
    return given if minutes is None else {**given, "occurredAt": (NOW + timedelta(minutes=minutes)).isoformat()}


def history(workspace: Workspace, sent: Sequence[UUID]) -> list[Any]:
    """Each event with its disposition and the first event of its incident, and each incident."""
    first: dict[UUID, int] = {}
    lines: list[Any] = []
    for number, each in enumerate(Event.get(Event.id == id) for id in sent):
        if each.incident_id is None:
            lines.append((each.disposition, None))
            continue
        if each.incident_id not in first:
            first[each.incident_id] = number
            one = incident(each.id)
            lines.append((str(one.state), str(one.severity), one.event_count, one.title, one.tags))
            lines.append((timeline(one.id), reasons(one.id)))
        lines.append((each.disposition, first[each.incident_id]))
    return lines


def test_the_queue_tells_fingerprints_apart(cast: Cast) -> None:
    send(cast.source, [critical("db"), critical("web"), critical("db")])

    hashes = [row.fingerprint_hash for row in EventQueueRow.select().order_by(EventQueueRow.seq)]

    assert (hashes[0], hashes[0] == hashes[1]) == (hashes[2], False)
