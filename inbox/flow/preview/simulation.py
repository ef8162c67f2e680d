"""The simulation of events by one configuration. It applies events, timers and silence changes in the order of time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from inbox.domain.events.subject import Subject
from inbox.domain.incidents.state_machine import RESOLVED, SILENCED
from inbox.domain.routing.decision import RoutingOutcome
from inbox.domain.routing.matchers.evaluation_cost import EVENT_BUDGET
from inbox.domain.routing.rules import Verdict
from inbox.domain.routing.silences import CompiledSilence, active_silence, views
from inbox.domain.values.refusals import TooCostly
from inbox.flow.preview.recorder import Listener, PreviewRecorder
from inbox.flow.preview.simulated_timers import SimulatedTimers
from inbox.flow.routing.apply_event import apply_event
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.flow.routing.silence_coverage import silence_incident, unsilence_incident
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing.routing_results import DeferredEvent

MAX_SILENCE_UNITS = 100 * EVENT_BUDGET
"""The limit of work for the beginnings and ends of silences in one simulation."""


Visit = Callable[[IncidentRow], IncidentRow]


class SimulatedIndex(IncidentIndex):
    """An index that starts empty. It calls `visit` with each incident before it returns the incident."""

    def __init__(self, visit: Visit) -> None:
        super().__init__()
        self._visit = visit

    def latest(self, source_id: UUID, fingerprint: str) -> IncidentRow | None:
        """Does the same as `IncidentIndex.latest`, after the visit."""
        one = self._by_fingerprint.get((source_id.int, fingerprint))
        return one if one is None else self._visit(one)

    def unresolved(self, source_id: UUID, fingerprints: Iterable[str], dedup_key: str | None) -> list[IncidentRow]:
        """Does the same as `IncidentIndex.unresolved`.

        A visit never reopens an incident, so only the found ones are checked again.
        """
        found = super().unresolved(source_id, fingerprints, dedup_key)
        return [one for one in found if self._visit(one).state_values.state is not RESOLVED] if found else found

    def named(self, source_id: UUID, dedup_key: str) -> Sequence[IncidentRow]:
        """Returns the incidents of a dedup key that events can still match, in the order in which they opened."""
        return [self._visit(one) for one in self._by_key.get((source_id.int, dedup_key), ()) if self._may_end(one)]

    def match(self, workspace_id: UUID, verdict: Verdict, at: datetime) -> None:
        """Does nothing: match counts of rules are not needed in a simulation."""

    def join(self, held: Iterable[DeferredEvent], incident: IncidentRow) -> None:
        """Does nothing: the incident of a deferred event is not needed in a simulation."""

    def adopt_counters(self, rule_ids: Sequence[UUID], fingerprint: str, other: SimulatedIndex) -> None:
        """Copies the deferred events of these rules for a fingerprint from another index."""
        for rule_id, held in other._waits.get(fingerprint, {}).items():
            if rule_id in rule_ids:
                self._waits.setdefault(fingerprint, {})[rule_id] = held

    def forget(self, incident: IncidentRow) -> None:
        """Removes the incident and all incidents of its dedup key."""
        self._by_fingerprint.pop(incident.key, None)
        for key in incident.alerts:
            self._by_key.pop((incident.source_id.int, key), None)


class SimulatedEvent(NamedTuple):
    """An evaluated event and its routing outcome."""

    evaluated: EvaluatedEvent
    outcome: RoutingOutcome


class Simulation:
    """A simulation from `since` on. It starts without open incidents, and no person acts.

    Events arrive in the order of time. Each is routed at the moment of its receipt. With `clocks` false, no timer runs
    and no silence changes. The `listener` receives each notice, in order for each incident.
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
        self._units_of_silences = 0
        self._silence_changes = deque(_silence_changes_of(config.silences, since) if clocks else ())

    def process(self, evaluated: EvaluatedEvent) -> SimulatedEvent:
        """Processes the next event."""
        at, recorder = evaluated.event.received_at, self.recorder
        if self._silence_changes:
            for _ in self.advance_to(at):
                pass
        elif at > recorder.now:
            self.end_moment()
            recorder.now = recorder.plans.now = at
        outcome = apply_event(evaluated, self.index, recorder)
        if outcome.incident_id is not None:
            self._clock.note_joined(outcome.incident_id)
        if self.config.silences and outcome.incident_id is not None:
            simulated = recorder.incidents[outcome.incident_id]
            simulated.latest = None if simulated.incident.state_values.state is RESOLVED else evaluated
        return SimulatedEvent(evaluated, outcome)

    def end_moment(self) -> None:
        """Ends the events of one moment. The next event, or `run_until`, does so as well."""
        self._clock.end_moment()

    def adopt(self, incident: IncidentRow, other: Simulation) -> None:
        """Copies an incident from another simulation that is at the same moment."""
        own = replace(incident, alerts={key: copy(alert) for key, alert in incident.alerts.items()})
        self.index.add(own)
        self.recorder.adopt(own, other.recorder)
        if incident.id in other._clock.joined:
            self._clock.joined.add(incident.id)

    def forget(self, incident: IncidentRow) -> None:
        """Removes an incident. It continues in another simulation only."""
        self.index.forget(incident)
        self.recorder.forget(incident.id)

    def advance_to(self, moment: datetime) -> Iterator[None]:
        """Advances the time, which never goes back. Timers run when their incident is read. Pauses after each change.

        For each silence change up to the moment:

        1. Run all timers that are due before it.
        2. Apply the change at its time.
        """
        changes, recorder = self._silence_changes, self.recorder
        if moment > recorder.now:
            self.end_moment()
        while changes and changes[0][0] <= moment:
            at, silence = changes.popleft()
            yield from self._clock.run_all_due(at - datetime.resolution)
            recorder.set_to(max(at, recorder.now))
            self._apply_silence_change(silence)
            yield
        if moment > recorder.now:
            recorder.set_to(moment)

    def run_until(self, moment: datetime) -> Iterator[None]:
        """Runs all timers and silence changes up to a moment. Pauses now and then."""
        yield from self.advance_to(moment)
        self.end_moment()
        if self._has_clocks:
            yield from self._clock.run_all_due(moment)

    def drop_finished(self) -> None:
        """Runs the last timers of incidents that no event can match, and removes them. The caller calls it regularly."""
        if self._has_clocks:
            self._clock.drop_finished()

    def _apply_silence_change(self, silence: CompiledSilence) -> None:
        """Applies a change like `silences.apply_transition`: ends or starts the coverage of each incident."""
        recorder, is_active = self.recorder, silence.active.covers(self.recorder.now)
        is_costly = any(each.cost is not None for each in self.config.silences)
        others = [each for each in self.config.silences if each.id != silence.id]
        for simulated in recorder.incidents.values():
            incident = simulated.incident
            if incident.state_values.state is RESOLVED:
                continue
            assert simulated.latest is not None
            seen = _views(incident, simulated.latest)
            if is_costly:
                self._spend(silence.units(seen) + (EVENT_BUDGET if incident.state_values.silenced_by else 0))
            is_matched = is_active and silence.matches_source_and_event(seen, incident.source_id)
            if incident.state_values.silenced_by == silence.id and not is_matched:
                unsilence_incident(incident, active_silence(others, seen, incident.source_id, recorder.now), recorder)
            elif is_matched and incident.state_values.state is not SILENCED:
                silence_incident(incident, silence.id, recorder)

    def _spend(self, units: int) -> None:
        """Counts the work on silences, which no pause interrupts. Raises `TooCostly`."""
        self._units_of_silences += units
        if self._units_of_silences > MAX_SILENCE_UNITS:
            raise TooCostly("The silences cost too much for the incidents of this time span: choose a shorter one.")


def _silence_changes_of(silences: Iterable[CompiledSilence], since: datetime) -> list[tuple[datetime, CompiledSilence]]:
    """Returns the moments at which silences begin or end, in the order of time."""
    every = (
        (moment, silence)
        for silence in silences
        for piece in silence.active.periods
        for moment in piece
        if moment >= since
    )
    return sorted(every, key=itemgetter(0))


def _views(incident: IncidentRow, evaluated: EvaluatedEvent) -> tuple[Subject, ...]:
    """Returns the views of an incident for silences (`silences.views`). The rules set the severity of its newest event."""
    assert evaluated.subject is not None
    return views(
        incident,
        incident.state_values.severity,
        evaluated.subject._replace(severity=incident.state_values.last_severity),
    )
