"""Fallback checks: timers that check whether a receiver accepted an alarm, and the status of the alarm's deliveries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.deliveries.fallback import ALERTS, RECHECK_INTERVAL, DeliveryState

CHECK = "notice.fallback_check"
"""The kind of timer for the check; its subject is the notice."""

_NOT_ACCEPTED = "status IN ('failed', 'skipped', 'held', 'expired')"
_NO_PHONE = (
    "(NOT EXISTS (SELECT FROM destinations t WHERE t.id = {0}.destination_id AND t.device_id IS NOT NULL) OR EXISTS ("
    "SELECT FROM pages p WHERE p.incident_id = {0}.incident_id AND {0}.destination_id = ANY(p.destination_ids)))"
)
"""SQL: the delivery is for no phone, or for a phone of a paged person."""


@dataclass(frozen=True, slots=True)
class AlertStatus:
    """A notice with its deliveries.

    `first_attempt` is the time of the first call to a receiver other than a phone. `fell_back_at` is the time of the
    incident's last fallback.
    """

    incident_id: UUID
    created_at: datetime
    deliveries: Sequence[DeliveryState]
    tried: frozenset[UUID]
    first_attempt: datetime | None
    fell_back_at: datetime | None


def schedule(delivery_ids: Iterable[UUID]) -> bool:
    """Schedules an immediate check of alarms whose deliveries here are failed, skipped, held or expired.

    Alarms in a digest share its status. Deliveries to phones are not checked (`status`). Returns whether there are any.
    """
    chosen = array_literal(delivery_ids, unquoted=True)
    found = db.execute_sql(
        "INSERT INTO timers (kind, subject_id, workspace_id, due_at)"
        " SELECT %s, notice_id, workspace_id, min(created_at) FROM ("
        f"  SELECT * FROM deliveries WHERE id = ANY(%s::uuid[]) AND {_NOT_ACCEPTED}"
        "  UNION ALL SELECT g.* FROM deliveries d JOIN deliveries g ON g.digest_id = d.id"
        f" WHERE d.id = ANY(%s::uuid[]) AND d.{_NOT_ACCEPTED} AND d.reason = 'digest' AND d.replay_of IS NULL) found"
        " WHERE reason = ANY(%s) AND incident_id IS NOT NULL AND replay_of IS NULL"
        f" AND {_NO_PHONE.format('found')} GROUP BY notice_id, workspace_id ORDER BY notice_id"
        # A check that runs now may not have read these deliveries. It deletes the timer unless the time differs.
        " ON CONFLICT (kind, subject_id) DO UPDATE"
        " SET due_at = least(timers.due_at, excluded.due_at) - interval '1 microsecond'"
        " RETURNING subject_id",
        (CHECK, chosen, chosen, [str(reason) for reason in sorted(ALERTS)]),
    )
    return found.fetchone() is not None


def incident_of(notice_id: UUID) -> UUID | None:
    """Returns the incident of a notice, or None when either no longer exists."""
    found = db.execute_sql("SELECT incident_id FROM notices WHERE id = %s", (notice_id,)).fetchone()
    return None if found is None else found[0]


# An earlier notice that is sent for the first time blocks for the time of a call. A pace is shorter than the interval.
_BLOCKED = """
    EXISTS (SELECT FROM destinations t WHERE t.id = d.destination_id AND t.next_call_at > %s) OR EXISTS (
        SELECT FROM deliveries e
        WHERE e.destination_id = d.destination_id AND e.incident_id = d.incident_id AND e.seq < d.seq
            AND e.status IN ('sending', 'retrying') AND (e.status = 'retrying' OR e.attempt > 1)
            AND e.replay_of IS NULL)
"""


def status(notice_id: UUID, now: datetime) -> AlertStatus:
    """Returns the delivery status of a notice. The caller has locked its incident."""
    incident_id, created_at, first_attempt, fell_back_at = db.execute_sql(
        "SELECT n.incident_id, n.created_at,"
        " (SELECT min(a.at) FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id"
        "  WHERE d.incident_id = n.incident_id AND d.notice_id = n.id AND d.replay_of IS NULL"
        f"  AND {_NO_PHONE.format('d')}),"
        " (SELECT max(f.created_at) FROM notices f WHERE f.incident_id = n.incident_id AND f.reason = 'fallback')"
        " FROM notices n WHERE n.id = %s",
        (notice_id,),
    ).fetchone()
    sent = db.execute_sql(
        "SELECT d.destination_id, coalesce(g.status, d.status), CASE WHEN g.id IS NULL THEN d.cause ELSE g.cause END,"
        f" {_BLOCKED} FROM deliveries d LEFT JOIN deliveries g ON g.id = d.digest_id"
        f" WHERE d.incident_id = %s AND d.notice_id = %s AND d.replay_of IS NULL AND {_NO_PHONE.format('d')}",
        (now + RECHECK_INTERVAL, incident_id, notice_id),
    ).fetchall()
    deliveries = [DeliveryState(*state) for _, *state in sent]
    tried = frozenset(destination_id for destination_id, *_ in sent)
    return AlertStatus(incident_id, created_at, deliveries, tried, first_attempt, fell_back_at)


def owners(workspace_id: UUID) -> list[tuple[str, str]]:
    """Returns the name and address of each owner of a workspace whose account is active."""
    found = db.execute_sql(
        "SELECT u.name, u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = %s"
        " AND m.role = 'owner' AND u.disabled_at IS NULL AND u.deleted_at IS NULL ORDER BY u.id",
        (workspace_id,),
    )
    return list(found.fetchall())
