"""The recorder of a preview: it counts incident changes and notices instead of writing them (specification 6.9)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from inbox.domain import escalation as domain_escalation
from inbox.domain.incident import Actor, Escalation, Incident
from inbox.domain.notices import PLAIN, Traits
from inbox.domain.preview.night_hours import Night
from inbox.domain.profiles import Step
from inbox.domain.state_machine import RESOLVED, Reason
from inbox.domain.suppression import mark_notified
from inbox.flow.notices.create import InformationalNotice
from inbox.flow.notices.recipients import NoticeDecision, PendingNotice, RecipientDecision, RecipientResolver
from inbox.flow.preview.simulated_incident import NEVER, SimulatedIncident
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.lock import IncidentRow

MAX_CACHED = 1_000
"""The number of sources whose actor is cached."""

Listener = Callable[[Reason, Sequence[RecipientDecision], IncidentRow | None], None]
"""Receives each notice as it would be written. The incident is None for a notice of an event without an incident."""


NoticeKey = tuple[Reason, int, int, bool]
"""The reason, the number of immediate and of deferred deliveries, and whether it is night."""


@dataclass(slots=True)
class Totals:
    """The totals of one simulation.

    `incidents` counts incidents, `reopened` how often one reopened. `notices` counts notices with at least one
    recipient, immediate or deferred by quiet hours. `held` counts those that are deferred only. `at_night` counts those
    that are sent immediately at night. `deliveries` counts each destination.
    """

    incidents: int = 0
    reopened: int = 0
    notices: int = 0
    at_night: int = 0
    held: int = 0
    deliveries: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Totals) -> Totals:
        return Totals(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def with_notices(self, counted: Mapping[NoticeKey, int]) -> Totals:
        """These totals plus the counted notices."""
        more = Totals()
        for (reason, sent, held, night), n in counted.items():
            more.notices += n
            more.deliveries += n * (sent + held)
            more.reasons[reason] += n
            more.held += 0 if sent else n
            more.at_night += n if sent and night else 0
        return self + more


class _Id(UUID):
    """The id of a simulated incident. It is created once and passed on, so identity is equality: five times faster."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


class PreviewRecorder:
    """The changes of incidents in one simulation, at the time `now`; it implements `IncidentRecorder`.

    `incidents` holds the incidents by id. `finished` holds those that no event can match and whose last timer is
    pending.
    """

    writes_timelines = False

    def __init__(
        self,
        workspace_id: UUID,
        config: RoutingConfig,
        recipients: Mapping[UUID, Recipient],
        since: datetime,
        listener: Listener | None = None,
    ) -> None:
        self.now = since
        self.plans = Plans({workspace_id: config}, since)
        self.incidents: dict[UUID, SimulatedIncident] = {}
        self.finished: deque[SimulatedIncident] = deque()
        self._workspace_id = workspace_id
        self._audience = RecipientResolver(recipients, (), self.plans)
        self._night = Night(config.timezone, config.quiet)
        self._listener = listener
        self._ids_made = self._reopened = 0
        self._counted: Counter[NoticeKey] = Counter()
        self._actor = lru_cache(MAX_CACHED)(lambda source_name: Actor("event", "", source_name))

    @property
    def totals(self) -> Totals:
        """The totals of everything recorded."""
        return Totals(incidents=self._ids_made, reopened=self._reopened).with_notices(self._counted)

    def set_to(self, moment: datetime) -> None:
        """Set the time of the next changes."""
        self.now = self.plans.now = moment

    def make_id(self) -> UUID:
        """Create an id that is unique in this simulation."""
        self._ids_made += 1
        return _Id(int=self._ids_made)

    def event_actor(self, event_id: UUID, source_name: str) -> Actor:
        """The actor for an event. It has no event id, since nobody reads it."""
        return self._actor(source_name)

    def update(self, incident: IncidentRow, after: Incident) -> None:
        """Record a change, as `IncidentWriter.update` does. The plan is refreshed when the incident opens or
        reopens."""
        before = None if incident.is_new else incident.state_values
        if before is None:
            simulated = self._begin(incident)
        else:
            simulated = self.incidents[incident.id]
            if before.state is RESOLVED and after.state is not RESOLVED:
                simulated.plan = self.plans.of(incident)
                self._reopened += 1
        simulated.due = self.now
        incident.state_values = domain_escalation.start_or_resume(simulated.plan, before, after, self.now)

    def count_event(self, incident: IncidentRow, after: Incident) -> None:
        """Record a counted event, as `IncidentWriter.count_event` does."""
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
        """Do nothing: nobody reads the timeline of a simulated incident."""

    def add_notice(
        self,
        incident: IncidentRow,
        reason: Reason,
        *,
        escalation: Escalation | None = None,
        by: Actor | None = None,
        event_id: UUID | None = None,
        steps: Sequence[Step] | None = None,
        traits: Traits = PLAIN,
    ) -> None:
        """Record a notice, as `IncidentWriter.add_notice` does, and resolve its recipients immediately."""
        then = incident.state_values
        told = mark_notified(then, reason, self.now)
        if told is None:
            return
        incident.state_values = told
        incident.notice_count += 1
        plan, seq = self.incidents[incident.id].plan, incident.notice_count
        pending = PendingNotice(incident, then, plan, reason, seq, steps=steps, traits=traits)
        self._notice(reason, self._audience.resolve(pending), incident)

    def add_informational(self, notice: InformationalNotice) -> None:
        """Record an informational notice, as `IncidentWriter.add_informational` does, and resolve its recipients."""
        plan = self.plans.by(self._workspace_id, notice.routing_profile_id, notice.destination_ids)
        decided = self._audience.resolve_informational(self._workspace_id, plan, notice.severity, notice.withheld)
        self._notice(Reason.INFORMATIONAL, decided, None)

    def adopt(self, incident: IncidentRow, other: PreviewRecorder) -> None:
        """Copy the recorded state of an incident from another recorder."""
        simulated = other.incidents[incident.id]
        self.incidents[incident.id] = SimulatedIncident(incident, simulated.plan, simulated.due, simulated.latest)
        self._audience.adopt(incident.id, other._audience)

    def forget(self, incident_id: UUID) -> None:
        """Remove an incident."""
        del self.incidents[incident_id]
        self._audience.forget(incident_id)

    def _begin(self, incident: IncidentRow) -> SimulatedIncident:
        """Record a new incident. No event can match its predecessor any more, so that is finished."""
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

    def _notice(self, reason: Reason, told: NoticeDecision, incident: IncidentRow | None) -> None:
        if told.sent or told.deferred:
            self._counted[reason, told.sent, told.deferred, self._night.covers(self.now)] += 1
        if self._listener is not None:
            self._listener(reason, told.decisions, incident)
