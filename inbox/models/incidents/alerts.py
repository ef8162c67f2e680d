"""The alerts of incidents (specification 7.13): routing loads those of a batch and writes them at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import SeverityField, Table, TimestampField, db
from inbox.database.bulk_sql import AT_ONCE, Statements, unnest_rows
from inbox.domain.incidents.alerts import ENDED, FIRING, Alert, AlertState
from inbox.domain.values.severity import Severity
from inbox.models.incidents.lock import MAX_OF_KEY, IncidentRow
from inbox.models.incidents.tables import Incident


class IncidentAlert(Table):
    """What one key of the sender names inside an incident.

    The state counts only in the present `round` of an unresolved incident: an end of the incident writes no alert.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    source_id = peewee.UUIDField()
    incident_id = peewee.UUIDField()
    key = peewee.TextField()
    title = peewee.TextField()
    severity = SeverityField()
    state = peewee.TextField()
    round = peewee.IntegerField()
    first_seen_at = TimestampField()
    last_seen_at = TimestampField()
    event_count = peewee.BigIntegerField()
    repeat_count = peewee.BigIntegerField(default=0)
    began_at = TimestampField(null=True)

    class Meta:
        table_name = "alerts"


_COLUMNS: Mapping[str, str] = {
    "id": "uuid",
    "workspace_id": "uuid",
    "source_id": "uuid",
    "incident_id": "uuid",
    "key": "text",
    "title": "text",
    "severity": "severity",
    "state": "text",
    "round": "integer",
    "first_seen_at": "timestamptz",
    "last_seen_at": "timestamptz",
    "event_count": "bigint",
    "repeat_count": "bigint",
    "began_at": "timestamptz",
}
_CHANGING = ("title", "severity", "state", "round", "last_seen_at", "event_count", "repeat_count", "began_at")


def load(pairs: Collection[tuple[UUID, str]], recoveries: Collection[tuple[UUID, str]]) -> list[tuple[UUID, Alert]]:
    """Returns the alerts of these pairs (incident, key), and those of unresolved incidents that recoveries name by
    (source, key), each with its incident.
    """
    parts, values = list[str](), list[Any]()
    if pairs:
        rows, more = unnest_rows({"incident_id": "uuid", "key": "text"}, list(pairs), "k")
        parts.append(f"SELECT {_READ} FROM {rows} JOIN alerts a ON a.incident_id = k.incident_id AND a.key = k.key")
        values += more
    if recoveries:
        rows, more = unnest_rows({"source_id": "uuid", "key": "text"}, list(recoveries), "d")
        parts.append(
            f"SELECT {_READ} FROM {rows} CROSS JOIN LATERAL (SELECT * FROM alerts a WHERE a.source_id = d.source_id"
            f" AND a.key = d.key ORDER BY a.incident_id DESC LIMIT {MAX_OF_KEY}) a"
            " JOIN incidents i ON i.id = a.incident_id AND i.state <> 'resolved'"
        )
        values += more
    found = db.execute_sql(" UNION ".join(parts), values).fetchall() if parts else ()
    return [(row[0], _alert(row)) for row in found]


_READ = (
    "a.incident_id, a.key, a.title, a.severity, a.first_seen_at, a.last_seen_at, a.event_count, a.state, a.round, a.id,"
    " a.began_at, a.repeat_count"
)


def _alert(row: Sequence[Any]) -> Alert:
    _, key, title, severity, first, last, count, state, *others = row
    return Alert(key, title, _SEVERITY[severity], first, last, count, _STATE[state], *others)


_SEVERITY = {str(severity): severity for severity in Severity}
_STATE = {str(state): state for state in AlertState}


def write(changed: Iterable[tuple[IncidentRow, Alert]], statements: Statements = AT_ONCE) -> None:
    """Inserts the new alerts and stores the changed ones."""
    written = [
        (
            *(alert.id, one.workspace_id, one.source_id, one.id, alert.key, alert.title, alert.severity, alert.state),
            *(
                alert.round,
                alert.first_seen_at,
                alert.last_seen_at,
                alert.event_count,
                alert.repeat_count,
                alert.began_at,
            ),
        )
        for one, alert in changed
    ]
    if not written:
        return
    rows, values = unnest_rows(_COLUMNS, written)
    names, chosen = ", ".join(_COLUMNS), ", ".join(f"x.{name}" for name in _COLUMNS)
    changes = ", ".join(f"{name} = excluded.{name}" for name in _CHANGING)
    statements.write(
        f"INSERT INTO alerts ({names}) SELECT {chosen} FROM {rows}"
        f" ON CONFLICT (incident_id, key) DO UPDATE SET {changes}",
        values,
    )


def of_incident(incident: Incident, states: Collection[str] | None = None) -> Any:
    """Returns the alerts of an incident, or those in these states."""
    query = IncidentAlert.select().where(IncidentAlert.incident_id == incident.id)
    return query if states is None else query.where(_state_of(incident).in_(states))


def _state_of(incident: Incident) -> Any:
    if incident.state == "resolved":
        return peewee.Value(str(ENDED))
    fires = (IncidentAlert.state == FIRING) & (IncidentAlert.round == incident.alert_round)
    return peewee.Case(None, [(fires, str(FIRING))], str(ENDED))


def present_state(alert: IncidentAlert, incident: Incident) -> str:
    """Returns the state of an alert, given its incident."""
    fires = alert.state == FIRING and alert.round == incident.alert_round and incident.state != "resolved"
    return str(FIRING if fires else ENDED)
