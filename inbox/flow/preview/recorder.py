"""The recorder of a preview: it counts incident changes and notices instead of writing them (specification 6.9)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from itertools import count
from typing import Any
from uuid import UUID

from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.notification_plan import joined_due_at, start_or_resume
from inbox.domain.incidents.alerts import Alert
from inbox.domain.incidents.incident import Actor, Incident
from inbox.domain.incidents.state_machine import RESOLVED, Reason
from inbox.domain.routing.preview.night_hours import Night
from inbox.flow.notices import recipients
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.notices.paging import key_of, paged_steps
from inbox.flow.notices.recipients import RecipientResolver
from inbox.flow.preview.simulated_incident import NEVER, SimulatedIncident
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.lock import IncidentRow

MAX_CACHED = 1_000
"""The number of sources whose actor is cached."""

Listener = Callable[[IncidentNotice | EventNotice], None]
"""Receives each notice with its `recipients`, as it would be written."""


NoticeKey = tuple[Reason, int, int, int, bool, bool]
"""The reason, the number of immediate and of deferred deliveries and of pages, whether people get it, and the night."""


@dataclass(slots=True)
class Totals:
    """The totals of one simulation.

    `incidents` counts incidents, `reopened` how often one reopened. `notices` counts notices with at least one
    recipient, immediate or deferred by quiet hours. Reminders to people who were paged before count, too. `held` counts
    notices that are only deferred. `at_night` counts notices that are sent immediately at night. `deliveries` counts
    each destination, `pages` each entry of `people` of a step that is due.
    """

    incidents: int = 0
    reopened: int = 0
    notices: int = 0
    at_night: int = 0
    held: int = 0
    deliveries: int = 0
    pages: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Totals) -> Totals:
        return Totals(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def with_notices(self, counted: Mapping[NoticeKey, int]) -> Totals:
        """Returns these totals plus the counted notices."""
        more = Totals()
        for (reason, sent, held, pages, has_people, night), n in counted.items():
            more.notices += n
            more.deliveries += n * (sent + held)
            more.pages += n * pages
            more.reasons[reason] += n
            more.held += 0 if sent or has_people else n
            more.at_night += n if (sent or has_people) and night else 0
        return self + more


_numbers = count(1)


class PreviewRecorder:
    """The changes of incidents in one simulation, at the time `now`; it implements `IncidentRecorder`.

    `incidents` holds the incidents by id. `finished` holds incidents that no event can match and whose last timer is
    pending.
    """

    writes_timelines = False

    def __init__(
        self,
        workspace_id: UUID,
        config: RoutingConfig,
        destinations: Mapping[UUID, Recipient],
        since: datetime,
        listener: Listener | None = None,
    ) -> None:
        self.now = since
        self.plans = Plans({workspace_id: config}, since)
        self.incidents: dict[UUID, SimulatedIncident] = {}
        self.finished: deque[SimulatedIncident] = deque()
        self._workspace_id = workspace_id
        self._resolver = RecipientResolver(destinations, (), self.plans)
        self._night = Night(config.timezone, config.quiet)
        self._listener = listener
        self._opened = self._reopened = 0
        self._counted: Counter[NoticeKey] = Counter()
        self._actor = lru_cache(MAX_CACHED)(lambda source_name: Actor("event", "", source_name))

    @property
    def totals(self) -> Totals:
        """The totals of everything recorded."""
        return Totals(incidents=self._opened, reopened=self._reopened).with_notices(self._counted)

    def set_to(self, moment: datetime) -> None:
        """Sets the time of the next changes."""
        self.now = self.plans.now = moment

    def make_id(self) -> UUID:
        """Creates an id that is unique in this process: a split copies incidents from one simulation to another."""
        self._opened += 1
        return UUID(int=next(_numbers))

    def event_actor(self, event_id: UUID, source_name: str) -> Actor:
        """Returns the actor for an event. It has no event id, since nobody reads it."""
        return self._actor(source_name)

    def update(self, incident: IncidentRow, after: Incident) -> None:
        """Records a change, like `IncidentWriter.update`. Refreshes the plan when the incident opens or reopens."""
        before = None if incident.is_new else incident.state_values
        if before is None:
            simulated = self._begin(incident)
        else:
            simulated = self.incidents[incident.id]
            if before.state is RESOLVED and after.state is not RESOLVED:
                simulated.plan = self.plans.of(incident)
                self._reopened += 1
        simulated.due = self.now
        incident.state_values = start_or_resume(simulated.plan, before, after, self.now)

    def update_alert(self, incident: IncidentRow, alert: Alert) -> None:
        """Does nothing: the simulated incident holds its alerts."""

    def is_joined_due(self, incident: IncidentRow) -> bool:
        """Does the same as `IncidentWriter.is_joined_due`."""
        at = joined_due_at(self.incidents[incident.id].plan, incident.state_values)
        return at is not None and at <= self.now

    def count_event(self, incident: IncidentRow, after: Incident) -> None:
        """Records a counted event, like `IncidentWriter.count_event`."""
        incident.state_values = after

    def add_timeline_entry(
        self,
        incident: IncidentRow,
        kind: str,
        actor: Actor,
        details: Mapping[str, Any],
        *,
        event_id: UUID | None = None,
    ) -> None:
        """Does nothing: nobody reads the timeline of a simulated incident."""

    def add_notice(self, notice: IncidentNotice) -> None:
        """Records a notice, like `IncidentWriter.add_notice`, and resolves its recipients immediately."""
        if recipients.prepare(notice, self.incidents[notice.incident.id].plan, self.now):
            notice.recipients = self._resolver.resolve(notice)
            self._count(notice)

    def add_event_notice(self, notice: EventNotice) -> None:
        """Records the notice of an event, like `IncidentWriter.add_event_notice`, and resolves its recipients."""
        notice.recipients = self._resolver.resolve_event(notice)
        self._count(notice)

    def adopt(self, incident: IncidentRow, other: PreviewRecorder) -> None:
        """Copies the recorded state of an incident from another recorder."""
        simulated = other.incidents[incident.id]
        own = SimulatedIncident(incident, simulated.plan, simulated.due, simulated.latest)
        own.paged |= simulated.paged
        self.incidents[incident.id] = own
        self._resolver.adopt(incident.id, other._resolver)

    def forget(self, incident_id: UUID) -> None:
        """Removes an incident."""
        del self.incidents[incident_id]
        self._resolver.forget(incident_id)

    def _begin(self, incident: IncidentRow) -> SimulatedIncident:
        """Records a new incident. Its predecessor is finished, because no event can match it any more."""
        followed = incident.related_incident_id
        if followed is not None:
            simulated = self.incidents[followed]
            simulated.is_finished = True
            if simulated.due is NEVER:
                self.forget(followed)
            else:
                self.finished.append(simulated)
        incident.is_new = False
        simulated = self.incidents[incident.id] = SimulatedIncident(incident, self.plans.of(incident), self.now)
        return simulated

    def _count(self, notice: IncidentNotice | EventNotice) -> None:
        causes = [decision.cause for decision in notice.recipients]
        sent, deferred = causes.count(Cause.NOTIFY), causes.count(Cause.QUIET_HOURS) + causes.count(Cause.DIGEST)
        pages = self._pages(notice) if isinstance(notice, IncidentNotice) and notice.plan.pages_people else None
        if sent or deferred or pages is not None:
            has_people, night = pages is not None, self._night.covers(self.now)
            self._counted[notice.reason, sent, deferred, pages or 0, has_people, night] += 1
        if self._listener is not None:
            self._listener(notice)

    def _pages(self, notice: IncidentNotice) -> int | None:
        """Returns how many entries of `people` the notice pages: each step pages once since the incident opened.

        0: it goes to people of earlier pages, such as a reminder. None: it goes to no people.
        """
        paged = self.incidents[notice.incident.id].paged
        fresh = {key_of(notice, step): len(step.people) for step in paged_steps(notice)}.items()
        pages = sum(number for key, number in fresh if key not in paged)
        paged.update(key for key, _ in fresh)
        return pages if fresh else None
