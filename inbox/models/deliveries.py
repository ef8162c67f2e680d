"""Deliveries as the delivery worker sees them: set-based claims, and what is written when an answer has come.

`due_at` of a waiting delivery is when it is to be looked at next: to be sent, sent again, taken over from a worker that
died (`sending`: the end of its lease), or found too old (`held`). The index on it is all that a claim reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.models.base import db

WAITING = "('pending', 'sending', 'retrying', 'held')"
"""Statuses of what is not settled yet; spelled as in the partial indexes."""


@dataclass(frozen=True, slots=True)
class Addressee:
    """A destination as the holder of its lock sees it. `deleted` also when its workspace is."""

    id: UUID
    workspace_id: UUID
    kind: str
    config: Mapping[str, Any]
    sealed: bytes | None
    enabled: bool
    deleted: bool
    stopped_reason: str | None
    stopped_at: datetime | None
    refusals: int
    generation: int
    rev: int


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery that this worker alone may send until `lease_until`; `attempt` is its fence (decision 11)."""

    id: UUID
    workspace_id: UUID
    destination_id: UUID
    incident_id: UUID | None
    notice_id: UUID
    reason: str
    attempt: int
    created_at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Ending:
    """What an attempt came to. `due_at` is set for what waits on, `cause` is a word that may be shown."""

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


@dataclass(frozen=True, slots=True)
class Parked:
    """A waiting delivery whose status changed because of its destination."""

    id: UUID
    workspace_id: UUID
    attempt: int


_ADDRESSEE = """
    d.id, d.workspace_id, d.kind, d.config, d.sealed, d.enabled,
    d.deleted_at IS NOT NULL OR EXISTS (
        SELECT FROM workspaces w WHERE w.id = d.workspace_id AND w.deleted_at IS NOT NULL) AS deleted,
    d.stopped_reason, d.stopped_at, d.refusals, d.generation, d.rev
"""

_DUE = f"""
    WITH RECURSIVE first AS (
        (SELECT destination_id, due_at FROM deliveries WHERE status IN {WAITING}
         ORDER BY destination_id, due_at LIMIT 1)
        UNION ALL
        SELECT next.destination_id, next.due_at FROM first CROSS JOIN LATERAL (
            SELECT destination_id, due_at FROM deliveries
            WHERE status IN {WAITING} AND destination_id > first.destination_id
            ORDER BY destination_id, due_at LIMIT 1) next
    )
    SELECT destination_id FROM first WHERE due_at <= %(now)s
"""

_LOCK_DUE = f"""
    SELECT {_ADDRESSEE} FROM destinations d WHERE d.id = ANY(%(ids)s) ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
"""

_LOCK = f"SELECT {_ADDRESSEE} FROM destinations d WHERE d.id = ANY(%(ids)s) ORDER BY d.id FOR NO KEY UPDATE OF d"

_CLAIM = f"""
    WITH picked AS (
        SELECT head.id FROM unnest(%(destination_ids)s::uuid[]) AS open (destination_id) CROSS JOIN LATERAL (
            SELECT due.id, due.due_at, row_number() OVER (ORDER BY due.due_at, due.id) AS turn FROM (
                SELECT d.id, d.due_at FROM deliveries d
                WHERE d.destination_id = open.destination_id AND d.status IN {WAITING} AND d.due_at <= %(now)s
                    AND (d.status <> 'held' OR d.cause IS DISTINCT FROM 'quiet_hours')
                    AND (SELECT 1 FROM deliveries e
                         WHERE e.destination_id = d.destination_id AND e.incident_id = d.incident_id AND e.seq < d.seq
                             AND e.status IN {WAITING} AND (e.replay_of IS NULL) = (d.replay_of IS NULL)
                             AND (e.status <> 'held' OR e.cause IS DISTINCT FROM 'quiet_hours' OR e.due_at <= %(now)s)
                         LIMIT 1) IS NULL
                ORDER BY d.due_at, d.id
                LIMIT greatest(0, %(most)s - (
                    SELECT count(*) FROM deliveries s
                    WHERE s.destination_id = open.destination_id AND s.status = 'sending' AND s.due_at > %(now)s))
                FOR UPDATE OF d SKIP LOCKED
            ) due
        ) head
        ORDER BY head.turn, head.due_at, head.id LIMIT %(room)s
    )
    UPDATE deliveries d
    SET status = 'sending', attempt = d.attempt + 1, lease_until = %(lease_until)s, due_at = %(lease_until)s, cause = NULL
    FROM picked, notices n WHERE d.id = picked.id AND n.id = d.notice_id
    RETURNING d.id, d.workspace_id, d.destination_id, d.incident_id, d.notice_id, d.reason, d.attempt, d.created_at, n.body
"""


