"""The rows that routing writes besides incidents: results, shared traces, counters, and events held back by `openAfter`.

Specification 4.10, 6.2 and 6.5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import AT_ONCE, Statements, array_literal, copy_rows, copy_value, unnest_rows
from inbox.domain.events.grouping import alert_key
from inbox.domain.events.validation import EventFlag
from inbox.domain.incidents.alerts import Alert
from inbox.domain.values.severity import Severity
from inbox.models.incidents import timers
from inbox.models.incidents.timers import TimerSpec
from inbox.models.routing.silences import EXPIRY_CHECK, IN_FLIGHT_GRACE


class SharedTrace(NamedTuple):
    """A routing trace (JSON) that many events share."""

    workspace_id: UUID
    id: UUID
    source_id: UUID
    record: str


class RoutingResult(NamedTuple):
    """The routing result of an event: disposition, incident and trace (JSON), or the id of a shared trace (`store_traces`).

    `event_id` is the text of the UUID.
    """

    workspace_id: UUID
    event_id: str
    disposition: str
    incident_id: UUID | None
    routing: str | None
    record_id: UUID | None = None


CounterKey = tuple[UUID, str]
"""A rule and a fingerprint."""


class DeferredEvent(NamedTuple):
    """An event that is held back: its time of receipt and its id. The id is None for rows of a version that did not
    store it. `alert` is the alert that it reports, if it is loaded."""

    at: datetime
    event_id: UUID | None
    alert: Alert | None = None


class MatchHour(NamedTuple):
    """The key of a count: a rule, or a silence, and an hour."""

    workspace_id: UUID
    rule_id: UUID
    hour: datetime


class MatchCount(NamedTuple):
    """The number of events, and the last time of receipt."""

    events: int
    last_at: datetime


def store_traces(records: Sequence[SharedTrace]) -> None:
    """Stores missing shared traces. Only the owner of the partition's lock stores the traces of its sources."""
    if not records:
        return
    columns = {"workspace_id": "uuid", "id": "uuid", "source_id": "uuid", "record": "text"}
    rows, values = unnest_rows(columns, records)
    db.execute_sql(
        f"INSERT INTO routing_traces ({', '.join(columns)}) SELECT x.workspace_id, x.id, x.source_id, x.record::json FROM {rows}"
        " ON CONFLICT DO NOTHING",
        values,
    )


_ROUTED = ("workspace_id", "event_id", "disposition", "incident_id", "trace", "trace_id")


def store_results(routed: Sequence[RoutingResult]) -> None:
    """Stores the routing results of events, one for each."""
    if routed:
        copy_rows("routed_events", _ROUTED, [_copy_line(one) for one in routed])


def count_deferred(events: Sequence[tuple[UUID, str, UUID]]) -> None:
    """Stores the incident of held-back events that are counted now: (workspace, event, incident)."""
    if events:
        rows, values = unnest_rows({"w": "uuid", "event_id": "uuid", "incident_id": "uuid"}, events)
        db.execute_sql(
            f"UPDATE routed_events r SET incident_id = x.incident_id FROM {rows}"
            " WHERE r.workspace_id = x.w AND r.event_id = x.event_id",
            values,
        )


def flag_late(events: Sequence[tuple[UUID, UUID]], statements: Statements = AT_ONCE) -> None:
    """Flags late events: (workspace, event). Nothing else changes a stored event."""
    if events:
        rows, values = unnest_rows({"w": "uuid", "event_id": "uuid"}, events)
        statements.write(
            f"UPDATE received_events e SET flags = array_append(e.flags, '{EventFlag.LATE}') FROM {rows}"
            " WHERE e.workspace_id = x.w AND e.id = x.event_id",
            values,
        )


def _copy_line(one: RoutingResult) -> str:
    trace = f"{copy_value(one.routing)}\t\\N" if one.record_id is None else f"\\N\t{one.record_id.int:032x}"
    return f"{copy_value(one.workspace_id)}\t{one.event_id}\t{one.disposition}\t{copy_value(one.incident_id)}\t{trace}"


def add_matches(partition: int, counts: Mapping[MatchHour, MatchCount], statements: Statements = AT_ONCE) -> None:
    """Adds the events of a partition that rules matched."""
    _add_hours("rule_matches", "rule_id", partition, counts, statements)


def add_costly(partition: int, counts: Mapping[MatchHour, MatchCount], statements: Statements = AT_ONCE) -> None:
    """Adds the events of a partition for which rules and silences were left out because of their cost (decision 0010)."""
    _add_hours("costly_matches", "match_id", partition, counts, statements)


def _add_hours(
    table: str, id_column: str, partition: int, counts: Mapping[MatchHour, MatchCount], statements: Statements
) -> None:
    """Adds counts by the hour. Each partition has its own rows, so that routers never wait for each other."""
    if not counts:
        return
    columns = {"workspace_id": "uuid", id_column: "uuid", "hour": "timestamptz", "events": "bigint"}
    rows, values = unnest_rows(
        {**columns, "last_at": "timestamptz"}, [(*hour, *count) for hour, count in counts.items()]
    )
    statements.write(
        f"INSERT INTO {table} AS m (workspace_id, {id_column}, hour, partition, events, last_at)"
        f" SELECT x.workspace_id, x.{id_column}, x.hour, %s, x.events, x.last_at FROM {rows}"
        f" ON CONFLICT ({id_column}, hour, partition) DO UPDATE"
        " SET events = m.events + excluded.events, last_at = greatest(m.last_at, excluded.last_at)",
        [partition, *values],
    )


