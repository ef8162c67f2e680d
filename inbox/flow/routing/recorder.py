"""The interface that records changes of incidents: the incident writer, or the recorder of a preview."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from inbox.domain.incidents.alerts import Alert
from inbox.domain.incidents.event_transition import EventTransition
from inbox.domain.incidents.incident import Actor, Incident
from inbox.domain.incidents.state_machine import Act
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.routing.evaluate import Event
from inbox.models.incidents.lock import IncidentRow


class IncidentRecorder(Protocol):
    """Records changes of incidents; implemented by the incident writer and by the preview's recorder."""

    @property
    def now(self) -> datetime: ...
    @property
    def writes_timelines(self) -> bool: ...
    def make_id(self) -> UUID: ...
    def event_actor(self, event_id: UUID, source_name: str) -> Actor: ...
    def update(self, incident: IncidentRow, after: Incident) -> None: ...
    def update_alert(self, incident: IncidentRow, alert: Alert) -> None: ...
    def is_joined_due(self, incident: IncidentRow) -> bool: ...
    def count_event(self, incident: IncidentRow, after: Incident) -> None: ...
    def add_timeline_entry(
        self,
        incident: IncidentRow,
        kind: str,
        actor: Actor,
        details: Mapping[str, Any],
        *,
        event_id: UUID | None = None,
    ) -> object: ...
    def add_notice(self, notice: IncidentNotice) -> None: ...
    def add_event_notice(self, notice: EventNotice) -> None: ...


def entry_details(incident: IncidentRow, event: Event, outcome: EventTransition) -> dict[str, Any]:
    """Returns the details of the timeline entry of an event, before the incident changes."""
    details: dict[str, Any] = {"severity": event.severity}
    if outcome.incident is not None and not outcome.is_new:
        details |= {"from": incident.state_values.state, "to": outcome.incident.state}
    if event.is_repeat:
        details["repeat"] = True
    if outcome.escalation is not None:
        details["escalation"] = outcome.escalation.record()
    if outcome.act is Act.ALERT_ENDS and outcome.incident is not None:
        details |= {"firing": outcome.incident.alerts.firing, "alerts": outcome.incident.alerts.total}
    return details
