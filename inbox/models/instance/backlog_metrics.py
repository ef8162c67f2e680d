"""Metrics of pending work for operators: counts and ages. The database computes them at the time of the call."""

from __future__ import annotations

from dataclasses import dataclass

from inbox.database.base import db


@dataclass(frozen=True, slots=True)
class BacklogMetrics:
    """Counts and ages of pending work. Ages are in seconds, and 0 without pending work.

    Quarantined events and held deliveries are not pending.
    """

    events_waiting: int
    events_oldest_seconds: float
    events_quarantined: int
    incidents: dict[tuple[str, str], int]
    deliveries: dict[str, int]
    deliveries_oldest_due_seconds: float
    timers_overdue: int
    timers_oldest_seconds: float
    mails_waiting: int
    mails_oldest_seconds: float
    schedule_problems: dict[str, int]


def read() -> BacklogMetrics:
    """Reads all metrics. An index over unfinished rows serves each query."""
    waiting, oldest, quarantined = db.execute_sql(EVENTS).fetchone()
    incidents = db.execute_sql(INCIDENTS).fetchall()
    deliveries = db.execute_sql(DELIVERIES).fetchall()
    timers, timers_oldest = db.execute_sql(TIMERS).fetchone()
    mails, mails_oldest = db.execute_sql(MAILS).fetchone()
    return BacklogMetrics(
        events_waiting=waiting,
        events_oldest_seconds=float(oldest),
        events_quarantined=quarantined,
        incidents={(state, severity): count for state, severity, count in incidents},
        deliveries={status: count for status, count, _ in deliveries},
        deliveries_oldest_due_seconds=max((float(age) for *_, age in deliveries), default=0.0),
        timers_overdue=timers,
        timers_oldest_seconds=float(timers_oldest),
        mails_waiting=mails,
        mails_oldest_seconds=float(mails_oldest),
        schedule_problems=dict(db.execute_sql(SCHEDULE_PROBLEMS).fetchall()),
    )


EVENTS = """
SELECT count(*) FILTER (WHERE q.quarantined_at IS NULL),
       coalesce(extract(epoch FROM now() - min(coalesce(q.repeated_at, e.received_at)) FILTER (WHERE q.quarantined_at IS NULL)), 0),
       count(*) FILTER (WHERE q.quarantined_at IS NOT NULL)
FROM event_queue q LEFT JOIN received_events e ON e.workspace_id = q.workspace_id AND e.id = q.event_id
"""
INCIDENTS = "SELECT state, severity, count(*) FROM incidents WHERE state <> 'resolved' GROUP BY state, severity"
TIMERS = "SELECT count(*), coalesce(extract(epoch FROM now() - min(due_at)), 0) FROM timers WHERE due_at < now()"
MAILS = "SELECT count(*), coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM mail_outbox WHERE due_at IS NOT NULL"
# A known problem is its kind, and the person or layer that it is about.
SCHEDULE_PROBLEMS = """
SELECT split_part(p, ' ', 1), count(DISTINCT s.id)
FROM oncall_schedules s CROSS JOIN LATERAL jsonb_array_elements_text(s.known_problems) p
WHERE s.deleted_at IS NULL AND s.known_problems <> '[]' GROUP BY 1
"""
# A delivery that is being sent is due when its lease has expired.
DELIVERIES = """
SELECT status, count(*),
       coalesce(greatest(0, extract(epoch FROM now() - min(due_at) FILTER (WHERE status <> 'held'))), 0)
FROM deliveries WHERE status IN ('pending', 'sending', 'retrying', 'held') GROUP BY status
"""
