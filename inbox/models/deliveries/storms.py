"""Deliveries of destinations with a pace: what waits, what a summary gathers, and the most urgent one (specification 9.22)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal, ordered_by_index, unnest_rows
from inbox.domain.deliveries.notices import UPDATES
from inbox.domain.deliveries.storms import (
    LEAST_URGENT,
    LEVELS,
    LONGEST_WAIT,
    MAX_SUMMARISED,
    MOST_CRITICAL,
    MOST_URGENT,
    MOST_WAITING,
    SUMMARY,
    SUMMARY_URGENCY,
    Admission,
    Backlog,
    Waiting,
)
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.results import UNSETTLED_STATUSES

_WAITS = f"""d.status IN {UNSETTLED_STATUSES} AND d.status = 'pending' AND d.due_at <= %(now)s AND d.replay_of IS NULL
            AND d.reason NOT IN ('test', 'digest', 'on_call') AND d.urgency > {LEAST_URGENT}"""

# Each part reads along one index (see `ordered_by_index`). Only digests have the urgency of a summary.
_BACKLOGS = f"""
    SELECT open.id, line.waiting, line.oldest, (
        SELECT 1 FROM deliveries s WHERE s.destination_id = open.id AND s.urgency = {SUMMARY_URGENCY}
            AND s.status IN {UNSETTLED_STATUSES} ORDER BY s.due_at LIMIT 1) IS NOT NULL, (
        SELECT count(*) FROM (
            SELECT FROM deliveries c WHERE c.destination_id = open.id AND c.status IN ('sent', 'failed')
                AND c.settled_at >= open.since AND c.urgency = {MOST_URGENT} AND c.created_at > open.since
            ORDER BY c.settled_at DESC LIMIT {MOST_CRITICAL}) one)
    FROM unnest(%(ids)s::uuid[], %(since)s::timestamptz[]) AS open (id, since)
    CROSS JOIN LATERAL (
        SELECT count(*) AS waiting, min(due_at) AS oldest FROM (
            SELECT d.due_at FROM deliveries d WHERE d.destination_id = open.id AND {_WAITS}
            ORDER BY d.due_at LIMIT {MOST_WAITING + 1}) one
    ) line
"""

_WAITING = f"""
    SELECT d.id, d.incident_id, d.seq, d.reason, n.body::json -> 'data' ->> 'severity', d.created_at, (
        SELECT 1 FROM deliveries e WHERE e.destination_id = d.destination_id AND e.incident_id = d.incident_id
            AND e.seq < d.seq AND e.status IN {UNSETTLED_STATUSES} AND e.status IN ('sending', 'retrying')
            AND e.replay_of IS NULL ORDER BY e.seq LIMIT 1) IS NOT NULL, EXISTS (
        SELECT FROM destination_messages m WHERE m.destination_id = d.destination_id AND m.incident_id = d.incident_id)
    FROM (SELECT * FROM deliveries d WHERE d.destination_id = %(id)s AND {_WAITS}
          ORDER BY d.due_at LIMIT {MAX_SUMMARISED}) d
    CROSS JOIN LATERAL (SELECT body FROM notices WHERE id = d.notice_id OFFSET 0) n
"""

# One row for each destination and urgency: a delivery, or the first unsettled one of its incident, which precedes it. A
# notice whose incident is in an unsettled summary waits for it, unless it is the most urgent. An update of an incident that
# a summary announced waits for others. A range of one urgency has an order that only the index of urgencies gives; by an
# equal one, the planner may read all that is due, since it knows that order by `due_at` from another index.
_MOST_URGENT = f"""
    SELECT open.id, level.urgency, due.id, due.status, due.attempt, due.cause, due.due_at
    FROM unnest(%(ids)s::uuid[], %(least)s::int[], %(latest)s::timestamptz[]) AS open (id, least, latest)
    CROSS JOIN unnest(%(levels)s::int[]) AS level (urgency)
    CROSS JOIN LATERAL (
        SELECT head.* FROM deliveries d CROSS JOIN LATERAL (
            SELECT h.id, h.status, h.attempt, h.cause, h.due_at FROM deliveries h WHERE h.id = coalesce((
                SELECT e.id FROM deliveries e
                WHERE e.destination_id = d.destination_id AND e.incident_id = d.incident_id AND e.seq < d.seq
                    AND e.status IN {UNSETTLED_STATUSES} AND (e.replay_of IS NULL) = (d.replay_of IS NULL)
                    AND (e.status <> 'held' OR coalesce(e.cause, '') NOT IN ('quiet_hours', 'digest')
                        OR (e.cause = 'quiet_hours' AND e.due_at <= %(now)s))
                ORDER BY e.seq LIMIT 1), d.id) OFFSET 0
        ) head
        WHERE d.destination_id = open.id AND d.urgency BETWEEN level.urgency AND level.urgency
            AND d.status IN {UNSETTLED_STATUSES}
            AND d.due_at <= %(now)s AND (d.status <> 'held' OR coalesce(d.cause, '') NOT IN ('quiet_hours', 'digest'))
            AND (d.created_at <= open.latest OR d.attempt > 0)
            AND head.due_at <= %(now)s
            AND (head.status <> 'held' OR coalesce(head.cause, '') NOT IN ('quiet_hours', 'digest'))
            AND (d.urgency = {MOST_URGENT} OR (
                SELECT 1 FROM deliveries g
                WHERE g.incident_id = d.incident_id AND g.destination_id = d.destination_id AND g.status = 'gathered'
                    AND ((SELECT s.status FROM deliveries s WHERE s.id = g.digest_id) IN {UNSETTLED_STATUSES}
                        OR (g.cause = '{SUMMARY}' AND d.attempt = 0 AND d.reason = ANY(%(updates)s::text[])
                            AND d.due_at > %(gathers)s))
                ORDER BY g.incident_id, g.id LIMIT 1) IS NULL)
        ORDER BY d.urgency, d.due_at LIMIT 1
    ) due
    WHERE level.urgency >= open.least AND (
        SELECT 1 FROM deliveries s WHERE s.destination_id = open.id AND s.status = 'sending' AND s.due_at > %(now)s
        ORDER BY s.due_at LIMIT 1) IS NULL
