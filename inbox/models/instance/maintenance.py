"""Queries and deletions of the sweep and the purge. Every deletion is a small batch with few and short locks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal, ordered_by_index, unnest_rows

SWEEP_LOCK = 0x05EE9

AUDIT_LOG = "audit_log"
"""The services' role may not delete from this table: functions of the database remove its rows."""


def try_sweep_lock() -> bool:
    """Takes the sweep lock until the transaction ends; returns False when another process is sweeping."""
    return bool(db.execute_sql("SELECT pg_try_advisory_xact_lock(%s)", (SWEEP_LOCK,)).fetchone()[0])


def remove_changes(before: datetime, limit: int = 1_000) -> int:
    """Removes the oldest references of the change feed; returns the number of rows."""
    return _delete(
        "DELETE FROM change_feed WHERE seq IN (SELECT seq FROM (SELECT seq, at FROM change_feed ORDER BY seq LIMIT %s) oldest"
        " WHERE at < %s)",
        limit,
        before,
    )


SHORT_LIVED = {
    "consumed_tokens": "expires_at",
    "links": "expires_at",
    "trusted_browsers": "expires_at",
    "device_pairings": "expires_at",
    "device_tokens": "expires_at",
    "undo_tokens": "expires_at",
    "rule_previews": "expires_at",
    "mail_outbox": "coalesce(sent_at, failed_at)",
}
"""Tables of short-lived rows, each with the time from which a row is useless."""


def _delete(statement: str, *values: object) -> int:
    return int(db.execute_sql(statement, values).rowcount)


KEYS = {
    "received_events": ("workspace_id", "id"),
    "routed_events": ("workspace_id", "event_id"),
    "routing_traces": ("workspace_id", "id"),
}
"""The keys of partitioned tables: rows of two partitions may have the same `ctid`."""


@dataclass(frozen=True, slots=True)
class PurgeBatch:
    """Rows of `table` (`t` in the condition) to remove, `limit` at a time; fewer where a row has many dependents.

    `function` removes them where the services' role may not; it takes the values and the number of rows.
    """

    table: str
    where: str
    values: tuple[Any, ...] = ()
    limit: int = 500
    function: str = ""

    def run(self, limit: int) -> int:
        """Removes up to `limit` rows in the caller's transaction, skipping locked ones; returns their number."""
        # A crash of the database may lose a batch, and the next run repeats it. So the commit need not wait for the disk.
        db.execute_sql("SET LOCAL synchronous_commit = off")
        # SKIP LOCKED does not cover dependent rows: a cascade to a locked one would wait, and hold the locks of the batch.
        db.execute_sql("SET LOCAL lock_timeout = '100ms'")
        if self.function:
            given = (*self.values, min(limit, self.limit))
            return int(db.execute_sql(f"SELECT {self.function}({', '.join(['%s'] * len(given))})", given).fetchone()[0])
        return _delete(self._statement(), *self.values, min(limit, self.limit))

    def _statement(self) -> str:
        some = f"FROM {self.table} t WHERE {self.where} LIMIT %s FOR UPDATE SKIP LOCKED"
        if self.table not in KEYS:
            return f"DELETE FROM {self.table} WHERE ctid = ANY(ARRAY(SELECT t.ctid {some}))"
        keys = ", ".join(KEYS[self.table])
        return f"DELETE FROM {self.table} WHERE ({keys}) IN (SELECT {keys} {some})"

    def count(self) -> int:
        """Returns the number of rows to remove."""
        statement = f"SELECT count(*) FROM {self.table} t WHERE {self.where}"
        return int(db.execute_sql(statement, self.values or None).fetchone()[0])


@dataclass(frozen=True, slots=True)
class SourceEvents:
    """The events of a source to remove, each with its result and its place in the queue. Only events are counted."""

    workspace_id: UUID
    source_id: UUID
    table: ClassVar[str] = "received_events"
    limit: ClassVar[int] = 500

    def run(self, limit: int) -> int:
        """Does the same as `PurgeBatch.run`."""
        db.execute_sql("SET LOCAL synchronous_commit = off")
        db.execute_sql("SET LOCAL lock_timeout = '100ms'")
        these = array_literal(self._some(min(limit, self.limit)), unquoted=True)
        for table, more in (("event_queue", " AND repeated_at IS NULL"), ("routed_events", "")):
            _delete(
                f"DELETE FROM {table} WHERE workspace_id = %s AND event_id = ANY(%s::uuid[]){more}",
                self.workspace_id,
                these,
            )
        return _delete(
            "DELETE FROM received_events WHERE workspace_id = %s AND id = ANY(%s::uuid[])", self.workspace_id, these
        )

    def count(self) -> int:
        """Returns the number of events to remove."""
        statement = "SELECT count(*) FROM received_events WHERE workspace_id = %s AND source_id = %s"
        return int(db.execute_sql(statement, (self.workspace_id, self.source_id)).fetchone()[0])

    def _some(self, limit: int) -> list[UUID]:
        source_id = self.source_id
        return [row[0] for row in ordered_by_index(SOME_EVENTS, (self.workspace_id, source_id, source_id, limit))]


