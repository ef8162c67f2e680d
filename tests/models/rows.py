"""Sixty incidents and events with many equal values, by position."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.events.tables import Event
from inbox.models.incidents import write
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW
from tests.database.stored import store

SEVERITIES = ("WARNING", "ERROR", "CRITICAL", "INFO")
STATES = ("open", "acknowledged", "resolved", "resolved", "silenced", "resolved", "snoozed")
DISPOSITIONS = ("logged", "opened", "pending", "updated", "updated")

RULE, PROFILE, SILENCE = (UUID(f"01900000-0000-7000-8000-00000000000{each}") for each in (1, 2, 3))


def incident(source: Source, place: int, person: UUID) -> Incident:
    at = NOW + timedelta(minutes=place // 3)
    lived = (timedelta(), timedelta(minutes=place % 11), timedelta(days=2, minutes=place))[place % 3]
    one = Incident.create(
        id=new_id(at), workspace_id=source.workspace_id, source_id=source.id, fingerprint=f"f1:{place}", number=60 - place,
        title=("Disk full", "CPU hot", "Übrig")[place % 4 % 3], severity=SEVERITIES[place % 4], last_severity="ERROR",
        state=STATES[place % 7], resource=f"host:db-{place % 5}", dedup_key=f"job-{place}", flapping=place % 9 == 0,
        tags=["prod", *(["rare"] if place % 20 == 1 else [])], assignee_id=person if place % 6 == 0 else None,
        first_seen_at=at, last_seen_at=at + lived, opened_at=at,
        resolved_at=at + lived + timedelta(minutes=place % 4) if STATES[place % 7] == "resolved" else None,
        type="disk.usage" if place % 3 else None, rule_id=RULE if place % 8 == 2 else None,
        routing_profile_id=PROFILE if place % 10 == 4 else None, silenced_by=SILENCE if place % 7 == 4 else None,
        acknowledged_by=person if place % 7 == 1 else None,
    )  # fmt: skip
    write.write_search([one])
    return one


def event(source: Source, place: int, incident_id: UUID, **fields: Any) -> Event:
    at = NOW + timedelta(minutes=place // 3)
    disposition = DISPOSITIONS[place % 5]
    routed_by = ids.encode("rul", RULE) if place % 8 == 2 else None
    became = {} if disposition == "pending" else {"incident_id": incident_id, "routing": {"ruleId": routed_by}}
    return store(**{
        "id": new_id(at), "received_at": at, "occurred_at": at - timedelta(minutes=place % 4), "disposition": disposition,
        "workspace_id": source.workspace_id, "source_id": source.id, "severity": SEVERITIES[place % 4],
        "title": ("Disk full", "CPU hot", "Übrig")[place % 4 % 3], "dedup_key": f"job-{place}", "fingerprint": f"f1:{place}",
        "resource": f"host:db-{place % 5}" if place % 4 else None, "type": "disk.usage" if place % 3 else None,
        "tags": ["prod"] if place % 2 else ["test"], "flags": ["clock_skew"] if place % 7 == 3 else [],
        "action": "resolve" if place % 11 == 3 else "trigger", **became, **fields,
    })  # fmt: skip
