"""Incidents and events full of ties, by their place in a row of sixty."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from inbox.models.incidents import search_text
from inbox.models.sql.base import new_id
from inbox.models.tables.events import Event
from inbox.models.tables.incidents import Incident
from inbox.models.tables.sources import Source
from tests.cast import NOW
from tests.stored import store

SEVERITIES = ("WARNING", "ERROR", "CRITICAL", "INFO")
STATES = ("open", "acknowledged", "resolved", "resolved", "silenced", "resolved", "snoozed")
DISPOSITIONS = ("logged", "opened", "pending", "updated", "updated")


def incident(source: Source, place: int, person: UUID) -> Incident:
    at = NOW + timedelta(minutes=place // 3)
    lived = (timedelta(), timedelta(minutes=place % 11), timedelta(days=2, minutes=place))[place % 3]
    one = Incident.create(
        id=new_id(at), workspace_id=source.workspace_id, source_id=source.id, fingerprint=f"f1:{place}", number=60 - place,
        title=("Disk full", "CPU hot", "Übrig")[place % 4 % 3], severity=SEVERITIES[place % 4], last_severity="ERROR",
        state=STATES[place % 7], resource=f"host:db-{place % 5}", dedup_key=f"job-{place}", flapping=place % 9 == 0,
        tags=["prod", *(["rare"] if place % 20 == 1 else [])], assignee_id=person if place % 6 == 0 else None,
        first_seen_at=at, last_seen_at=at + lived, opened_at=at,
    )  # fmt: skip
    search_text.write([one])
    return one


def event(source: Source, place: int, incident_id: UUID, **fields: Any) -> Event:
    at = NOW + timedelta(minutes=place // 3)
    disposition = DISPOSITIONS[place % 5]
    became = {} if disposition == "pending" else {"incident_id": incident_id}
    return store(**{
        "id": new_id(at), "received_at": at, "occurred_at": at - timedelta(minutes=place % 4), "disposition": disposition,
        "workspace_id": source.workspace_id, "source_id": source.id, "severity": SEVERITIES[place % 4],
        "title": ("Disk full", "CPU hot", "Übrig")[place % 4 % 3], "dedup_key": f"job-{place}", **became, **fields,
    })  # fmt: skip