def count_silenced(hits: Mapping[UUID, int], at: datetime, statements: Statements = AT_ONCE) -> None:
    """Counts events that silences covered, by silence, in their transaction; the incidents are locked before.

    A timer some time after the last hit finds incidents whose silence was already over.
    """
    if not hits:
        return
    rows, values = unnest_rows({"id": "uuid", "n": "bigint"}, sorted(hits.items()))
    # The silences are locked in the order of their ids, so that two batches never deadlock.
    found = statements.query(
        "WITH locked AS MATERIALIZED (SELECT s.id, x.n FROM silences s"
        f" JOIN {rows} ON s.id = x.id ORDER BY s.id FOR NO KEY UPDATE OF s)"
        " UPDATE silences s SET hits = s.hits + l.n, last_hit_at = greatest(s.last_hit_at, %s) FROM locked l"
        " WHERE s.id = l.id RETURNING s.id, s.workspace_id",
        (*values, at),
    )
    timers.set_many(
        [TimerSpec(EXPIRY_CHECK, id, workspace_id, at + IN_FLIGHT_GRACE) for id, workspace_id in found.fetchall()],
        statements,
    )


def load_deferred(
    missing: Mapping[CounterKey, int], recovered: Collection[str] = ()
) -> dict[CounterKey, tuple[DeferredEvent, ...]]:
    """Returns the held-back events of each of these counters and of the `recovered` fingerprints, in their order.

    `missing` is the number of events with which those of the batch open an incident. Only such events have alerts.
    """
    found: list[tuple[UUID, UUID, str, list[datetime], list[UUID]]] = []
    columns = "SELECT w.workspace_id, w.rule_id, w.fingerprint, w.seen_at, w.event_ids FROM"
    if missing:
        rows, values = unnest_rows({"rule_id": "uuid", "fingerprint": "text"}, list(missing), "k")
        found += db.execute_sql(
            f"{columns} {rows} JOIN open_after_counters w USING (rule_id, fingerprint)", values
        ).fetchall()
    if recovered:
        rows, values = unnest_rows({"fingerprint": "text"}, [(each,) for each in recovered], "k")
        found += db.execute_sql(f"{columns} {rows} JOIN open_after_counters w USING (fingerprint)", values).fetchall()
    opening = [
        (workspace_id, event_id)
        for workspace_id, rule_id, name, at, event_ids in found
        if len(at) >= missing.get((rule_id, name), len(at) + 1)
        for event_id in event_ids
    ]
    alerts = _alerts(opening) if opening else {}
    return {(rule_id, name): _deferred(at, event_ids, alerts) for _, rule_id, name, at, event_ids in found}


def _deferred(
    seen_at: Sequence[datetime], event_ids: Sequence[UUID], alerts: Mapping[UUID, Alert]
) -> tuple[DeferredEvent, ...]:
    if len(event_ids) != len(seen_at):
        return tuple(DeferredEvent(at, None) for at in seen_at)
    return tuple(DeferredEvent(at, id, alerts.get(id)) for at, id in zip(seen_at, event_ids, strict=True))


def _alerts(events: Sequence[tuple[UUID, UUID]]) -> dict[UUID, Alert]:
    """Returns the alerts that these events (workspace, event) report, each by its event."""
    rows, values = unnest_rows({"w": "uuid", "id": "uuid"}, events)
    found = db.execute_sql(
        "SELECT e.id, e.dedup_key, e.title, e.severity, e.received_at, nullif(e.occurred_at, e.received_at)"
        f" FROM {rows} JOIN received_events e ON e.workspace_id = x.w AND e.id = x.id",
        values,
    )
    return {id: _alert(*columns) for id, *columns in found.fetchall()}


def _alert(dedup_key: str | None, title: str, severity: str, at: datetime, began_at: datetime | None) -> Alert:
    return Alert(alert_key(dedup_key, title), title, Severity(severity), at, at, began_at=began_at)


def store_deferred(changed: Mapping[CounterKey, tuple[UUID, Sequence[DeferredEvent]]]) -> None:
    """Stores the held-back events with their workspaces; deletes the rows without any.

    Only the worker that routes the fingerprint's source writes these rows, so that no lock is contended.
    """
    empty_keys = [key for key, (_, deferred_events) in changed.items() if not deferred_events]
    counter_rows = [(w, *wait, *_columns(seen)) for wait, (w, seen) in changed.items() if seen]
    if empty_keys:
        rows, values = unnest_rows({"rule_id": "uuid", "fingerprint": "text"}, empty_keys, "k")
        db.execute_sql(
            f"DELETE FROM open_after_counters w USING {rows} WHERE w.rule_id = k.rule_id AND w.fingerprint = k.fingerprint",
            values,
        )
    if counter_rows:
        columns = {"workspace_id": "uuid", "rule_id": "uuid", "fingerprint": "text", "seen_at": "text"}
        rows, values = unnest_rows({**columns, "event_ids": "text", "last_at": "timestamptz"}, counter_rows)
        db.execute_sql(
            "INSERT INTO open_after_counters (workspace_id, rule_id, fingerprint, seen_at, event_ids, last_at) SELECT"
            f" x.workspace_id, x.rule_id, x.fingerprint, x.seen_at::timestamptz[], x.event_ids::uuid[], x.last_at FROM {rows}"
            " ON CONFLICT (rule_id, fingerprint) DO UPDATE"
            " SET seen_at = excluded.seen_at, event_ids = excluded.event_ids, last_at = excluded.last_at",
            values,
        )


def _columns(deferred: Sequence[DeferredEvent]) -> tuple[str, str, datetime]:
    """Returns the times, the ids, and the last time.

    If one id is missing, none is stored, because the reader compares the numbers.
    """
    ids = [one.event_id for one in deferred if one.event_id is not None]
    id_values = array_literal(ids if len(ids) == len(deferred) else [], unquoted=True)
    return array_literal([one.at for one in deferred], unquoted=True), id_values, max(one.at for one in deferred)
