"""Finds the workspace of a record that a path names, before anything else of a request is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from inbox.models.deliveries.destinations import Destination
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.heartbeats.watchers import Watcher
from inbox.models.incidents.tables import Incident
from inbox.models.insight.views import SavedView
from inbox.models.oncall.forwardings import OnCallForwarding
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.senders.sources import Source

_TABLES: Mapping[str, Any] = {
    "destination_id": Destination,
    "forwarding_id": OnCallForwarding,
    "incident_id": Incident,
    "monitor_id": HeartbeatMonitor,
    "profile_id": RoutingProfile,
    "rule_id": Rule,
    "schedule_id": OnCallSchedule,
    "silence_id": Silence,
    "source_id": Source,
    "view_id": SavedView,
    "watcher_id": Watcher,
}
"""The records that operations with a body change, by the name of the id in the path."""


def find(path: Mapping[str, Any]) -> UUID | None:
    """Returns the workspace of the record that a path names, deleted or not; None when there is no such record."""
    [(table, record_id)] = [(_TABLES[name], value) for name, value in path.items() if name in _TABLES]
    row = table.select(table.workspace_id).where(table.id == record_id).tuples().first()
    return None if row is None else row[0]
