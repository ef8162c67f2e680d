"""The timers of incidents in a course of events that is only played: they ring when somebody looks (decision 0023)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from inbox.flow.preview.recorder import PreviewRecorder
from inbox.flow.preview.simulated_incident import NEVER, SimulatedIncident
from inbox.flow.timers.incident_schedule import timers_of
from inbox.flow.timers.incident_timers import ACTS, TimerContext
from inbox.models.incidents.lock import IncidentRow

PORTION = 1_000
"""Of so many incidents timers ring before others are let in."""


class SimulatedTimers:
    """Lets the timers of an incident ring before anything else is done with it, each at its time.

    Incidents have nothing to do with each other's timers, so nobody can tell the difference from one clock for all. And
    which timers there are follows from how an incident stands, so none is ever set.
    """

    def __init__(self, recorder: PreviewRecorder) -> None:
        self._recorder = recorder
        self._incidents = recorder.incidents

    def run_due(self, incident: IncidentRow) -> IncidentRow:
        """What is due of it by now rings; answers the same incident."""
        simulated = self._incidents[incident.id]
        if simulated.due <= self._recorder.now:
            self._run_timers(simulated, self._recorder.now)
        return incident

    def run_all_due(self, until: datetime) -> Iterator[None]:
        """What is due of any incident up to this moment, this one among them; pauses after each portion of them."""
        due = [life for life in self._incidents.values() if life.due <= until]
        for first in range(0, len(due), PORTION):
            for simulated in due[first : first + PORTION]:
                self._run_timers(simulated, until)
            yield

    def drop_finished(self) -> None:
        """What is left behind rings for the last time and is forgotten, once that is due; call it now and then."""
        finished, now = self._recorder.finished, self._recorder.now
        while finished and (finished[0].due <= now or finished[0].due is NEVER):
            simulated = finished.popleft()
            if simulated.due <= now:
                self._run_timers(simulated, now)

    def _run_timers(self, simulated: SimulatedIncident, until: datetime) -> None:
        """One after the other, each at its time or, where that was past when it was set, at that moment."""
        first, kind = _first(simulated, ())
        incident, recorder, now, at = simulated.incident, self._recorder, self._recorder.now, simulated.due
        in_vain: tuple[str, ...] = ()
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
    """The next timer of the incident that did not ring `in_vain`; of one time it is that which `timers.hold` takes up first."""
    timers = timers_of(simulated.plan, simulated.incident.state_values)
    found, first = "", NEVER
    for kind, at in timers.items():
        if (at < first or (at == first and kind > found)) and kind not in in_vain:
            found, first = kind, at
    return first, found
