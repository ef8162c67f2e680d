"""Claims of deliveries: the destinations with due deliveries, their locks, and a fair share for each destination."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import UuidCache, ordered_by_index, unnest_rows
from inbox.domain.deliveries.storms import Admission
from inbox.models.deliveries import storms
from inbox.models.deliveries.destination_state import DESTINATION_COLUMNS, DestinationState
from inbox.models.deliveries.results import UNSETTLED_STATUSES


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery that only this worker may send until `lease_until`; `attempt` is its fence (specification 9.6).

    `reference` is stored by an earlier message of the incident at the destination. `last_cause` is the cause of the
    last attempt, if this is a retry. `is_outdated`: a replay whose incident has a newer notice at the destination.
    """

    id: UUID
    workspace_id: UUID
    destination_id: UUID
    notice_id: UUID
    reason: str
    attempt: int
    created_at: datetime
    body: str
    incident_id: UUID | None = None
    last_cause: str | None = None
    is_outdated: bool = False
    is_replay: bool = False
    reference: Mapping[str, Any] = field(default_factory=dict)


class LockedDestination(NamedTuple):
    """A locked destination.

    Its flags: quiet hours defer one of its deliveries, one waits for a digest, and a test is in flight.
    """

    state: DestinationState
    has_deferred: bool
    has_gathering: bool
    has_test: bool


class Reserve(NamedTuple):
    """The slots that a claim keeps for destinations without an open call: one call each, beyond the first `unreserved` calls.

    `holders` are the destinations that have open calls in this worker, or were slow.
    """

    holders: Container[UUID]
    unreserved: int


NO_RESERVE = Reserve((), sys.maxsize)

_DUE = f"""
    WITH RECURSIVE first AS (
        (SELECT destination_id, due_at FROM deliveries WHERE status IN {UNSETTLED_STATUSES}
         ORDER BY destination_id, due_at LIMIT 1)
        UNION ALL
        SELECT next.destination_id, next.due_at FROM first CROSS JOIN LATERAL (
            SELECT destination_id, due_at FROM deliveries
            WHERE status IN {UNSETTLED_STATUSES} AND destination_id > first.destination_id
            ORDER BY destination_id, due_at LIMIT 1) next
    )
    SELECT destination_id FROM first WHERE due_at <= %(now)s
"""

# A crash of the database can lose a claim. The delivery is then claimed again with the same webhook-id. Waiting for a
# disk write is therefore not worthwhile. A synchronous standby is worth the wait: a notice is visible before the standby
# has it if its commit was interrupted. A failover would lose this notice, and routing would send it under another id.
_LOCK_DUE = f"""
    SELECT set_config('synchronous_commit', 'off', true) WHERE current_setting('synchronous_standby_names') = '';
    SELECT {DESTINATION_COLUMNS}, (
        SELECT 1 FROM deliveries q WHERE q.destination_id = d.id AND q.status = 'held' AND q.cause = 'quiet_hours'
        ORDER BY q.incident_id LIMIT 1) IS NOT NULL, (
        SELECT 1 FROM deliveries q WHERE q.destination_id = d.id AND q.status = 'held' AND q.cause = 'digest'
        ORDER BY q.due_at LIMIT 1) IS NOT NULL, (
        SELECT 1 FROM deliveries q WHERE q.destination_id = d.id AND q.status = 'sending' AND q.reason = 'test'
        ORDER BY q.due_at LIMIT 1) IS NOT NULL
    FROM destinations d WHERE d.id = ANY(%(ids)s::uuid[]) ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
"""

