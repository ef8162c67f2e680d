"""Routing: shards of the queue are drained in batches, in order per source, by as many workers as there are."""

from __future__ import annotations

from collections import defaultdict, deque
from datetime import timedelta
from functools import partial
from typing import NamedTuple

import structlog

from inbox.flow.again import is_outage, persistently
from inbox.flow.apply import apply
from inbox.flow.crew import Crew
from inbox.flow.debts import settle
from inbox.flow.rulebook import needs
from inbox.flow.suspects import AT_MOST, Clock, Round, one_at_a_time
from inbox.flow.turns import Turns
from inbox.flow.work import work
from inbox.models import routing
from inbox.models.base import db
from inbox.models.routing import Unrouted
from inbox.queue import Bell, bells, is_leaving

log = structlog.get_logger(__name__)

TOGETHER = 2_000
"""So many events go in one transaction: the more repeats an incident counts at once, the less each costs."""

PATIENCE = timedelta(seconds=45)
"""For how long one call works before it calls for a fresh one; less than the job's limit by far more than a batch."""

CRASHES = 3
"""Which beginning in a row without an end makes a shard's events go one at a time."""


def route(clock: Clock, *, patience: timedelta = PATIENCE, hands: int = 1) -> int:
    """Route until nothing is left, time is up or the process is to end; answers how many places were dealt with.

    Any number of workers may call it at once, and each serves as many shards side by side as it has `hands`. An event whose
    routing fails is passed over until the next call, and so are later ones of its fingerprint.
    """
    settle()
    until = clock() + patience
    with Crew[int | Alone](hands) as crew:
        shift = _Shift(clock, crew)
        while clock() < until and not is_leaving():
            if not shift.goes_on():
                return shift.dealt
        shift.ends()
    bells().ring(Bell.ROUTING)
    return shift.dealt


class Alone(NamedTuple):
    """A shard's next events, so `many`, are to go one at a time; they are `deadly` where the process kept dying in it.

    Nothing else is done meanwhile in this process: who is tried while it dies is who it died of.
    """

    many: int = AT_MOST
    deadly: bool = False


class _Shift:
    """The work of one call: whose turn it is, and what came of it."""

    def __init__(self, clock: Clock, crew: Crew[int | Alone]) -> None:
        self.dealt = 0
        self._clock, self._crew = clock, crew
        self._turns, self._turn = Turns(TOGETHER), deque[int]()
        self._left = defaultdict[int, Round](Round)
        self._alone = dict[int, Alone]()
        self._called = False

    def goes_on(self) -> bool:
        """Serve those whose turn it is; False when there is nothing to be done."""
        if not self._turn:
            self._look()
        if not self._turn and not self._crew.busy:
            return False
        while self._turn and self._crew.free and not self._alone:
            shard = self._turn.popleft()
            batch = partial(_batch, shard, self._left[shard], self._clock)
            self._crew.call(shard, batch, is_only=not self._turn)
        self._take()
        return True

    def ends(self) -> None:
        """What is under way comes to its end."""
        while self._crew.busy:
            self._take()

    def _look(self) -> None:
        shards = routing.shards_with_work()
        if self.dealt and not self._called and len(shards) > 1:
            self._called = bells().ring(Bell.ROUTING)
        free = [shard for shard in shards if shard not in self._crew.busy]
        self._turn.extend(self._turns.next(free, self._crew.free))

    def _take(self) -> None:
        for shard, outcome in self._crew.answers():
            if isinstance(outcome, Alone):
                self._alone[shard] = outcome
            else:
                self._served(shard, outcome)
        while self._alone and not self._crew.busy:
            shard, how = self._alone.popitem()
            dealt = one_at_a_time(shard, self._left[shard], self._clock, many=how.many, deadly=how.deadly)
            self._served(shard, dealt)

    def _served(self, shard: int, dealt: int) -> None:
        self.dealt += dealt
        self._turns.served(shard, dealt)


def _batch(shard: int, left: Round, clock: Clock) -> int | Alone:
    """One batch of a shard; how many places of the queue it dealt with, none when the shard is another worker's."""
    tries = _begin(shard)
    if tries is None:
        return 0
    if tries >= CRASHES:
        log.warning("a shard did not come to its end; its events go one at a time", shard=shard, tries=tries)
        return Alone(deadly=True)
    try:
        dealt = persistently(lambda: _together(shard, left, clock))
        return Alone(many=1) if dealt is None else dealt
    except Exception as fault:
        if is_outage(fault):
            raise
        log.exception("a batch could not be routed; its events go one at a time", shard=shard)
        return Alone()


def _begin(shard: int) -> int | None:
    with db.atomic():
        return routing.begin(shard) if routing.hold(shard) else None


def _together(shard: int, left: Round, clock: Clock) -> int | None:
    """Route the next events in one transaction; None when the next one has failed before and wants to go alone."""
    with work() as done:
        if not routing.hold(shard):
            routing.retreat(shard)
            return 0
        events, gone = routing.claim(shard, TOGETHER, left.after, needs())
        ready = _ready(events, left)
        routing.leave(shard, [*gone, *(event.seq for event in ready)])
        if events and not ready:
            return None
        apply(ready, clock(), done)
        routing.ended(shard)
        return len(gone) + len(ready)


def _ready(events: list[Unrouted], left: Round) -> list[Unrouted]:
    """The events up to the first that failed before, without those that must wait for another."""
    ready: list[Unrouted] = []
    for event in events:
        if left.must_wait(event):
            continue
        if event.attempts:
            break
        ready.append(event)
    return ready
