"""Deliveries for the delivery worker: locks of destinations, changes of status, and the results of attempts.

`due_at` of an unsettled delivery is the time of its next processing. The delivery is then sent or retried. After its
lease (`sending`), another worker claims it from a failed worker. A held delivery expires (`held`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal, ordered_by_index, unnest_rows
from inbox.models.deliveries.destination_state import DESTINATION_COLUMNS, DestinationState

UNSETTLED_STATUSES = "('pending', 'sending', 'retrying', 'held')"
"""Statuses of unsettled deliveries; the same text as in the partial indexes."""


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of an attempt. `due_at` is set for an unsettled delivery; `cause` is a word that may be shown.

    `requests` is the JSON of the sent requests, without secrets. `note` is for people who read the attempt.
    """

    id: UUID
    attempt: int
    status: str
    due_at: datetime | None
    cause: str | None
    status_code: int | None
    duration_ms: int
    error: str | None
    excerpt: str
    at: datetime
    requests: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class StatusChange:
    """An unsettled delivery whose status changed because of its destination."""

    id: UUID
    workspace_id: UUID
    attempt: int
    incident_id: UUID | None
    destination_id: UUID


# NO KEY: new deliveries refer to the destination, and their inserts do not wait for this lock.
_LOCK = (
    f"SELECT {DESTINATION_COLUMNS} FROM destinations d WHERE d.id = ANY(%(ids)s) ORDER BY d.id FOR NO KEY UPDATE OF d"
)


def lock(destination_ids: Iterable[UUID]) -> dict[UUID, DestinationState]:
    """Locks the destinations until the caller's transaction ends, in the order of their ids; omits unknown ones."""
    return {row[0]: DestinationState(*row) for row in _rows(_LOCK, ids=list(destination_ids))}


def read(destination_id: UUID) -> DestinationState:
    """Reads the destination without a lock, so its values may change at once."""
    ((*row,),) = _rows(f"SELECT {DESTINATION_COLUMNS} FROM destinations d WHERE d.id = %(id)s", id=destination_id)
    return DestinationState(*row)


def fail_tests(destination_ids: Sequence[UUID], cause: str, *, now: datetime) -> list[StatusChange]:
    """Fails the tests of these destinations whose lease ended. A test is attempted once."""
    return _change_status(
        "status = 'sending' AND reason = 'test' AND due_at <= %(now)s",
        "status = 'failed', cause = %(cause)s, due_at = NULL, settled_at = %(now)s",
        destination_ids,
        cause=cause,
        now=now,
    )


_HELD_UNTIL = "greatest(due_at, created_at + %(longest)s)"
"""The time at which a held delivery expires. A notice for a stopped destination is due at once, so its creation counts."""


def hold(destination_ids: Sequence[UUID], *, now: datetime, longest: timedelta, due_only: bool) -> list[StatusChange]:
    """Holds the unsettled deliveries of these stopped destinations; expires the ones that were held for this time.

    `due_only` selects due deliveries, including calls whose lease ended, but not deliveries that wait for quiet hours
    or a digest. Without it, all deliveries to be sent later are selected, except those in flight.
    """
    is_over = f"status = 'held' AND {_HELD_UNTIL} <= %(now)s"
    return _change_status(
        f"status IN {UNSETTLED_STATUSES} AND due_at <= %(now)s"
        " AND (status <> 'held' OR coalesce(cause, '') NOT IN ('quiet_hours', 'digest'))"
        if due_only
        else "status IN ('pending', 'retrying')",
        f"status = CASE WHEN {is_over} THEN 'expired' ELSE 'held' END, cause = 'stopped',"
        f" due_at = CASE WHEN {is_over} THEN NULL WHEN status = 'held' THEN {_HELD_UNTIL} ELSE %(now)s + %(longest)s END,"
        f" settled_at = CASE WHEN {is_over} THEN %(now)s END",
        destination_ids,
        now=now,
        longest=longest,
    )


def skip(destination_ids: Sequence[UUID], cause: str, *, now: datetime, due_only: bool) -> list[StatusChange]:
    """Skips the unsettled deliveries of these disabled or deleted destinations; `due_only` as in `hold`."""
    return _change_status(
        f"status IN {UNSETTLED_STATUSES} AND due_at <= %(now)s"
        if due_only
        else "status IN ('pending', 'retrying', 'held')",
        "status = 'skipped', cause = %(cause)s, due_at = NULL, settled_at = %(now)s",
        destination_ids,
        now=now,
        cause=cause,
    )


def release(
    destination_id: UUID, *, now: datetime, longest: timedelta, per_second: int
) -> tuple[list[StatusChange], list[datetime]]:
    """Makes the held deliveries of the stopped destination due; expires the ones that were held for this time.

    The oldest ones are due now, and `per_second` more with each second. Returns the changes and the times.
    """
    rows = _rows(
        f"""
        WITH line AS (
            SELECT id, {_HELD_UNTIL} <= %(now)s AS is_over,
                row_number() OVER (PARTITION BY {_HELD_UNTIL} <= %(now)s ORDER BY created_at, id) - 1 AS place
            FROM deliveries WHERE destination_id = %(id)s AND status = 'held' AND cause = 'stopped'
        )
        UPDATE deliveries d SET
            status = CASE WHEN line.is_over THEN 'expired'
                          WHEN attempt > 0 THEN 'retrying' ELSE 'pending' END,
            due_at = CASE WHEN NOT line.is_over
                          THEN %(now)s + line.place / %(per_second)s * interval '1 second' END,
            settled_at = CASE WHEN line.is_over THEN %(now)s END,
            cause = CASE WHEN line.is_over THEN cause END
        FROM line WHERE d.id = line.id AND d.status = 'held'
        RETURNING d.id, workspace_id, attempt, incident_id, destination_id, due_at
        """,
        id=destination_id,
        now=now,
        longest=longest,
        per_second=per_second,
    )
    return [StatusChange(*row[:-1]) for row in rows], sorted({row[-1] for row in rows if row[-1] is not None})


