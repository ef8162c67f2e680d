"""A workspace with configuration and incidents in each state, as an export meets it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from inbox.database.base import new_id
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import DeliveryAttempt
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.routing.silences import Silence
from tests.api.configuration.workspaces import furnish
from tests.cast import Cast, present, typeid
from tests.database.stored import store
from tests.stand_ins.outgoing_posts import owe

STATES: dict[str, dict[str, Any]] = {
    "open": {},
    "acknowledged": {"acknowledged_at": timedelta(hours=-1)},
    "snoozed": {"snoozed_until": timedelta(days=2)},
    "snoozed before": {"snoozed_until": timedelta(hours=-1)},
    "silenced": {"state_before_silence": "acknowledged"},
    "resolved": {"resolved_at": timedelta(hours=-1)},
    "resolved long ago": {"resolved_at": timedelta(days=-900)},
}


def live_in(cast: Cast) -> dict[str, Incident]:
    """Furnishes the workspace, and gives it an incident of each state with a note, an event and a sent delivery."""
    furnish(cast)
    made = {name: _incident(cast, number, name) for number, name in enumerate(STATES, 1)}
    pager = Destination.get(Destination.workspace == cast.workspace)
    delivery = owe(pager, made["open"], status="sent", settled_at=present(), due_at=None)
    DeliveryAttempt.create(delivery=delivery, number=1, at=present(), status_code=200)
    owe(pager, made["acknowledged"])
    return made


def _incident(cast: Cast, number: int, name: str) -> Incident:
    now = present()
    moments = {field: now + value for field, value in STATES[name].items() if isinstance(value, timedelta)}
    plain = {field: value for field, value in STATES[name].items() if not isinstance(value, timedelta)}
    state = name.partition(" ")[0]
    if state == "silenced":
        plain["silenced_by"] = Silence.get(Silence.workspace_id == cast.workspace.id).id
    fields = {
        "severity": "ERROR",
        "last_severity": "ERROR",
        "first_seen_at": now,
        "last_seen_at": now,
        "opened_at": now,
    }
    incident: Incident = Incident.create(
        id=new_id(now + timedelta(milliseconds=number)), workspace_id=cast.workspace.id, number=number, source_id=cast.source.id, title=f"Disk {name}",
        fingerprint=f"f1:{number}", dedup_key=f"disk-{number}", state=state, assignee_id=cast.users["mia"].id,
        flapping=state == "open", **fields, **moments, **plain,
    )  # fmt: skip
    event = store(
        workspace_id=cast.workspace.id, source_id=cast.source.id, received_at=now, occurred_at=now, disposition="new",
        incident_id=incident.id,
    )  # fmt: skip
    _note(incident, event.id, cast, now)
    return incident


def _note(incident: Incident, event_id: Any, cast: Cast, now: datetime) -> None:
    actor = {"type": "user", "id": typeid("usr", cast.users["vic"].id), "name": "Vic"}
    TimelineEntry.create(
        id=new_id(), workspace_id=incident.workspace_id, incident_id=incident.id, at=now, kind="note", actor=actor,
        event_id=event_id, details={"text": f"About {incident.title}", "about": typeid("inc", incident.id)},
    )  # fmt: skip