_END = """
    WITH ending AS (
        SELECT * FROM unnest(
            %(id)s::uuid[], %(number)s::int[], %(status)s::text[], %(due_at)s::timestamptz[], %(cause)s::text[],
            %(status_code)s::int[], %(duration_ms)s::int[], %(error)s::text[], %(excerpt)s::text[],
            %(at)s::timestamptz[]
        ) AS ending (id, number, status, due_at, cause, status_code, duration_ms, error, excerpt, at)
    ), ended AS (
        UPDATE deliveries d SET status = ending.status, due_at = ending.due_at, cause = ending.cause,
            lease_until = NULL, settled_at = CASE WHEN ending.due_at IS NULL THEN %(now)s END
        FROM ending WHERE d.id = ending.id AND d.attempt = ending.number
    )
    INSERT INTO delivery_attempts (delivery_id, number, at, status_code, duration_ms, error, excerpt)
    SELECT id, number, at, status_code, duration_ms, error, excerpt FROM ending
    ON CONFLICT (delivery_id, number) DO NOTHING
"""


def due_destinations(now: datetime) -> list[UUID]:
    """The destinations for which something is to be done: one index probe each, however much waits (decision 11)."""
    return [row[0] for row in _rows(_DUE, now=now)]


def lock_due(destination_ids: Sequence[UUID]) -> list[Addressee]:
    """Those of the destinations that nobody else holds, held by the caller's transaction.

    What a claim counts must be read after this, by another statement: a statement sees what was committed when it began.
    """
    return [Addressee(*row) for row in _rows(_LOCK_DUE, ids=list(destination_ids))]


def lock(destination_ids: Iterable[UUID]) -> dict[UUID, Addressee]:
    """The destinations, held by the caller's transaction, waited for in the order of their ids; unknown ones are left out."""
    return {row[0]: Addressee(*row) for row in _rows(_LOCK, ids=list(destination_ids))}


def read(destination_id: UUID) -> Addressee:
    """The destination, held by nobody: what it says may change at once."""
    ((*row,),) = _rows(f"SELECT {_ADDRESSEE} FROM destinations d WHERE d.id = %(id)s", id=destination_id)
    return Addressee(*row)


def claim(
    destination_ids: Sequence[UUID], *, now: datetime, lease_until: datetime, most: int, room: int
) -> list[Claimed]:
    """Take up to `room` due deliveries of destinations that the caller has locked, at most `most` in flight for each.

    Destinations take turns. Of one destination and incident only the first may go (replays are a line of their own);
    notices of no incident wait for nobody, and nothing waits for what quiet hours still hold (`models.quiet` lets that
    go). In the order in which they became due.
    """
    # A claim that a crash of the database forgets is made again, with the same webhook-id: not worth waiting for a disk.
    db.execute_sql("SET LOCAL synchronous_commit = off")
    rows = _rows(_CLAIM, destination_ids=list(destination_ids), now=now, lease_until=lease_until, most=most, room=room)
    return [Claimed(*row) for row in rows]


def hold(destination_ids: Sequence[UUID], *, now: datetime, oldest: datetime, due_only: bool) -> list[Parked]:
    """What waits for these stopped destinations is held; what was created before `oldest` is expired.

    `due_only` takes what is due, a call included whose lease ended; without it, all that is to be sent at some time and
    not being sent now.
    """
    return _park(
        f"status IN {WAITING} AND due_at <= %(now)s" if due_only else "status IN ('pending', 'retrying')",
        "status = CASE WHEN created_at <= %(oldest)s THEN 'expired' ELSE 'held' END, cause = 'stopped',"
        " due_at = CASE WHEN created_at > %(oldest)s THEN created_at + (%(now)s - %(oldest)s) END,"
        " settled_at = CASE WHEN created_at <= %(oldest)s THEN %(now)s END",
        destination_ids,
        now=now,
        oldest=oldest,
    )


