"""A simulated incident: its row, its notification plan and the time of its next check."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.domain.deliveries.notification_plan import NotificationPlan
from inbox.domain.deliveries.pages import StepKey
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.models.incidents.lock import IncidentRow

NEVER = datetime.max.replace(tzinfo=UTC)


class SimulatedIncident:
    """An incident of a simulation. No timer of it is due before `due`.

    `latest` is its newest event, for the match of silences. `is_finished` means that its fingerprint has a newer
    incident. No event matches a finished incident, but its timers can still run. `paged` has the steps that paged people.
    """

    __slots__ = ("due", "incident", "is_finished", "latest", "paged", "plan")

    def __init__(
        self, incident: IncidentRow, plan: NotificationPlan, due: datetime, latest: EvaluatedEvent | None = None
    ) -> None:
        self.incident, self.plan, self.due, self.latest = incident, plan, due, latest
        self.is_finished = False
        self.paged: set[StepKey] = set()
