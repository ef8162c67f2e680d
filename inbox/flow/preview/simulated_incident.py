"""An incident in a course of events that is only played: by which plan it goes, and when it must be looked at."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.domain.notification_plan import NotificationPlan
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.models.incidents.lock import IncidentRow

NEVER = datetime.max.replace(tzinfo=UTC)


class SimulatedIncident:
    """`due` is by when to look: no timer of the incident rings earlier. `latest` is its newest event, where silences ask.

    One that is `is_finished` is the newest of its fingerprint no more: events do not meet it, only its timers may ring.
    """

    __slots__ = ("due", "incident", "is_finished", "latest", "plan")

    def __init__(
        self, incident: IncidentRow, plan: NotificationPlan, due: datetime, latest: EvaluatedEvent | None = None
    ) -> None:
        self.incident, self.plan, self.due, self.latest = incident, plan, due, latest
        self.is_finished = False
