"""A deleted source causes no further alarm (decision 0013)."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.routing.route import route
from inbox.flow.timers import source_deletion
from inbox.flow.timers.run import run_due
from inbox.flow.timers.source_deletion import DELETED, DELETED_LATE
from inbox.flow.unit_of_work import work
from inbox.models.events.tables import EventQueueRow
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from inbox.models.routing.silences import IN_FLIGHT_GRACE
from inbox.models.senders.sources import Source
from inbox.services.senders import sources as service
from tests.cast import NOW, Cast, make_source
from tests.flow.plans import MINUTE, fire_first
from tests.flow.routing_fixtures import accept, bodies, listen, reasons, reported, routed, settle

DELETED_AT = NOW + 5 * MINUTE
SYSTEM = {"type": "system", "id": "", "name": "Source deleted"}


def delete(source: Source) -> None:
    service.remove(source, expected_rev=None, now=DELETED_AT)


def opened(cast: Cast, key: str = "disk", at: datetime = NOW, **fields: str) -> UUID:
    found: UUID = routed(cast.source, at, key=key, **fields).incident_id
    return found


def kinds() -> set[str]:
    return {timer.kind for timer in Timer.select()}


def states() -> list[str]:
    return sorted(one.state for one in Incident.select())


def test_unresolved_incidents_of_a_deleted_source_are_resolved_and_notified(cast: Cast) -> None:
    pager = listen(cast.workspace)
    existing = opened(cast)
    delete(cast.source)

    run_due(lambda: DELETED_AT)
    after = Incident.get_by_id(existing)
    assert (after.state, after.resolved_at, after.resolved_by) == ("resolved", DELETED_AT, SYSTEM)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]
    assert bodies(existing)[-1]["data"]["resolvedBy"] == SYSTEM
    assert TimelineEntry.get(TimelineEntry.kind == "resolved").actor == SYSTEM
    run_due(lambda: NOW + 600 * MINUTE)
    assert reasons(existing) == ["opened", "resolved"]
    assert Timer.select().count() == 0


@pytest.mark.parametrize("act", [Act.ACKNOWLEDGE, Act.SNOOZE])
def test_an_acknowledged_or_snoozed_incident_of_a_deleted_source_is_resolved(cast: Cast, act: Act) -> None:
    existing = opened(cast)
    with work() as done:
        until = NOW + 60 * MINUTE if act is Act.SNOOZE else None
        incidents.act(existing, incidents.ActRequest(act, by=Actor("user", "", "Mia"), until=until), NOW + MINUTE, done)
    delete(cast.source)

    run_due(lambda: DELETED_AT)
    assert Incident.get_by_id(existing).state == "resolved"


def test_incidents_of_other_sources_stay_open(cast: Cast) -> None:
    opened(cast)
    routed(make_source(cast.workspace, "Cron")[0])
    routed(cast.foreign_source)
    delete(cast.source)

    run_due(lambda: DELETED_AT)
    assert states() == ["open", "open", "resolved"]


def test_many_are_resolved_some_at_a_time(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_deletion, "BATCH", 2)
    for key in "abcde":
        opened(cast, key)
    delete(cast.source)

    seen = []
    for _ in range(3):
        fire_first(DELETED_AT)
        seen.append(states().count("resolved"))
    assert seen == [2, 4, 5]
    assert kinds() == {DELETED_LATE}


def test_an_incident_routed_during_the_deletion_of_its_source_is_resolved_later(cast: Cast) -> None:
    delete(cast.source)
    run_due(lambda: DELETED_AT)
    late = opened(cast, at=DELETED_AT + MINUTE / 60)

    run_due(lambda: DELETED_AT + IN_FLIGHT_GRACE)
    assert Incident.get_by_id(late).state == "resolved"


def test_the_deletion_of_a_source_waits_for_its_accepted_events(cast: Cast) -> None:
    listen(cast.workspace)
    accept(cast.source, DELETED_AT - MINUTE)
    delete(cast.source)
    run_due(lambda: DELETED_AT + IN_FLIGHT_GRACE)
    assert Timer.get(Timer.kind == DELETED_LATE).due_at == DELETED_AT + 2 * IN_FLIGHT_GRACE

    route(lambda: DELETED_AT + IN_FLIGHT_GRACE)
    assert states() == ["open"]
    run_due(lambda: DELETED_AT + 2 * IN_FLIGHT_GRACE)
    assert (states(), DELETED_LATE in kinds()) == (["resolved"], False)


@pytest.mark.parametrize("later", [IN_FLIGHT_GRACE - MINUTE / 60, IN_FLIGHT_GRACE + MINUTE / 60])
def test_the_deletion_of_a_source_does_not_wait_for_later_events_of_its_shard(cast: Cast, later: timedelta) -> None:
    accept(cast.source, DELETED_AT + later)
    delete(cast.source)

    run_due(lambda: DELETED_AT + IN_FLIGHT_GRACE)
    assert (DELETED_LATE in kinds()) is (later < IN_FLIGHT_GRACE)


def test_the_deletion_of_a_source_does_not_wait_for_quarantined_events(cast: Cast) -> None:
    accept(cast.source, DELETED_AT - MINUTE)
    EventQueueRow.update(quarantined_at=NOW).execute()
    delete(cast.source)

    run_due(lambda: DELETED_AT + IN_FLIGHT_GRACE)
    assert DELETED_LATE not in kinds()


def test_an_incident_opened_by_a_late_event_is_notified_once_and_resolved_by_its_timer(cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 20})
    delete(cast.source)
    run_due(lambda: DELETED_AT + IN_FLIGHT_GRACE)
    late = opened(cast, at=NOW + 10 * MINUTE)

    run_due(lambda: NOW + 29 * MINUTE)
    assert reasons(late) == ["opened"]
    run_due(lambda: NOW + 30 * MINUTE)
    assert reasons(late) == ["opened", "resolved"]


def test_a_source_restored_meanwhile_keeps_its_unresolved_incidents(cast: Cast) -> None:
    existing = opened(cast)
    delete(cast.source)
    Source.update(deleted_at=None).where(Source.id == cast.source.id).execute()

    run_due(lambda: DELETED_AT)
    assert Incident.get_by_id(existing).state == "open"
    assert DELETED not in kinds()
