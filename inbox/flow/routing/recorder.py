"""The interface that records changes of incidents: the incident writer, or the recorder of a preview."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from inbox.domain.incidents.incident import Actor, Incident
from inbox.flow.notices.notice import EventNotice, IncidentNotice
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
