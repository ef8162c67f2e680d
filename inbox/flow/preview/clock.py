"""The timers of incidents in a course of events that is only played: they ring when somebody looks (decision 0023)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from inbox.flow.clocks import ACTS, Turn
from inbox.flow.plans import timers_of
from inbox.flow.preview.life import NEVER, Life
from inbox.flow.preview.tally import Tally
from inbox.models.incidents.lock import IncidentRow

PORTION = 1_000
"""Of so many incidents timers ring before others are let in."""


class Clock:
    """Lets the timers of an incident ring before anything else is done with it, each at its time.

    Incidents have nothing to do with each other's timers, so nobody can tell the difference from one clock for all. And
    which timers there are follows from how an incident stands, so none is ever set.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._lives = tally.lives

    def ring(self, incident: IncidentRow) -> IncidentRow:
        """What is due of it by now rings; answers the same incident."""
        life = self._lives[incident.id]
        if life.due <= self._tally.now:
            self._ring(life, self._tally.now)
        return incident

    def ring_all(self, until: datetime) -> Iterator[None]:
        """What is due of any incident up to this moment, this one among them; pauses after each portion of them."""
        due = [life for life in self._lives.values() if life.due <= until]
        for first in range(0, len(due), PORTION):
            for life in due[first : first + PORTION]:
                self._ring(life, until)
            yield

    def let_go(self) -> None:
        """What is left behind rings for the last time and is forgotten, once that is due; call it now and then."""
        left, now = self._tally.left, self._tally.now
        while left and (left[0].due <= now or left[0].due is NEVER):
            life = left.popleft()
            if life.due <= now:
                self._ring(life, now)

    def _ring(self, life: Life, until: datetime) -> None:
        """One after the other, each at its time or, where that was past when it was set, at that moment."""
        first, kind = _first(life, ())
        incident, tally, now, at = life.incident, self._tally, self._tally.now, life.due
        in_vain: tuple[str, ...] = ()
        while first <= until:
            at, stood = max(at, first), incident.state_values
            tally.now = tally.plans.now = at
            ACTS[kind](Turn(incident, life.plan, tally))
            if incident.state_values is stood:
                in_vain = (*in_vain, kind)
            first, kind = _first(life, in_vain)
        life.due = first
        tally.set_to(now)
        if life.left and first is NEVER:
            tally.forget(incident.id)


def _first(life: Life, in_vain: tuple[str, ...]) -> tuple[datetime, str]:
    """The next timer of the incident that did not ring `in_vain`; of one time it is that which `timers.hold` takes up first."""
    timers = timers_of(life.plan, life.incident.state_values)
    found, first = "", NEVER
    for kind, at in timers.items():
        if (at < first or (at == first and kind > found)) and kind not in in_vain:
            found, first = kind, at
    return first, found