"""


def backlogs(summarised: Mapping[UUID, datetime | None], now: datetime) -> list[Backlog]:
    """Returns what waits for these locked destinations, which have the times of their last summaries."""
    values = {
        "ids": array_literal(summarised, unquoted=True),
        "since": array_literal((at or now for at in summarised.values()), unquoted=False),
        "now": now,
    }
    return [Backlog(*row) for row in ordered_by_index(_BACKLOGS, values)]


def waiting(destination_id: UUID, now: datetime) -> list[Waiting]:
    """Returns the oldest notices that wait for a locked destination, by incident and order."""
    found = [
        Waiting(id, incident_id, seq, reason, Severity(severity), *remaining)
        for id, incident_id, seq, reason, severity, *remaining in ordered_by_index(
            _WAITING, {"id": destination_id, "now": now}
        )
    ]
    return sorted(found, key=lambda one: (one.incident_id or one.id, one.seq, one.id))


def bodies(delivery_ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """Returns the bodies of the notices of these deliveries."""
    found = db.execute_sql(
        "SELECT d.id, n.body FROM deliveries d JOIN notices n ON n.id = d.notice_id WHERE d.id = ANY(%s::uuid[])",
        (array_literal(delivery_ids, unquoted=True),),
    )
    return {id: body.encode() for id, body in found.fetchall()}


def put_last(delivery_ids: Sequence[UUID]) -> None:
    """Gives these waiting deliveries the last place."""
    db.execute_sql(
        f"UPDATE deliveries SET urgency = {LEAST_URGENT} WHERE id = ANY(%s::uuid[]) AND status = 'pending'",
        (array_literal(delivery_ids, unquoted=True),),
    )


def mark_summarised(destination_id: UUID, at: datetime) -> None:
    """Stores the time of the last summary of a locked destination."""
    db.execute_sql("UPDATE destinations SET summarised_at = %s WHERE id = %s", (at, destination_id))


def most_urgent(admissions: Iterable[Admission], now: datetime) -> list[tuple[Any, ...]]:
    """Returns the most urgent due delivery of each of these locked destinations, if it has no call in flight.

    A row is destination, open calls, id, status, attempt, cause and due time. A delivery that waits behind another one
    of its incident lends it its urgency.
    """
    chosen = list(admissions)
    _, (ids, least, latest) = unnest_rows({"id": "uuid", "least": "integer", "latest": "timestamptz"}, chosen)
    values = {"ids": ids, "least": least, "latest": latest, "levels": array_literal(LEVELS, unquoted=True), "now": now}
    values |= {"updates": array_literal(sorted(UPDATES)), "gathers": now - LONGEST_WAIT}
    best: dict[UUID, tuple[Any, ...]] = {}
    for row in ordered_by_index(_MOST_URGENT, values):
        if row[0] not in best or row[1] > best[row[0]][1]:
            best[row[0]] = row
    return [(destination_id, 0, *remaining) for destination_id, _, *remaining in best.values()]


def advance_summaries(destination_ids: Collection[UUID], now: datetime) -> None:
    """Makes the retries of summaries due that waited for a minute, because the destination accepts messages again."""
    db.execute_sql(
        f"UPDATE deliveries d SET due_at = %(now)s WHERE d.destination_id = ANY(%(ids)s::uuid[])"
        f" AND d.urgency = {SUMMARY_URGENCY} AND d.status = 'retrying' AND d.due_at > %(now)s AND EXISTS ("
        "SELECT FROM delivery_attempts a WHERE a.delivery_id = d.id AND a.number = d.attempt"
        " AND a.at < %(now)s - interval '1 minute')",
        {"ids": array_literal(destination_ids, unquoted=True), "now": now},
    )