# The range of one source and the order by it leave the planner no index but `events_source`. With `=`, the primary key
# has the order as well, and a scan of it reads the events of all other sources.
SOME_EVENTS = (
    "SELECT id FROM received_events WHERE workspace_id = %s AND source_id BETWEEN %s AND %s"
    " ORDER BY source_id, id LIMIT %s FOR UPDATE SKIP LOCKED"
)


@dataclass(frozen=True, slots=True)
class RetentionCutoffs:
    """The oldest data that a workspace keeps.

    The first kept ids apply to events, their shared traces, deliveries and audit entries. Incidents that were resolved
    after `resolved_after` are kept.
    """

    workspace_id: UUID
    first_event: UUID
    first_record: UUID
    resolved_after: datetime
    first_delivery: UUID
    first_entry: UUID


def over_retention(cutoffs: Sequence[RetentionCutoffs]) -> list[RetentionCutoffs]:
    """Returns the cutoffs of the workspaces with rows to remove; a few index probes for each, in one statement."""
    columns = {
        "id": "uuid",
        "event": "uuid",
        "record": "uuid",
        "resolved": "timestamptz",
        "delivery": "uuid",
        "entry": "uuid",
    }
    rows, values = unnest_rows(
        columns,
        [
            (k.workspace_id, k.first_event, k.first_record, k.resolved_after, k.first_delivery, k.first_entry)
            for k in cutoffs
        ],
    )
    found = db.execute_sql(
        f"""
        SELECT x.id FROM {rows} WHERE
            EXISTS (SELECT FROM received_events e WHERE e.workspace_id = x.id AND e.id < x.event)
            OR EXISTS (SELECT FROM heartbeat_pings p WHERE p.workspace_id = x.id AND p.id < x.event)
            OR EXISTS (SELECT FROM heartbeat_flips f WHERE f.workspace_id = x.id AND f.id < x.event)
            OR EXISTS (SELECT FROM routing_traces r WHERE r.workspace_id = x.id AND r.id < x.record)
            OR EXISTS (SELECT FROM incidents i WHERE i.workspace_id = x.id AND i.state = 'resolved'
                AND i.resolved_at < x.resolved)
            OR EXISTS (SELECT FROM silences s WHERE s.workspace_id = x.id AND s.deleted_at IS NULL
                AND s.ends_at < x.resolved)
            OR EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = x.id AND d.id < x.delivery)
            OR EXISTS (SELECT FROM notices n WHERE n.workspace_id = x.id AND n.id < x.delivery)
            OR EXISTS (SELECT FROM audit_log a WHERE a.workspace_id = x.id AND a.id < x.entry)
        """,
        values,
    ).fetchall()
    workspace_ids = {row[0] for row in found}
    return [each for each in cutoffs if each.workspace_id in workspace_ids]


def retention(*, even_deleted: bool = False) -> list[tuple[UUID, dict[str, Any]]]:
    """Returns the workspaces, each with its stored settings; deleted ones, which can be restored, only if asked."""
    condition = "" if even_deleted else " WHERE deleted_at IS NULL"
    return list(db.execute_sql(f"SELECT id, settings FROM workspaces{condition} ORDER BY id").fetchall())


def deleted_ids(table: str, before: datetime) -> list[UUID]:
    """Returns the ids of rows deleted before a time, in one of the tables with a deletion mark."""
    found = db.execute_sql(f"SELECT id FROM {table} WHERE deleted_at < %s ORDER BY deleted_at LIMIT 1000", (before,))
    return [row[0] for row in found.fetchall()]


def workspaces_of_source(source_id: UUID) -> list[UUID]:
    """Returns the workspace of the source; none when the source no longer exists."""
    return [row[0] for row in db.execute_sql("SELECT workspace_id FROM sources WHERE id = %s", (source_id,)).fetchall()]


def some_incidents(where: str, values: tuple[Any, ...], most: int = 20) -> list[UUID]:
    """Returns the ids of a few incidents (`t`) that fulfil this condition."""
    return [row[0] for row in db.execute_sql(f"SELECT t.id FROM incidents t WHERE {where} LIMIT %s", (*values, most))]
