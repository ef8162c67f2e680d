"""What the sweep and the purge ask and remove; every removal is a small batch that locks little and not for long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.models.sql.base import db
from inbox.models.sql.bulk_sql import unnest_rows

SWEEP_LOCK = 0x05EE9

AUDIT_LOG = "audit_log"
"""The role of the services may not delete from it: functions of the database remove its rows."""


def try_sweep_lock() -> bool:
    """Whether no other process is sweeping right now; true until the transaction ends."""
    return bool(db.execute_sql("SELECT pg_try_advisory_xact_lock(%s)", (SWEEP_LOCK,)).fetchone()[0])


def remove_changes(before: datetime, limit: int = 1_000) -> int:
    """Remove the oldest references of the feed; answers how many rows."""
    return _removed(
        "DELETE FROM change_feed WHERE seq IN (SELECT seq FROM (SELECT seq, at FROM change_feed ORDER BY seq LIMIT %s) oldest"
        " WHERE at < %s)",
        limit,
        before,
    )


SHORT_LIVED = {
    "consumed_tokens": "expires_at",
    "links": "expires_at",
    "device_pairings": "expires_at",
    "device_tokens": "expires_at",
    "undo_tokens": "expires_at",
    "rule_previews": "expires_at",
    "mail_outbox": "coalesce(sent_at, failed_at)",
}
"""Tables of what is good for a time only, each with the moment from which it is of no use."""


def _removed(statement: str, *values: Any) -> int:
    return int(db.execute_sql(statement, values).rowcount)


@dataclass(frozen=True, slots=True)
class PurgeBatch:
    """Rows of `table` (`t` in the condition) that may go; `limit` at a time, fewer where much goes with each.

    `function` removes them where the role of the services may not; it takes the values and how many.
    """

    table: str
    where: str
    values: tuple[Any, ...] = ()
    limit: int = 500
    function: str = ""

    def run(self, limit: int) -> int:
        """Remove up to `limit` of them in the caller's transaction, passing over what others hold; answers how many."""
        db.execute_sql("SET LOCAL synchronous_commit = off")
        db.execute_sql("SET LOCAL lock_timeout = '100ms'")
        if self.function:
            given = (*self.values, min(limit, self.limit))
            return int(db.execute_sql(f"SELECT {self.function}({', '.join(['%s'] * len(given))})", given).fetchone()[0])
        return _removed(
            f"DELETE FROM {self.table} WHERE ctid = ANY(ARRAY("
            f"SELECT t.ctid FROM {self.table} t WHERE {self.where} LIMIT %s FOR UPDATE SKIP LOCKED))",
            *self.values,
            min(limit, self.limit),
        )

    def count(self) -> int:
        """How many there are."""
        statement = f"SELECT count(*) FROM {self.table} t WHERE {self.where}"
        return int(db.execute_sql(statement, self.values or None).fetchone()[0])


@dataclass(frozen=True, slots=True)
class RetentionCutoffs:
    """What a workspace keeps: events from this id on and the records that they share, incidents resolved after,
    deliveries and entries from these ids on."""

    workspace_id: UUID
    first_event: UUID
    first_record: UUID
    resolved_after: datetime
    first_delivery: UUID
    first_entry: UUID


def over_retention(cutoffs: Sequence[RetentionCutoffs]) -> list[RetentionCutoffs]:
    """Those of the workspaces that have something to remove; a few probes of an index for each, in one statement."""
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
    wanted = {row[0] for row in found}
    return [each for each in cutoffs if each.workspace_id in wanted]


def retention() -> list[tuple[UUID, dict[str, Any]]]:
    """The workspaces that are not deleted, each with its stored settings."""
    return list(db.execute_sql("SELECT id, settings FROM workspaces WHERE deleted_at IS NULL ORDER BY id").fetchall())


def deleted(table: str, before: datetime) -> list[UUID]:
    """What was deleted before, in one of the tables that only mark it."""
    found = db.execute_sql(f"SELECT id FROM {table} WHERE deleted_at < %s ORDER BY deleted_at LIMIT 1000", (before,))
    return [row[0] for row in found.fetchall()]


def some_incidents(where: str, values: tuple[Any, ...], most: int = 20) -> list[UUID]:
    """A few incidents (`t`) of this condition."""
    return [row[0] for row in db.execute_sql(f"SELECT t.id FROM incidents t WHERE {where} LIMIT %s", (*values, most))]
