"""The timers of incidents and the turns of silences in a course of events that is only played (decision 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import heappop, heappush
from itertools import count
from uuid import UUID

from inbox.domain.plan import Plan
from inbox.domain.silences import Hush
from inbox.flow.plans import timers_of
from inbox.models.standing import Standing

Ring = tuple[datetime, int, str, Standing | Hush]
"""A timer that rings: when, its place among those of one time, which kind, and of what: an incident, or a silence that turns."""

TURN = "turn"


class Clock:
    """What rings, in the order of time; of one time what was set first comes first."""

    def __init__(self, hushes: Iterable[Hush], since: datetime) -> None:
        self._places = count()
        self._rings: list[Ring] = []
        self._set: dict[UUID, dict[str, Ring]] = {}
        for hush in hushes:
            for moment in (each for piece in hush.span.pieces for each in piece):
                if moment >= since:
                    self._push(moment, TURN, hush)

    def wind(self, incident: Standing, plan: Plan) -> None:
        """The incident has those timers that its plan wants now, and no others."""
        wanted, known = timers_of(plan, incident.now), self._set.pop(incident.id, None)
        if not wanted:
            return
        timers = self._set[incident.id] = {}
        for kind, at in wanted.items():
            ring = None if known is None else known.get(kind)
            timers[kind] = ring if ring is not None and ring[0] == at else self._push(at, kind, incident)

    def rung(self, until: datetime) -> Iterator[Ring]:
        """What rings up to this moment, this one among them; what is set meanwhile rings, too."""
        rings = self._rings
        while rings and rings[0][0] <= until:
            ring = heappop(rings)
            _, _, kind, subject = ring
            if kind == TURN:
                yield ring
                continue
            timers = self._set.get(subject.id)
            if timers is not None and timers.get(kind) is ring:
                del timers[kind]
                yield ring

    def rings_by(self, moment: datetime) -> bool:
        """Whether anything may ring up to this moment."""
        rings = self._rings
        return bool(rings) and rings[0][0] <= moment

    def take_over(self, incident: Standing, other: Clock) -> None:
        """The incident has the timers that it has on another clock, in their order."""
        kept = sorted(other._set.get(incident.id, {}).values())
        self._set[incident.id] = {kind: self._push(at, kind, incident) for at, _, kind, _ in kept}

    def forget(self, incident_id: UUID) -> None:
        """No timer of this incident rings any more."""
        self._set.pop(incident_id, None)

    def _push(self, at: datetime, kind: str, subject: Standing | Hush) -> Ring:
        ring = (at, next(self._places), kind, subject)
        heappush(self._rings, ring)
        return ring