def skip(destination_ids: Sequence[UUID], cause: str, *, now: datetime, due_only: bool) -> list[Parked]:
    """What waits for these disabled or deleted destinations is never sent; `due_only` as in `hold`."""
    return _park(
        f"status IN {WAITING} AND due_at <= %(now)s" if due_only else "status IN ('pending', 'retrying', 'held')",
        "status = 'skipped', cause = %(cause)s, due_at = NULL, settled_at = %(now)s",
        destination_ids,
        now=now,
        cause=cause,
    )


def release(destination_id: UUID, *, now: datetime, oldest: datetime) -> list[Parked]:
    """What was held because the destination was stopped is due, in its order; what is older than `oldest` is expired."""
    rows = _rows(
        """
        UPDATE deliveries SET
            status = CASE WHEN created_at <= %(oldest)s THEN 'expired'
                          WHEN attempt > 0 THEN 'retrying' ELSE 'pending' END,
            due_at = CASE WHEN created_at > %(oldest)s THEN %(now)s END,
            settled_at = CASE WHEN created_at <= %(oldest)s THEN %(now)s END,
            cause = CASE WHEN created_at <= %(oldest)s THEN cause END
        WHERE destination_id = %(id)s AND status = 'held' AND cause = 'stopped'
        RETURNING id, workspace_id, attempt
        """,
        id=destination_id,
        now=now,
        oldest=oldest,
    )
    return [Parked(*row) for row in rows]


def still_claimed(claims: Iterable[tuple[UUID, int]]) -> set[UUID]:
    """Which of these (id, attempt) are still the caller's: not taken over after their lease ended, not settled."""
    ids, attempts = _columns(claims, 2)
    rows = _rows(
        "SELECT d.id FROM unnest(%(ids)s::uuid[], %(attempts)s::int[]) AS mine (id, attempt)"
        " JOIN deliveries d ON d.id = mine.id AND d.attempt = mine.attempt AND d.status = 'sending'"
        " FOR NO KEY UPDATE OF d",
        ids=ids,
        attempts=attempts,
    )
    return {row[0] for row in rows}


def end(endings: Sequence[Ending], now: datetime) -> None:
    """Write what attempts came to, and the attempts themselves; the caller holds the rows (`still_claimed`)."""
    places = ["id", "number", "status", "due_at", "cause", "status_code", "duration_ms", "error", "excerpt", "at"]
    columns = _columns(
        (
            (e.id, e.attempt, e.status, e.due_at, e.cause, e.status_code, e.duration_ms, e.error, e.excerpt, e.at)
            for e in endings
        ),
        len(places),
    )
    _run(_END, now=now, **dict(zip(places, columns, strict=True)))


def wait_behind(retried: Sequence[UUID]) -> None:
    """What waits behind these need not be looked at before they are due again."""
    _run(
        """
        UPDATE deliveries d SET due_at = head.due_at FROM deliveries head
        WHERE head.id = ANY(%(ids)s) AND d.destination_id = head.destination_id AND d.incident_id = head.incident_id
            AND d.seq > head.seq AND d.status = 'pending' AND d.due_at < head.due_at
            AND (d.replay_of IS NULL) = (head.replay_of IS NULL)
        """,
        ids=list(retried),
    )


def _park(which: str, change: str, destination_ids: Sequence[UUID], **values: Any) -> list[Parked]:
    rows = _rows(
        f"UPDATE deliveries SET {change}, lease_until = NULL WHERE destination_id = ANY(%(ids)s) AND {which}"
        " RETURNING id, workspace_id, attempt",
        ids=list(destination_ids),
        **values,
    )
    return [Parked(*row) for row in rows]


def _columns(rows: Iterable[tuple[Any, ...]], width: int) -> list[list[Any]]:
    listed = list(rows)
    return [[row[place] for row in listed] for place in range(width)]


def _rows(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    return list(db.execute_sql(statement, values).fetchall())


def _run(statement: str, **values: Any) -> None:
    db.execute_sql(statement, values)
