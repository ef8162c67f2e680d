"""Finds incidents that notified nobody (specification 7.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
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
