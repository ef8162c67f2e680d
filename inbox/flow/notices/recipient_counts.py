"""Counts the destinations that notices may have, before they are resolved. Routing bounds its batches by these numbers."""

from __future__ import annotations

from inbox.domain.notification_plan import first_steps, step_recipients
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.notices.recipients import considered
from inbox.flow.timers.incident_schedule import Plans


def of_incident(notice: IncidentNotice, plans: Plans) -> int:
    """The most destinations of a prepared notice. Those that left the route since an earlier notice are not counted."""
    reaches_phones = notice.fallback is None and notice.steps is None
    return len(considered(notice)) + (plans.config(notice.workspace_id).phones if reaches_phones else 0)


def of_event(notice: EventNotice, plans: Plans) -> int:
    """The most destinations of the notice of an event."""
    plan = plans.by(notice.workspace_id, notice.routing_profile_id, notice.destination_ids)
    return len(step_recipients(first_steps(plan), notice.severity))