# The query does not sort (see `ordered_by_index`): `_round_robin` computes the order.
_FIRST_DUE = f"""
    SELECT open.destination_id::text, busy.calls, due.id::text, due.status, due.attempt, due.cause, due.due_at
    FROM unnest(%(ids)s::uuid[]) AS open (destination_id)
    CROSS JOIN LATERAL (
        SELECT count(*) AS calls FROM deliveries s
        WHERE s.destination_id = open.destination_id AND s.status = 'sending' AND s.due_at > %(now)s
    ) busy
    CROSS JOIN LATERAL (
        SELECT d.id, d.due_at, d.status, d.attempt, d.cause FROM deliveries d
        WHERE d.destination_id = open.destination_id AND d.status IN {UNSETTLED_STATUSES} AND d.due_at <= %(now)s
            AND (d.status <> 'held' OR coalesce(d.cause, '') NOT IN ('quiet_hours', 'digest'))
            AND (SELECT 1 FROM deliveries e
                 WHERE e.destination_id = d.destination_id AND e.incident_id = d.incident_id AND e.seq < d.seq
                     AND e.status IN {UNSETTLED_STATUSES} AND (e.replay_of IS NULL) = (d.replay_of IS NULL)
                     AND (e.status <> 'held' OR coalesce(e.cause, '') NOT IN ('quiet_hours', 'digest')
                         OR (e.cause = 'quiet_hours' AND e.due_at <= %(now)s))
                 ORDER BY e.seq LIMIT 1) IS NULL
        ORDER BY d.due_at
        LIMIT greatest(0, %(most)s - busy.calls)
    ) due
"""

# The statement reads only these rows, whatever the statistics are. A planner that assumes an empty table could
# otherwise read all deliveries first. A join with notices, or a statement without the list of ids, would allow that. The
# order by incident and id leaves only the index of them to look for newer deliveries (see `ordered_by_index`).
_CLAIM = """
    UPDATE deliveries d
    SET status = 'sending', attempt = d.attempt + 1, lease_until = %s, due_at = %s, cause = NULL
    FROM {picked}
    WHERE d.id = ANY(%s::uuid[]) AND d.id = picked.id AND d.status = picked.status AND d.attempt = picked.attempt
    RETURNING d.id::text, d.workspace_id::text, d.destination_id::text, d.notice_id::text, d.reason,
        d.attempt, d.created_at, (SELECT n.body FROM notices n WHERE n.id = d.notice_id),
        d.incident_id, CASE picked.status WHEN 'retrying' THEN picked.cause END,
        CASE WHEN d.replay_of IS NULL OR d.incident_id IS NULL THEN false ELSE (
            SELECT 1 FROM deliveries e
            WHERE e.incident_id BETWEEN d.incident_id AND d.incident_id AND e.destination_id = d.destination_id
                AND e.seq > d.seq AND e.status NOT IN ('skipped', 'expired')
            ORDER BY e.incident_id, e.id LIMIT 1) IS NOT NULL END,
        d.replay_of IS NOT NULL
"""


def due_destinations(now: datetime) -> list[UUID]:
    """Returns the destinations with due deliveries. Each destination costs one index probe, however many deliveries wait.

    Specification 9.9.
    """
    return [row[0] for row in db.execute_sql(_DUE, {"now": now}).fetchall()]


def next_due_of(destination_ids: Sequence[UUID], after: datetime) -> datetime | None:
    """Returns the next due time of a delivery of these destinations after this time; None when no such delivery waits."""
    found = db.execute_sql(
        f"SELECT min(due_at) FROM deliveries WHERE destination_id = ANY(%s::uuid[]) AND status IN {UNSETTLED_STATUSES}"
        " AND due_at > %s",
        (list(destination_ids), after),
    ).fetchone()[0]
    return found


def is_any_due(destination_ids: Sequence[UUID], now: datetime) -> bool:
    """Returns whether a delivery of these destinations is due."""
    found = db.execute_sql(
        f"SELECT EXISTS (SELECT 1 FROM deliveries WHERE destination_id = ANY(%s::uuid[]) AND status IN {UNSETTLED_STATUSES}"
        " AND due_at <= %s)",
        (list(destination_ids), now),
    )
    return bool(found.fetchone()[0])


def lock_due(destination_ids: Sequence[UUID]) -> list[LockedDestination]:
    """Locks the destinations that no other transaction has locked, until the caller's transaction ends.

    The caller's transaction must serve only a claim. Read the rows for a claim after this call, in another statement. A
    statement sees only commits from before its start.
    """
    found = ordered_by_index(_LOCK_DUE, {"ids": list(destination_ids)})
    return [LockedDestination(DestinationState(*row[:-3]), *row[-3:]) for row in found]


