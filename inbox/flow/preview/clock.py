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
    """A timer that rings: of an incident, or the turn of a silence."""

    at: datetime
    kind: str
    subject: Standing | Hush


class Clock:
    """What rings, in the order of time; of one time what was set first comes first."""

    def __init__(self, hushes: Iterable[Hush], since: datetime) -> None:
        self._places = count()
        self._rings: list[tuple[datetime, int, Ring]] = []
        self._set: dict[UUID, dict[str, datetime]] = {}
        for hush in hushes:
            for moment in (each for piece in hush.span.pieces for each in piece):
                if moment >= since:
                    self._push(Ring(moment, "", hush))

    def wind(self, incident: Standing, plan: Plan) -> None:
        """The incident has those timers that its plan wants now, and no others."""
        wanted = timers_of(plan, incident.now)
        known = self._set.get(incident.id)
        if not wanted:
            if known is not None:
                del self._set[incident.id]
            return
        for kind, at in wanted.items():
            if known is None or known.get(kind) != at:
                self._push(Ring(at, kind, incident))
        self._set[incident.id] = wanted

    def rung(self, until: datetime) -> Iterator[Ring]:
        """What rings up to this moment, this one among them; what is set meanwhile rings, too."""
        while self._rings and self._rings[0][0] <= until:
            ring = heapq.heappop(self._rings)[2]
            if not isinstance(ring.subject, Standing):
                yield ring
                continue
            timers = self._set.get(ring.subject.id)
            if timers is not None and timers.get(ring.kind) == ring.at:
                del timers[ring.kind]
                yield ring

    def _push(self, ring: Ring) -> None:
        heapq.heappush(self._rings, (ring.at, next(self._places), ring))
