"""Creates, edits and deletes the records of each section by the use cases that people use."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.api.configuration.sections import Section
from inbox.api.workspaces.schemas.workspaces import stored
from inbox.domain.workspaces.roles import Role
from inbox.models.heartbeats import monitors as monitor_queries
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.routing import references
from inbox.services.deliveries import destinations
from inbox.services.heartbeats import monitors
from inbox.services.insight import views
from inbox.services.oncall import schedules
from inbox.services.routing import profiles, rules, silences
from inbox.services.senders import sources

SERVICES: Mapping[str, Any] = {
    "destinations": destinations,
    "schedules": schedules,
    "routingProfiles": profiles,
    "sources": sources,
    "rules": rules,
    "heartbeatMonitors": monitors,
}
"""The use cases of the sections whose functions have the same arguments."""


def create(section: Section, workspace_id: UUID, fields: dict[str, Any], now: datetime) -> UUID:
    """Creates a record of the loaded fields, and returns its id. Raises as the use case does."""
    match section.name:
        case "silences":
            found = silences.create(workspace_id, _recurring(fields), by=None, now=now).id
        case "views":
            shared = {**fields, "shared": True}
            found = views.create(workspace_id, shared, person=None, role=Role.OWNER, now=now).id
        case "heartbeatMonitors":
            found = monitors.create(workspace_id, fields, now=now).monitor.id
        case name:
            found = SERVICES[name].create(workspace_id, fields, now=now).id
    created: UUID = found
    return created


def edit(section: Section, row: Any, fields: dict[str, Any], now: datetime) -> None:
    """Changes a record to the loaded fields. Raises as the use case does."""
    changes = {name: value for name, value in fields.items() if name not in section.fixed}
    match section.name:
        case "silences":
            silences.edit(row, _recurring(changes), expected_rev=None, now=now)
        case "views":
            views.edit(row, changes, person=None, role=Role.OWNER, expected_rev=None)
        case name:
            SERVICES[name].edit(row, changes, expected_rev=None, now=now)


def remove(section: Section, row: Any, now: datetime) -> None:
    """Deletes a record. Raises as the use case does."""
    match section.name:
        case "silences":
            silences.remove(row, expected_rev=None, now=now)
        case "views":
            views.remove(row, person=None, role=Role.OWNER, expected_rev=None, now=now)
        case name:
            SERVICES[name].remove(row, expected_rev=None, now=now)


def consequences(section: Section, row: Any) -> list[str]:
    """Returns what the deletion of a record changes elsewhere, as sentences."""
    if section.record_type == "source":
        count = monitor_queries.existing([row.workspace_id]).where(HeartbeatMonitor.source_id == row.id).count()
        return [f"Its {count} heartbeat monitors are deleted with it."] if count else []
    if section.record_type != "destination":
        return []
    users = references.of_destinations([row.id])[row.id]
    named = [
        *(["the default route"] if users.default_route else []),
        *(f"the rule “{each.name}”" for each in users.rules),
        *(f"the routing profile “{each.name}”" for each in users.routing_profiles),
    ]
    return [f"{', '.join(named)} no longer notify it."] if named else []


def _recurring(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "recurrence": stored(fields["recurrence"])}
