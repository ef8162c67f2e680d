"""The timers of simulated incidents. Due timers run when the incident is read (decision 0029)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from inbox.domain.deliveries.notification_plan import JOINED
from inbox.flow.preview.recorder import PreviewRecorder
from inbox.flow.preview.simulated_incident import NEVER, SimulatedIncident
from inbox.flow.routing.alerts import tell_joined
from inbox.flow.timers.incident_schedule import timers_of
from inbox.flow.timers.incident_timers import ACTS, TimerContext
from inbox.models.incidents.lock import IncidentRow

PORTION = 1_000
"""The number of incidents whose timers run between two pauses."""


class SimulatedTimers:
    """Runs the due timers of an incident before each other change, each at its due time.

    The timers of different incidents are independent, so the result is the same as with one common timer queue. The
    timers follow from the state of an incident, so no timer is stored.
    """

    def __init__(self, recorder: PreviewRecorder) -> None:
        self._recorder = recorder
        self._incidents = recorder.incidents
        self.joined: set[UUID] = set()
        """The incidents that alerts joined at this moment."""

    def run_due(self, incident: IncidentRow) -> IncidentRow:
        """Runs the due timers of an incident. Returns the same incident."""
        simulated = self._incidents[incident.id]
        if simulated.due <= self._recorder.now:
            self._run_timers(simulated, self._recorder.now)
        return incident

    def note_joined(self, id: UUID) -> None:
        """Notes an incident that an event changed, for `end_moment`. Routing tells of no other: one only counted waits."""
        simulated = self._incidents[id]
        is_changed = simulated.due == self._recorder.now  # an update makes the timers due
        if is_changed and simulated.incident.state_values.alerts.joined:
            self.joined.add(id)

    def end_moment(self) -> None:
        """Tells people of the alerts that joined at this moment, as routing does at the end of a batch.

        The incidents come in the order of their ids, so every run makes the same notices in the same order.
        """
        joined, self.joined = self.joined, set[UUID]()
        for id in sorted(joined & self._incidents.keys()):
            simulated = self._incidents[id]
            tell_joined([simulated.incident], self._recorder)
            simulated.due, _ = _first(simulated, ())

    def run_all_due(self, until: datetime) -> Iterator[None]:
        """Runs the timers of all incidents that are due up to and including a moment. Pauses after each portion."""
        due = [life for life in self._incidents.values() if life.due <= until]
        for first in range(0, len(due), PORTION):
            for simulated in due[first : first + PORTION]:
                self._run_timers(simulated, until)
            yield

    def drop_finished(self) -> None:
        """Runs the last timers of finished incidents, and removes the incidents. The caller calls it regularly."""
        finished, now = self._recorder.finished, self._recorder.now
        while finished and (finished[0].due <= now or finished[0].due is NEVER):
            simulated = finished.popleft()
            if simulated.due <= now:
                self._run_timers(simulated, now)

    def _run_timers(self, simulated: SimulatedIncident, until: datetime) -> None:
        """Runs the timers of an incident in order. Each runs at its due time, or later if it was overdue when set.

        1. Find the next due timer.
        2. Run it. If it changes nothing, skip its kind in this pass.
        3. Repeat until no timer is due. Then restore the time of the recorder.
        """
        first, kind = _first(simulated, ())
        incident, recorder, now, at = simulated.incident, self._recorder, self._recorder.now, simulated.due
        in_vain: tuple[str, ...] = (JOINED,) if incident.id in self.joined else ()
        while first <= until:
            at, stood = max(at, first), incident.state_values
            recorder.now = recorder.plans.now = at
            ACTS[kind](TimerContext(incident, simulated.plan, recorder))
            if incident.state_values is stood:
                in_vain = (*in_vain, kind)
            first, kind = _first(simulated, in_vain)
        simulated.due = first
        recorder.set_to(now)
        if simulated.is_finished and first is NEVER:
            recorder.forget(incident.id)


def _first(simulated: SimulatedIncident, in_vain: tuple[str, ...]) -> tuple[datetime, str]:
    """Returns the next timer and its time, without the kinds in `in_vain`.

    Of timers with the same due time, it returns the one that `timers.lock_next_due` claims first.
    """
    timers = timers_of(simulated.plan, simulated.incident.state_values)
    found, first = "", NEVER
    for kind, at in timers.items():
        if (at < first or (at == first and kind > found)) and kind not in in_vain:
            found, first = kind, at
    return first, found
