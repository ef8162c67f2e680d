"""The timers of incidents and the turns of silences in a course of events that is only played (decision 8)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import count
from typing import NamedTuple
from uuid import UUID

from inbox.domain.plan import Plan
from inbox.domain.silences import Hush
from inbox.flow.plans import timers_of
from inbox.models.standing import Standing


class Ring(NamedTuple):
    """A timer that rings: of an incident, or the turn of a silence. Of one time the lower `place` comes first."""

    at: datetime
    place: int
    kind: str
    subject: Standing | Hush


class Clock:
    """What rings, in the order of time; of one time what was set first comes first."""

    def __init__(self, hushes: Iterable[Hush], since: datetime) -> None:
        self._places = count()
        self._rings: list[Ring] = []
        self._set: dict[UUID, dict[str, Ring]] = {}
        for hush in hushes:
            for moment in (each for piece in hush.span.pieces for each in piece):
                if moment >= since:
                    self._push(moment, "", hush)

    def wind(self, incident: Standing, plan: Plan) -> None:
        """The incident has those timers that its plan wants now, and no others."""
        known = self._set.pop(incident.id, None)
        timers = {}
        for kind, at in timers_of(plan, incident.now).items():
            ring = None if known is None else known.get(kind)
            timers[kind] = ring if ring is not None and ring.at == at else self._push(at, kind, incident)
        if timers:
            self._set[incident.id] = timers

    def rung(self, until: datetime) -> Iterator[Ring]:
        """What rings up to this moment, this one among them; what is set meanwhile rings, too."""
        while self.rings_by(until):
            ring = heapq.heappop(self._rings)
            if not isinstance(ring.subject, Standing):
                yield ring
                continue
            timers = self._set.get(ring.subject.id)
            if timers is not None and timers.get(ring.kind) is ring:
                del timers[ring.kind]
                yield ring

    def rings_by(self, moment: datetime) -> bool:
        """Whether anything may ring up to this moment."""
        return bool(self._rings) and self._rings[0].at <= moment

    def take_over(self, incident: Standing, other: Clock) -> None:
        """The incident has the timers that it has on another clock, in their order."""
        timers = other._set.get(incident.id, {})
        kept = sorted(timers.values(), key=lambda ring: ring.place)
        self._set[incident.id] = {ring.kind: self._push(ring.at, ring.kind, incident) for ring in kept}

    def forget(self, incident_id: UUID) -> None:
        """No timer of this incident rings any more."""
        self._set.pop(incident_id, None)

    def _push(self, at: datetime, kind: str, subject: Standing | Hush) -> Ring:
        ring = Ring(at, next(self._places), kind, subject)
        heapq.heappush(self._rings, ring)
        return ring
