"""Reads and locks many incidents at once for transitions; `incidents.write` stores the changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import UuidCache, array_literal, unnest_rows
from inbox.domain.incidents.alerts import Alert, AlertCounts
from inbox.domain.incidents.incident import Actor, Incident
from inbox.domain.incidents.last_step import LastStep
from inbox.domain.incidents.state_machine import State
from inbox.domain.routing.people import PageTarget, targets_of
from inbox.domain.values.severity import Severity


@dataclass(slots=True)
class IncidentRow:
    """A locked incident for transitions. `state_values` are the values that transitions change."""

    id: UUID
    workspace_id: UUID
    source_id: UUID
    fingerprint: str
    title: str
    state_values: Incident
    number: int = 0
    resource: str | None = None
    type: str | None = None
    tags: list[str] = field(default_factory=list)
    dedup_key: str | None = None
    rule_id: UUID | None = None
    routing_profile_id: UUID | None = None
    destination_ids: list[UUID] = field(default_factory=list)
    people: tuple[PageTarget, ...] = ()
    assignee_id: UUID | None = None
    related_incident_id: UUID | None = None
    last_entry_at: datetime | None = None
    """The time of the newest id in its timeline."""
    notice_count: int = 0
    rev: int = 1
    is_new: bool = False
    is_renamed: bool = False
    """Title, tags or assignee differ from the stored values."""
    title_edited: bool = False
    """A person edited the title, so that events leave it."""
    alerts: dict[str, Alert] = field(default_factory=dict)
    """The alerts that are loaded, by key: routing loads those that its events name."""

    def add_stored(self, alert: Alert) -> None:
        """Adds a stored alert."""
        self.alerts[alert.key] = alert
        self.refresh_single_alert()

    def refresh_single_alert(self) -> None:
        """Gives a single alert the values of the incident, which alone are kept current (7.13)."""
        values = self.state_values
        for alert in self.alerts.values() if values.alerts.total == 1 else ():
            alert.event_count, alert.last_seen_at = values.event_count, values.last_seen_at
            if alert.fires_in(values.alerts.round):
                alert.severity = values.last_severity
                alert.title = alert.title if self.title_edited else self.title

    def has_firing(self, key: str | None) -> bool:
        """Returns whether the known alert of a key fires. The incident is unresolved."""
        alert = None if key is None else self.alerts.get(key)
        return alert is not None and alert.fires_in(self.state_values.alerts.round)

    def retitle(self, title: str) -> None:
        """Sets the title of the event that reopened or escalated the incident, unless a person edited the title."""
        if not self.title_edited and title != self.title:
            self.title, self.is_renamed = title, True

    @property
    def key(self) -> tuple[int, str]:
        """The key by which events find the incident: its source and its fingerprint.

        The source is the number of its id, since a look-up by number is faster. At most one unresolved incident has a
        key.
        """
        return self.source_id.int, self.fingerprint


IMMUTABLE: Mapping[str, str] = {
    "id": "uuid",
    "workspace_id": "uuid",
    "source_id": "uuid",
    "fingerprint": "text",
    "number": "bigint",
    "resource": "text",
    "type": "text",
    "dedup_key": "text",
    "related_incident_id": "uuid",
}
"""Columns that never change, with the types in which they are sent."""

EDITABLE: Mapping[str, str] = {"title": "text", "tags": "text", "assignee_id": "uuid", "title_edited": "boolean"}
"""Columns that people change. Rules also change the tags, and events the title, of an incident that reopens."""

MUTABLE: Mapping[str, str] = {
    "rule_id": "uuid",
    "routing_profile_id": "uuid",
    "destination_ids": "text",
    "people": "text",
    "state": "text",
    "severity": "severity",
    "last_severity": "severity",
    "first_seen_at": "timestamptz",
    "last_seen_at": "timestamptz",
    "opened_at": "timestamptz",
    "event_count": "bigint",
    "reopen_count": "integer",
    "state_before_silence": "text",
    "silenced_by": "uuid",
    "acknowledged_at": "timestamptz",
    "acknowledged_by": "uuid",
    "snoozed_until": "timestamptz",
    "resolved_at": "timestamptz",
    "resolved_by": "text",
    "flapping": "boolean",
    "state_change_times": "text",
    "steps_taken": "integer",
    "renotify_count": "integer",
    "notified_at": "timestamptz",
    "steps_start_at": "timestamptz",
    "notified_severity": "severity",
    "last_step": "text",
    "alert_count": "integer",
    "firing_count": "integer",
    "alert_round": "integer",
    "alerts_left_out": "bigint",
    "joined_count": "integer",
    "joined_titles": "text",
    "joined_at": "timestamptz",
    "last_entry_at": "timestamptz",
    "notice_count": "integer",
    "rev": "integer",
}
"""Columns that transitions change."""

MAX_OF_KEY = 100
"""The number of the newest incidents with an alert of a key among which a recovery finds the unresolved ones."""

_SHARED = ("workspace_id", "source_id")
_READ = ", ".join(f"{name}::text" if name in _SHARED else name for name in (*IMMUTABLE, *EDITABLE, *MUTABLE))


def lock_for_events(
    keys: Collection[tuple[UUID, str]], recoveries: Collection[tuple[UUID, str]] = ()
) -> list[IncidentRow]:
    """Locks the incidents for events with these fingerprints and for recoveries with these dedup keys, in the order of ids.

    Both parameters are (source, text). For each fingerprint, the result is the unresolved incident, or else the one
    resolved last. Of incidents that a batch resolved at once, the newest is chosen. For each dedup key, the result
    contains the unresolved ones among the newest incidents with an alert of this key.
    """
    rows, values = unnest_rows({"source_id": "uuid", "fingerprint": "text"}, list(keys), "k")
    conditions = (
        "ARRAY(SELECT (SELECT i.id FROM incidents i WHERE i.source_id = k.source_id AND i.fingerprint = k.fingerprint"
        f" ORDER BY i.resolved_at DESC NULLS FIRST, i.number DESC LIMIT 1) FROM {rows})"
    )
    if recoveries:
        rows, more = unnest_rows({"source_id": "uuid", "key": "text"}, list(recoveries), "d")
        newest = (
            "SELECT a.incident_id FROM alerts a WHERE a.source_id = d.source_id AND a.key = d.key"
            f" ORDER BY a.incident_id DESC LIMIT {MAX_OF_KEY}"
        )
        unresolved = "JOIN incidents i ON i.id = a.incident_id AND i.state <> 'resolved'"
        conditions += f" || ARRAY(SELECT i.id FROM {rows} CROSS JOIN LATERAL ({newest}) a {unresolved})"
        values += more
    return _select(f"WHERE id = ANY({conditions}) ORDER BY id FOR NO KEY UPDATE", values)


def read(incident_id: UUID) -> IncidentRow | None:
    """Reads one incident without a lock."""
    found = _select("WHERE id = %s", [incident_id])
    return found[0] if found else None


def lock(incident_id: UUID) -> IncidentRow | None:
    """Locks one incident until the transaction ends."""
    found = _select("WHERE id = %s FOR NO KEY UPDATE", [incident_id])
    return found[0] if found else None


def lock_many(workspace_id: UUID, incident_ids: Sequence[UUID]) -> list[IncidentRow]:
    """Locks these incidents of a workspace until the transaction ends, in the order of ids."""
    return _select(
        "WHERE workspace_id = %s AND id = ANY(%s::uuid[]) ORDER BY id FOR NO KEY UPDATE",
        [workspace_id, array_literal(incident_ids, unquoted=True)],
    )


def has_other_unresolved(incident: IncidentRow) -> bool:
    """Returns whether a different incident of the same source and fingerprint is unresolved."""
    found = db.execute_sql(
        "SELECT EXISTS (SELECT 1 FROM incidents WHERE source_id = %s AND fingerprint = %s AND id <> %s"
        " AND state <> 'resolved')",
        (incident.source_id, incident.fingerprint, incident.id),
    )
    return bool(found.fetchone()[0])


def _select(condition: str, values: Sequence[Any]) -> list[IncidentRow]:
    uuids = UuidCache()
    found = db.execute_sql(f"SELECT {_READ} FROM incidents {condition}", values)
    return [_incident_row(row, uuids) for row in found.fetchall()]


def _incident_row(row: tuple[Any, ...], uuids: UuidCache) -> IncidentRow:
    id, workspace_id, source_id, fingerprint, number, resource, event_type, dedup_key, related, *remaining = row
    (
        title,
        tags,
        assignee,
        title_edited,
        rule_id,
        profile_id,
        destination_ids,
        people,
        *values,
        entered_at,
        notice_count,
        rev,
    ) = remaining
    return IncidentRow(
        id=id,
        workspace_id=uuids[workspace_id],
        source_id=uuids[source_id],
        fingerprint=fingerprint,
        title=title,
        state_values=_state_values(values),
        number=number,
        resource=resource,
        type=event_type,
        tags=tags,
        dedup_key=dedup_key,
        rule_id=rule_id,
        routing_profile_id=profile_id,
        destination_ids=destination_ids,
        people=targets_of(people) if people else (),
        assignee_id=assignee,
        related_incident_id=related,
        last_entry_at=entered_at,
        notice_count=notice_count,
        rev=rev,
        title_edited=title_edited,
    )


def _state_values(row: Sequence[Any]) -> Incident:
    values = (
        _STATE[row[0]],
        _SEVERITY[row[1]],
        _SEVERITY[row[2]],
        *row[3:8],
        None if row[8] is None else _STATE[row[8]],
        *row[9:14],
        None if row[14] is None else Actor(**row[14]),
        row[15],
        tuple(row[16]),
        *row[17:21],
        None if row[21] is None else _SEVERITY[row[21]],
        None if row[22] is None else LastStep(*row[22]),
        AlertCounts._make((*row[23:28], tuple(row[28]), row[29])),
    )
    return Incident(*values)


_STATE = {str(state): state for state in State}
_SEVERITY = {str(severity): severity for severity in Severity}
