"""Concurrent changes of an incident: each waits for the lock and starts from the committed state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.refusals import InvalidTransition
from inbox.flow.people import incidents
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.incidents.tables import Incident
from tests.api.events.senders import until
from tests.cast import NOW, Cast
from tests.flow.concurrent_connections import in_a_thread, other_connection, somebody_waits
from tests.flow.routing_fixtures import accept, incident, reasons, routed, settle, timeline
from tests.silences import make_silence

MINUTE = timedelta(minutes=1)
MIA = Actor("user", "", "Mia")


@pytest.fixture
def existing(cast: Cast) -> Incident:
    settle(cast.workspace, renotifyMinutes={"WARNING": 0, "ERROR": 0})
    return incident(routed(cast.source).id)


@contextmanager
def moved_by_another(existing: Incident, **fields: Any) -> Iterator[None]:
    """Another session changes these columns of the incident; it commits once somebody waits for the end of the block."""
    columns = ", ".join(f"{name} = %s" for name in fields)
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute(
            f"UPDATE incidents SET {columns}, rev = rev + 1 WHERE id = %s", (*fields.values(), str(existing.id))
        )
        yield
        until(somebody_waits)
        other.commit()


def reloaded(existing: Incident) -> Incident:
    found: Incident = Incident.get_by_id(existing.id)
    return found


def test_an_event_sees_a_concurrent_act_of_a_person(cast: Cast, existing: Incident) -> None:
    accept(cast.source, NOW + MINUTE)
    with moved_by_another(existing, state="acknowledged", acknowledged_at=NOW):
        routing = in_a_thread(lambda: route(lambda: NOW + MINUTE))
    routing()

    after = reloaded(existing)
    assert (after.state, after.event_count, after.rev) == ("acknowledged", 2, existing.rev + 2)


def test_a_recovery_sees_a_concurrent_act_of_a_person(cast: Cast, existing: Incident) -> None:
    accept(cast.source, NOW + MINUTE, action="resolve")
    with moved_by_another(existing, state="resolved", resolved_at=NOW, resolved_by='{"type": "user"}'):
        routing = in_a_thread(lambda: route(lambda: NOW + MINUTE))
    routing()

    assert reloaded(existing).resolved_by["type"] == "user"
    assert reasons(existing.id) == ["opened"]


def test_an_act_of_a_person_sees_a_concurrent_event(existing: Incident) -> None:
    def acknowledge() -> None:
        with work() as done:
            incidents.act(existing.id, incidents.ActRequest(Act.ACKNOWLEDGE, by=MIA), NOW + MINUTE, done)

    with moved_by_another(existing, state="resolved", resolved_at=NOW):
        answer = in_a_thread(acknowledge)

    assert isinstance(answer(), InvalidTransition)
    assert reloaded(existing).state == "resolved"


def test_a_silence_that_begins_sees_a_concurrent_act_of_a_person(cast: Cast, existing: Incident) -> None:
    make_silence(cast.workspace, start=NOW + MINUTE)
    with moved_by_another(existing, state="resolved", resolved_at=NOW):
        firing = in_a_thread(lambda: run_due(lambda: NOW + MINUTE))
    firing()

    assert reloaded(existing).state == "resolved"
    assert timeline(existing.id) == ["opened"]
