"""Finds incidents that notified nobody, and deliveries that fail and are tried again (specification 7.1, 9.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.deliveries.delivery import UNDELIVERED_AFTER, UNDELIVERED_ATTEMPTS
from inbox.domain.explaining.destination_text import Failing
from inbox.domain.incidents.state_machine import State

_ALERTED = """
SELECT i.id FROM incidents i WHERE i.id = ANY(%s::uuid[])
   AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.incident_id = i.id AND d.created_at >= i.opened_at
                      AND d.status NOT IN ('failed', 'skipped', 'expired'))
   AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.incident_id = i.id AND n.created_at >= i.opened_at
                      AND n.decisions @> '[{"decision": "mailed"}]')
"""


def incidents_that_notified_nobody(incidents: Iterable[Any]) -> set[UUID]:
    """Returns the incidents among these whose alerts reached nobody since they last opened.

    Only open and acknowledged incidents with a created alert count. A delay of the profile, a silence and flapping
    withhold alerts on purpose. A delivery that may still be sent counts as notified, and so does a mail to the owners.
    """
    alerted = [
        each.id
        for each in incidents
        if each.state in (State.OPEN, State.ACKNOWLEDGED) and each.notified_at and each.notified_at >= each.opened_at
    ]
    return {id for (id,) in db.execute_sql(_ALERTED, [array_literal(alerted, unquoted=True)])} if alerted else set()


def told(incident_id: UUID, since: datetime) -> set[UUID]:
    """Returns the destinations with a notice of the incident since this time that was sent or may still be sent."""
    found = db.execute_sql(
        "SELECT DISTINCT destination_id FROM deliveries WHERE incident_id = %s AND created_at >= %s"
        " AND status NOT IN ('failed', 'skipped', 'expired')",
        (incident_id, since),
    )
    return {id for (id,) in found}


_FAILED = "d.attempt - (d.status = 'sending')::int"
"""The failed attempts of an unsettled delivery. A call that runs has not failed yet."""

_UNDELIVERED = f"""d.status IN ('retrying', 'sending') AND ({_FAILED} >= {UNDELIVERED_ATTEMPTS}
    OR {_FAILED} > 0 AND d.created_at <= %(now)s - %(after)s)"""

_OF_INCIDENTS = f"""
SELECT d.incident_id, min(d.created_at), max({_FAILED}), min(d.due_at), array_agg(DISTINCT t.name ORDER BY t.name)
  FROM deliveries d JOIN destinations t ON t.id = d.destination_id
 WHERE d.incident_id = ANY(%(ids)s::uuid[]) AND {_UNDELIVERED} GROUP BY d.incident_id
"""
_OF_DESTINATIONS = f"""
SELECT x.id, min(d.created_at), max({_FAILED}), count(*) FROM unnest(%(ids)s::uuid[]) AS x (id) CROSS JOIN LATERAL (
    SELECT * FROM deliveries d WHERE d.destination_id = x.id AND d.status IN ('pending', 'sending', 'retrying', 'held')
       AND {_UNDELIVERED} ORDER BY d.due_at LIMIT %(most)s) d
 GROUP BY x.id
"""
MOST_COUNTED = 1_000
"""The maximum number of failing deliveries of a destination that are counted."""


class Undelivered(NamedTuple):
    """Notices of an incident that failed and are tried again: the oldest, the most attempts, and the destinations."""

    since: datetime
    attempts: int
    next_attempt_at: datetime | None
    destination_names: Sequence[str]


def undelivered(incidents: Iterable[Any], now: datetime) -> dict[UUID, dict[str, Any]]:
    """Returns the failing notices of the unresolved incidents among these, by id."""
    found = [each.id for each in incidents if each.state != State.RESOLVED]
    return {id: Undelivered(*values)._asdict() for id, *values in _failing(_OF_INCIDENTS, found, now)}


def retrying(destination_ids: Sequence[UUID], now: datetime) -> dict[UUID, Failing]:
    """Returns the failing deliveries of these destinations, by id."""
    return {id: Failing(*values) for id, *values in _failing(_OF_DESTINATIONS, destination_ids, now)}


def _failing(query: str, ids: Sequence[UUID], now: datetime) -> list[tuple[Any, ...]]:
    values = {
        "ids": array_literal(ids, unquoted=True), "now": now, "after": UNDELIVERED_AFTER, "most": MOST_COUNTED
    }  # fmt: skip
    return list(db.execute_sql(query, values)) if ids else []