def still_claimed(claims: Sequence[tuple[UUID, int]]) -> set[UUID]:
    """Returns the ids of the claims (id, attempt) that the caller still owns: not reclaimed after the lease, not settled."""
    ids, attempts = zip(*claims, strict=True)
    found = db.execute_sql(
        "SELECT mine.place FROM unnest(%s::uuid[], %s::int[]) WITH ORDINALITY AS mine (id, attempt, place)"
        " JOIN deliveries d ON d.id = mine.id AND d.attempt = mine.attempt AND d.status = 'sending'"
        " FOR NO KEY UPDATE OF d",
        (array_literal(ids, unquoted=True), array_literal(attempts, unquoted=True)),
    )
    return {ids[position - 1] for (position,) in found.fetchall()}


_COLUMNS = {
    "id": "uuid",
    "number": "integer",
    "status": "text",
    "due_at": "timestamptz",
    "cause": "text",
    "status_code": "integer",
    "duration_ms": "integer",
    "error": "text",
    "excerpt": "text",
    "at": "timestamptz",
    "requests": "text",
    "note": "text",
}
_VALUES = attrgetter(*("attempt" if name == "number" else name for name in _COLUMNS))


def record_results(results: Sequence[AttemptResult], now: datetime) -> None:
    """Stores attempts and their results; the caller has locked the rows (`still_claimed`)."""
    values_of = [_VALUES(each) for each in results]
    rows, values = unnest_rows(_COLUMNS, values_of, "ending")
    db.execute_sql(
        f"""
        WITH ending AS (SELECT * FROM {rows}), ended AS (
            UPDATE deliveries d SET status = ending.status, due_at = ending.due_at, cause = ending.cause,
                lease_until = NULL, settled_at = CASE WHEN ending.due_at IS NULL THEN %s::timestamptz END
            FROM ending WHERE d.id = ending.id AND d.attempt = ending.number
        )
        INSERT INTO delivery_attempts (delivery_id, number, at, status_code, duration_ms, error, excerpt, requests, note)
        SELECT id, number, at, status_code, duration_ms, error, excerpt, requests, note FROM ending
        ON CONFLICT (delivery_id, number) DO NOTHING
        """,
        [*values, now],
    )


def fail_sent(delivery_id: UUID, number: int, cause: str, note: str, *, now: datetime) -> StatusChange | None:
    """Marks a delivery that this attempt sent as failed; None when it is not `sent`.

    The caller has locked its destination.
    """
    rows = _rows(
        """
        WITH failed AS (
            UPDATE deliveries SET status = 'failed', cause = %(cause)s, settled_at = %(now)s
            WHERE id = %(id)s AND attempt = %(number)s AND status = 'sent'
            RETURNING id, workspace_id, attempt, incident_id, destination_id
        ), noted AS (
            UPDATE delivery_attempts a SET error = %(cause)s, note = concat_ws(' ', a.note, %(note)s::text)
            FROM failed WHERE a.delivery_id = failed.id AND a.number = failed.attempt
        )
        SELECT * FROM failed
        """,
        id=delivery_id,
        number=number,
        cause=cause,
        note=note,
        now=now,
    )
    return StatusChange(*rows[0]) if rows else None


def defer_followers(retried: Sequence[UUID]) -> None:
    """Postpones the deliveries that wait behind these until these are due again."""
    ordered_by_index(
        """
        UPDATE deliveries d SET due_at = behind.due_at FROM (
            SELECT next.id, head.due_at FROM deliveries head CROSS JOIN LATERAL (
                SELECT id FROM deliveries
                WHERE destination_id = head.destination_id AND incident_id = head.incident_id AND seq > head.seq
                    AND status = 'pending' AND due_at < head.due_at AND (replay_of IS NULL) = (head.replay_of IS NULL)
                ORDER BY seq OFFSET 0
            ) next WHERE head.id = ANY(%(ids)s)
        ) behind WHERE d.id = behind.id RETURNING d.id
        """,
        {"ids": list(retried)},
    )


def advance_followers(ended: Sequence[UUID], now: datetime) -> None:
    """Makes the deliveries due that wait behind these settled ones."""
    ordered_by_index(
        """
        UPDATE deliveries d SET due_at = %(now)s FROM (
            SELECT next.id FROM deliveries head CROSS JOIN LATERAL (
                SELECT id FROM deliveries WHERE destination_id = head.destination_id AND incident_id = head.incident_id AND seq > head.seq
                    AND status = 'pending' AND due_at > %(now)s AND (replay_of IS NULL) = (head.replay_of IS NULL)
                ORDER BY seq OFFSET 0
            ) next WHERE head.id = ANY(%(ids)s)
        ) behind WHERE d.id = behind.id RETURNING d.id
        """,
        {"ids": list(ended), "now": now},
    )


def _change_status(which: str, change: str, destination_ids: Sequence[UUID], **values: Any) -> list[StatusChange]:
    rows = _rows(
        f"UPDATE deliveries SET {change}, lease_until = NULL WHERE destination_id = ANY(%(ids)s) AND {which}"
        " RETURNING id, workspace_id, attempt, incident_id, destination_id",
        ids=list(destination_ids),
        **values,
    )
    return [StatusChange(*row) for row in rows]


def _rows(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    return list(db.execute_sql(statement, values).fetchall())
