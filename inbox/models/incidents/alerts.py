"""The alerts of incidents (specification 7.13): routing loads those of a batch and writes them at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import SeverityField, Table, TimestampField, db
from inbox.database.bulk_sql import AT_ONCE, Statements, array_literal, unnest_rows
from inbox.domain.events.grouping import alert_key
from inbox.domain.incidents.alerts import ENDED, FIRING, Alert, AlertState
from inbox.domain.values.severity import Severity
from inbox.models.incidents.lock import MAX_OF_KEY, IncidentRow
from inbox.models.incidents.tables import Incident


class IncidentAlert(Table):
    """What one key of the sender names inside an incident.

    The state counts only in the present `round` of an unresolved incident: an end of the incident writes no alert. The
    values of an incident with one alert stand for those of the alert.
    """

    id = peewee.UUIDField()
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
    search_text = peewee.TextField(null=True)

    class Meta:
        table_name = "alerts"
        primary_key = peewee.CompositeKey("incident_id", "id")


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
    "search_text": "text",
}
_CHANGING = (
    "title",
    "severity",
    "state",
    "round",
    "last_seen_at",
    "event_count",
    "repeat_count",
    "began_at",
    "search_text",
)


def load(
    single: Collection[UUID], named: Collection[tuple[UUID, UUID, str]], recoveries: Collection[tuple[UUID, str]]
) -> list[tuple[UUID, Alert]]:
    """Returns alerts, each with its incident.

    - the alerts of the `single` incidents, which have one
    - the `named` ones by (incident, source, key)
    - those of unresolved incidents that recoveries name by (source, key)
    """
    parts, values = list[str](), list[Any]()
    if single:
        parts.append(f"SELECT {_READ} FROM alerts a WHERE a.incident_id = ANY(%s::uuid[])")
        values.append(array_literal(single, unquoted=True))
    if named:
        rows, more = unnest_rows({"incident_id": "uuid", "source_id": "uuid", "key": "text"}, list(named), "k")
        same = " AND ".join(f"a.{name} = k.{name}" for name in ("source_id", "key", "incident_id"))
        parts.append(f"SELECT {_READ} FROM {rows} JOIN alerts a ON {same}")
        values += more
    if recoveries:
        rows, more = unnest_rows({"source_id": "uuid", "key": "text"}, list(recoveries), "d")
        parts.append(
            f"SELECT {_READ} FROM {rows} CROSS JOIN LATERAL (SELECT * FROM alerts a WHERE a.source_id = d.source_id"
            f" AND a.key = d.key ORDER BY a.incident_id DESC LIMIT {MAX_OF_KEY}) a"
            " JOIN incidents i ON i.id = a.incident_id AND i.state <> 'resolved'"
        )
        values += more
    found = db.execute_sql(" UNION ALL ".join(parts), values).fetchall() if parts else ()
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
                _search_text(one, alert),
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
        f" ON CONFLICT (source_id, key, incident_id) DO UPDATE SET {changes}",
        values,
    )


def _search_text(incident: IncidentRow, alert: Alert) -> str | None:
    """Returns the text by which the alert is found; None if the search row of the incident has it."""
    has_key = alert.key == incident.dedup_key or alert.key == alert_key(None, alert.title)
    return None if has_key and alert.title == incident.title else f"{alert.title}\x01{alert.key}"


def search_apart(incidents: Sequence[IncidentRow], statements: Statements = AT_ONCE) -> None:
    """Stores the texts of alerts that the search rows of these incidents lose by another title."""
    if incidents:
        statements.write(
            "UPDATE alerts a SET search_text = a.title || chr(1) || a.key FROM incidents i WHERE i.id = a.incident_id"
            " AND i.id = ANY(%s::uuid[]) AND a.search_text IS NULL AND a.title <> i.title",
            [array_literal([one.id for one in incidents], unquoted=True)],
        )


def of_incident(incident: Incident, states: Collection[str] | None = None) -> Any:
    """Returns the alerts of an incident, or those in these states."""
    query = IncidentAlert.select().where(IncidentAlert.incident_id == incident.id)
    return query if states is None else query.where(_state_of(incident).in_(states))


def urgency(incident: Incident) -> Any:
    """Returns the urgency of an alert as a number: those that fire first, then the most severe, then the last seen.

    No index has it, because an incident has at most `MAX_ALERTS`, and each event would change an index of the last time.
    """
    rank = peewee.fn.array_position(peewee.SQL("enum_range(NULL::severity)"), IncidentAlert.severity, coerce=False)
    fires = peewee.Case(None, [(_state_of(incident) == FIRING, len(Severity))], 0)
    microseconds = (peewee.fn.date_part("epoch", IncidentAlert.last_seen_at, coerce=False) * 1_000_000).cast("bigint")
    return (fires + rank) * _LATEST + microseconds


_LATEST = 2**52
"""More microseconds than a time has since 1970."""


def _state_of(incident: Incident) -> Any:
    if incident.state == "resolved":
        return peewee.Value(str(ENDED))
    fires = (IncidentAlert.state == FIRING) & (IncidentAlert.round == incident.alert_round)
    return peewee.Case(None, [(fires, str(FIRING))], str(ENDED))


def present(alert: IncidentAlert, incident: Incident) -> IncidentAlert:
    """Returns the alert with its present values, given its incident."""
    fires = alert.state == FIRING and alert.round == incident.alert_round
    if incident.alert_count == 1:
        alert.event_count, alert.last_seen_at = incident.event_count, incident.last_seen_at
        if fires:
            alert.severity = incident.last_severity
            alert.title = alert.title if incident.title_edited else incident.title
    alert.state = str(FIRING if fires and incident.state != "resolved" else ENDED)
    return alert