def claim(
    destination_ids: Sequence[UUID],
    *,
    now: datetime,
    lease_until: datetime,
    per_destination: int,
    room: int,
    reserve: Reserve = NO_RESERVE,
) -> list[ClaimedDelivery]:
    """Claims up to `room` due deliveries of locked destinations (`lock_due`), at most `per_destination` in flight for each.

    Destinations take turns, those with the fewest open calls first, then in the order of due times. For one destination
    and incident only the first delivery may be claimed; replays form a separate sequence. Notices without an incident
    are independent. Deliveries that wait for quiet hours or a digest block no other delivery (`deliveries.deferred`
    releases them). The claim keeps the `reserve`.
    """
    selected = {"ids": list(destination_ids), "now": now, "most": per_destination}
    uuids = UuidCache()  # of the few destinations; the ids of the rows remain texts, as most are not claimed
    first_due = [(uuids[id], *row) for id, *row in ordered_by_index(_FIRST_DUE, selected)]
    return _claim(_round_robin(first_due, reserve)[:room], lease_until)


def claim_most_urgent(
    admissions: Sequence[Admission], *, now: datetime, lease_until: datetime, room: int, reserve: Reserve = NO_RESERVE
) -> list[ClaimedDelivery]:
    """Claims the most urgent admitted delivery of each of these locked destinations, as `claim` does for others."""
    first_due = storms.most_urgent(admissions, now)
    return _claim(_round_robin(first_due, reserve)[:room], lease_until)


def _claim(picked: Sequence[tuple[Any, ...]], lease_until: datetime) -> list[ClaimedDelivery]:
    if not picked:
        return []
    rows, values = unnest_rows(
        {"id": "uuid", "status": "text", "attempt": "integer", "cause": "text"}, picked, "picked"
    )
    ids = [delivery_id for delivery_id, *_ in picked]
    claimed = ordered_by_index(_CLAIM.format(picked=rows), (lease_until, lease_until, *values, ids))
    uuids = UuidCache()
    return [
        ClaimedDelivery(UUID(id), uuids[workspace_id], uuids[destination_id], uuids[notice_id], *remaining)
        for id, workspace_id, destination_id, notice_id, *remaining in claimed
    ]


def postpone(destination_id: UUID, until: datetime) -> None:
    """Stores the earliest time of the next call to a locked destination. An earlier call does not shorten a pause.

    No pause is longer than an hour. A stored time more than five minutes beyond comes from a clock that ran fast, and
    is replaced.
    """
    db.execute_sql(
        "UPDATE destinations SET next_call_at = CASE WHEN next_call_at <= %s + interval '65 minutes'"
        " THEN greatest(next_call_at, %s) ELSE %s END WHERE id = %s",
        (until, until, until, destination_id),
    )


def postpone_others(
    destination_id: UUID, kind: str, until: datetime, *, spread: timedelta, now: datetime
) -> set[datetime]:
    """Postpones the next calls of the other destinations of this kind; returns the times of these calls.

    The times are random in the spread after `until`, so that not all destinations call at once. A destination that
    already pauses keeps its time. Otherwise one destination with repeated refusals would hold up all others. A locked
    destination is skipped, because waiting for it could end in a deadlock.
    """
    rows = db.execute_sql(
        """
        UPDATE destinations d
        SET next_call_at = %(until)s + floor(random() * %(spread)s) * interval '1 second'
        FROM (SELECT id FROM destinations WHERE kind = %(kind)s AND deleted_at IS NULL AND id <> %(own)s
              AND (next_call_at IS NULL OR next_call_at <= %(now)s) FOR NO KEY UPDATE SKIP LOCKED) other
        WHERE d.id = other.id RETURNING next_call_at
        """,
        {"own": destination_id, "kind": kind, "until": until, "spread": spread.total_seconds(), "now": now},
    )
    return {row[0] for row in rows.fetchall()}


def _round_robin(first_due: list[tuple[Any, ...]], reserve: Reserve) -> list[tuple[Any, ...]]:
    """Orders the first call of every destination, then the second of each, and so on.

    Within a round the due time decides. Open calls count. Calls that would use the `reserve` without being entitled to
    it are left out.
    """
    counts: Counter[UUID] = Counter()
    found = []
    for destination_id, open_calls, *picked, due_at in first_due:
        counts[destination_id] += 1
        is_entitled = counts[destination_id] == 1 and destination_id not in reserve.holders
        found.append((open_calls + counts[destination_id], due_at, tuple(picked), is_entitled))
    ordered: list[tuple[Any, ...]] = []
    for _, _, one, is_entitled in sorted(found, key=itemgetter(0, 1)):
        if is_entitled or len(ordered) < reserve.unreserved:
            ordered.append(one)
    return ordered
