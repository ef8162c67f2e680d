"""Group commit: the requests of a process that wait at the same moment share one transaction, and none waits for a clock."""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections import deque
from collections.abc import Sequence

import peewee
import psycopg2
import structlog
from playhouse.pool import MaxConnectionsExceeded

from inbox.domain.refusals import IdempotencyInProgress, Unavailable
from inbox.flow.afterwards import Afterwards
from inbox.flow.again import PASSING, is_outage, persistently, sqlstate
from inbox.flow.rates import Rates
from inbox.flow.receive import Answer, Offer, Outcome, Settled, settle
from inbox.models.events.ingest_connection import IngestConnection
from inbox.models.events.ingest_store import IngestStore, is_idempotency_lock_timeout
from inbox.models.sql.base import db

log = structlog.get_logger(__name__)

MOST_EVENTS = 200
MOST_BYTES = 1024 * 1024
"""How much a group holds; its first request is taken whatever it holds. When so many wait, all committers are called."""

COMMITTERS = 2
"""While one waits for the disk, another one takes what did not fit into its group."""

PATIENCE_SECONDS = 20.0
"""How long a request waits for its outcome, all in all."""

ALONE_LOCK_MS = 3_000
"""How long a request on its own waits for another one with the same key (specification 4.8)."""

TURNS = 2
"""After a commit the loop turns: those let go write their answers, and those at the door come in for the next group."""

ALONE_AT_ONCE = 8
TRIES = 3

LOCK_NOT_AVAILABLE, READ_ONLY = "55P03", "25006"
IN_THE_WAY = PASSING | {LOCK_NOT_AVAILABLE}
"""Another transaction was in the way: the database is there, and who stands in whose way must be found out."""


class _Seat:
    """A request that waits: `done` is held until `outcome` is there; None sends it to settle on its own."""

    __slots__ = ("done", "events", "left", "offer", "outcome")

    def __init__(self, offer: Offer) -> None:
        self.offer = offer
        self.events = max(1, offer.body.count(b'"title"'))
        self.outcome: Outcome | None = None
        self.left = False
        self.done = _thread.allocate_lock()
        self.done.acquire()

    def release(self, outcome: Outcome | None) -> None:
        self.outcome = outcome
        self.done.release()


class Groups:
    """A committer with a connection of its own takes all that wait, commits, lets them go, and takes the next.

    A second one helps when a whole group waits while the first one is at it.
    """

    def __init__(self, *, patience: float = PATIENCE_SECONDS) -> None:
        self._patience = patience
        self._waiting: deque[_Seat] = deque()
        self._events = 0
        self._door = threading.Lock()
        self._wakes = [threading.Event() for _ in range(COMMITTERS)]
        self._alone_turns = threading.Semaphore(ALONE_AT_ONCE)
        self._rates = Rates()
        self._afterwards = Afterwards()
        self._lines = [IngestConnection() for _ in range(COMMITTERS)]
        for place in range(COMMITTERS):
            threading.Thread(target=self._run, args=(place,), name=f"committer {place}", daemon=True).start()

    def settle(self, offer: Offer) -> Answer:
        """Wait until the request is settled and committed; raises its `Refusal`, or `Unavailable` when that is unknown."""
        seat = _Seat(offer)
        with self._door:
            self._waiting.append(seat)
            self._events += seat.events
            needed = 1 if self._events < MOST_EVENTS else COMMITTERS
        for wake in self._wakes[:needed]:
            wake.set()
        if not seat.done.acquire(timeout=self._patience):
            seat.left = True
            raise Unavailable()
        outcome = seat.outcome if seat.outcome is not None else self._alone(offer)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _run(self, place: int) -> None:
        line, wake = self._lines[place], self._wakes[place]
        while True:
            wake.wait()
            wake.clear()
            while seats := self._take():
                self._serve(seats, line)
                for _ in range(TURNS):
                    time.sleep(0)

    def _take(self) -> list[_Seat]:
        seats: list[_Seat] = []
        events = size = 0
        with self._door:
            while self._waiting:
                seat = self._waiting[0]
                events, size = events + seat.events, size + len(seat.offer.body)
                if seats and (events > MOST_EVENTS or size > MOST_BYTES):
                    break
                self._waiting.popleft()
                self._events -= seat.events
                if not seat.left:
                    seats.append(seat)
        return seats

    def _serve(self, seats: Sequence[_Seat], line: IngestConnection) -> None:
        try:
            settled = self._settled([seat.offer for seat in seats], line)
        except Exception as fault:  # noqa: BLE001 - the committer goes on, and one bad request spoils no other
            down = _is_down(fault)
            log.warning(
                "group not committed", fault=type(fault).__name__, sqlstate=sqlstate(fault), requests=len(seats)
            )
            for seat in seats:
                seat.release(Unavailable() if down else None)
            return
        for seat, outcome in zip(seats, settled.outcomes, strict=True):
            seat.release(outcome)
        self._afterwards.follow(settled)

    def _settled(self, offers: list[Offer], line: IngestConnection) -> Settled:
        for _ in range(TRIES - 1):
            ledger = line.store()
            try:
                return settle(offers, ledger, self._rates)
            except psycopg2.Error as fault:
                if _is_down(fault):
                    stale = line.is_closed and not ledger.write_attempted
                    line.close()
                    if not stale:
                        raise
                elif sqlstate(fault) not in PASSING:
                    raise
        return settle(offers, line.store(), self._rates)

    def _alone(self, offer: Offer) -> Outcome:
        """On a connection of the pool and at its own risk; other requests do not wait for it."""
        if not self._alone_turns.acquire(timeout=self._patience):
            raise Unavailable()
        opened = False
        try:
            opened = db.connect(reuse_if_open=True)
            ledger = IngestStore(db.connection(), lock_ms=ALONE_LOCK_MS)
            settled = persistently(lambda: settle([offer], ledger, self._rates))
        except (psycopg2.Error, peewee.DatabaseError, MaxConnectionsExceeded) as fault:
            state = sqlstate(fault)
            log.warning("request not committed", fault=type(fault).__name__, sqlstate=state)
            if state == LOCK_NOT_AVAILABLE and is_idempotency_lock_timeout(fault):
                raise IdempotencyInProgress(retry_after=1) from fault
            if state in IN_THE_WAY or _is_down(fault):
                raise Unavailable() from fault
            raise
        finally:
            if opened:
                db.close()
            self._alone_turns.release()
        self._afterwards.follow(settled)
        return settled.outcomes[0]


def groups() -> Groups:
    """The groups of this process; a forked child has its own."""
    global _groups
    if _groups is None:
        with _making:
            _groups = _groups or Groups()
    return _groups


def _is_down(fault: BaseException) -> bool:
    state = sqlstate(fault)
    if isinstance(fault, MaxConnectionsExceeded) or state == READ_ONLY:
        return True
    return is_outage(fault) and state not in IN_THE_WAY


def _forget() -> None:
    global _groups, _making
    _groups, _making = None, _thread.allocate_lock()


_groups: Groups | None = None
_making = _thread.allocate_lock()
os.register_at_fork(after_in_child=_forget)
