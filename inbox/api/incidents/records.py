"""Incidents as answers show them: with their address, and with names beside ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

from inbox.database.read_query import Row
from inbox.domain.incidents.incident import Actor
from inbox.domain.values import ids
from inbox.models.deliveries.notified import incidents_that_notified_nobody, undelivered
from inbox.models.events import newest as event_search
from inbox.models.incidents.tables import Incident
from inbox.models.records import names
from inbox.models.routing.silences import Silence
from inbox.services.incidents import incidents
from inbox.services.routing.silences import active_periods

AnyIncident = TypeVar("AnyIncident", Incident, Row)


def presented(rows: Iterable[AnyIncident]) -> list[AnyIncident]:
    """Returns the incidents with the further attributes of `IncidentRecord`, with one query for each kind of name."""
    found = list(rows)
    people = names.of_users([row.acknowledged_by for row in found] + [row.assignee_id for row in found])
    rules = names.of_rules(row.rule_id for row in found)
    profiles = names.of_profiles(row.routing_profile_id for row in found)
    silences = names.silences(row.silenced_by for row in found)
    last, now = event_search.newest_of([(row.workspace_id, row.id) for row in found]), datetime.now(UTC)
    unnotified, failing = incidents_that_notified_nobody(found), undelivered(found, now)
    for row in found:
        row.notified_nobody = row.id in unnotified
        row.undelivered = failing.get(row.id)
        newest = last.get(row.id)
        row.last_event = None if newest is None else newest._asdict()
        row.url = incidents.incident_url(row.workspace_slug, row.id)
        row.acknowledger = _person(row.acknowledged_by, people)
        row.assignee = _person(row.assignee_id, people)
        row.rule = _named(row.rule_id, rules)
        row.routing_profile = _named(row.routing_profile_id, profiles)
        row.silence = _silence(row.silenced_by, silences, now)
    return found


def present(row: AnyIncident) -> AnyIncident:
    """Returns one incident as `presented` does."""
    return presented([row])[0]


def people(user_ids: Sequence[UUID | None]) -> dict[UUID | None, dict[str, str]]:
    """Returns people as actors, by id."""
    found = names.of_users(user_ids)
    return {id: Actor("user", ids.encode("usr", id), name).record() for id, name in found.items()}


def _person(id: UUID | None, by_id: Mapping[UUID, str]) -> dict[str, str] | None:
    return None if id is None else Actor("user", ids.encode("usr", id), by_id.get(id, "")).record()


def _named(id: UUID | None, by_id: Mapping[UUID, str]) -> dict[str, Any] | None:
    return None if id is None else {"id": id, "name": by_id.get(id)}


def _silence(id: UUID | None, by_id: Mapping[UUID, Silence], now: datetime) -> dict[str, Any] | None:
    if id is None:
        return None
    silence = by_id.get(id)
    if silence is None:
        return {"id": id, "comment": None, "ends_at": None}
    return {"id": id, "comment": silence.comment, "ends_at": active_periods(silence).next_change(now)}
