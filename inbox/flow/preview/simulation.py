"""One course of events by one set of rules: judged in order as routing does, with clocks and silences in between."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from inbox.domain.routing import RoutingOutcome
from inbox.domain.silences import CompiledSilence, active_silence, views
from inbox.domain.state_machine import RESOLVED, SILENCED
from inbox.domain.subject import Subject
from inbox.flow.preview.recorder import Listener, PreviewRecorder
from inbox.flow.preview.simulated_index import SimulatedIndex
from inbox.flow.preview.simulated_timers import SimulatedTimers
from inbox.flow.routing.apply_event import apply_event
from inbox.flow.routing.evaluate import EvaluatedEvent, SourceRouting
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.flow.routing.silence_coverage import silence_incident, unsilence_incident
from inbox.models.deliveries.recipients import Recipient
from inbox.models.events.preview_events import StoredEvent
from inbox.models.incidents.lock import IncidentRow


class SimulatedEvent(NamedTuple):
    """What was decided of an event, and what came of it."""

    evaluated: EvaluatedEvent
    outcome: RoutingOutcome


class Simulation:
    """What would have happened from `since` on, nothing being open then and nobody reacting.

    Events come in the order of time, each is routed at the moment at which it was received. Without `clocks` no timer
    rings and no silence turns. The `listener` hears of each notice; of each incident they come in their order.
    """

    def __init__(
        self,
        workspace_id: UUID,
        config: RoutingConfig,
        recipients: Mapping[UUID, Recipient],
        since: datetime,
        *,
        clocks: bool = True,
        listener: Listener | None = None,
    ) -> None:
        self.config = config
        self.recorder = PreviewRecorder(workspace_id, config, recipients, since, listener)
        self._has_clocks, self._clock = clocks, SimulatedTimers(self.recorder)
        self.index = SimulatedIndex(self._clock.run_due if clocks else lambda incident: incident)
        self._silence_changes = deque(_silence_changes_of(config.silences, since) if clocks else ())

    def process(self, evaluated: EvaluatedEvent) -> SimulatedEvent:
        """The next event."""
        at, recorder = evaluated.event.received_at, self.recorder
        if self._silence_changes:
            self.advance_to(at)
        elif at > recorder.now:
            recorder.now = recorder.plans.now = at
        outcome = apply_event(evaluated, self.index, recorder)
        if self.config.silences and outcome.incident_id is not None:
            simulated = recorder.incidents[outcome.incident_id]
            simulated.latest = None if simulated.incident.state_values.state is RESOLVED else evaluated
        return tuple.__new__(SimulatedEvent, (evaluated, outcome))

    def adopt(self, incident: IncidentRow, other: Simulation) -> None:
        """An incident goes on here as it stands in another course of this moment."""
        own = copy(incident)
        self.index.add(own)
        self.recorder.adopt(own, other.recorder)

    def forget(self, incident: IncidentRow) -> None:
        """An incident goes on elsewhere only."""
        self.index.forget(incident)
        self.recorder.forget(incident.id)

    def advance_to(self, moment: datetime) -> None:
        """It is this time, and never goes back: silences turn at theirs, timers ring when their incident is looked at."""
        changes, recorder = self._silence_changes, self.recorder
        while changes and changes[0][0] <= moment:
            at, silence = changes.popleft()
            for _ in self._clock.run_all_due(at - datetime.resolution):
                pass
            recorder.set_to(max(at, recorder.now))
            self._apply_silence_change(silence)
        if moment > recorder.now:
            recorder.set_to(moment)

    def run_until(self, moment: datetime) -> Iterator[None]:
        """Time goes by, and all that is due rings; pauses now and then."""
        self.advance_to(moment)
        if self._has_clocks:
            yield from self._clock.run_all_due(moment)

    def drop_finished(self) -> None:
        """Incidents that no event meets any more ring for the last time; call it now and then."""
        if self._has_clocks:
            self._clock.drop_finished()

    def _apply_silence_change(self, silence: CompiledSilence) -> None:
        """As `silences.turn`: it lets go what it does not cover any more, then takes what it matches."""
        recorder, is_active = self.recorder, silence.active.covers(self.recorder.now)
        others = [each for each in self.config.silences if each.id != silence.id]
        for simulated in recorder.incidents.values():
            incident = simulated.incident
            if incident.state_values.state is RESOLVED:
                continue
            assert simulated.latest is not None
            seen = _views(incident, simulated.latest)
            is_matched = is_active and silence.matches_source_and_event(seen, incident.source_id)
            if incident.state_values.silenced_by == silence.id and not is_matched:
                unsilence_incident(incident, active_silence(others, seen, incident.source_id, recorder.now), recorder)
            elif is_matched and incident.state_values.state is not SILENCED:
                silence_incident(incident, silence.id, recorder)


def _silence_changes_of(silences: Iterable[CompiledSilence], since: datetime) -> list[tuple[datetime, CompiledSilence]]:
    """When each silence begins and ends, in the order of time."""
    every = (
        (moment, silence)
        for silence in silences
        for piece in silence.active.periods
        for moment in piece
        if moment >= since
    )
    return sorted(every, key=itemgetter(0))


def _views(incident: IncidentRow, evaluated: EvaluatedEvent) -> tuple[Subject, ...]:
    """An incident as silences see it (`silences.Seen`): by itself and by its newest event, with what rules made of that."""
    assert evaluated.subject is not None
    return views(
        incident,
        incident.state_values.severity,
        evaluated.subject._replace(severity=incident.state_values.last_severity),
    )


def subject_of(event: StoredEvent, routing: SourceRouting) -> Subject:
    """The event as rules see it: from severity to tags it is the same in the same order."""
    return tuple.__new__(Subject, event[4:11] + routing.names + event.details)
