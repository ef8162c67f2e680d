"""The plan of an incident changed beneath it: its timers follow (decision 8)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.flow.plans import Plans, wind
from inbox.flow.work import Done
from inbox.models import rulebooks, standing


def rewind(incident_id: UUID, now: datetime, done: Done) -> None:
    """Set the incident's timers as its plan has them now. What it should not have any more finds nothing to do."""
    incident = standing.lock(incident_id)
    if incident is not None:
        wind([(incident, None)], Plans.at(rulebooks.revisions([incident.workspace_id]), now), [], done)
