"""Group commit of pings: the pings that wait in one web process are stored by one transaction (decision 0067)."""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog

from inbox import metrics
from inbox.domain.refusals import Unauthenticated, Unavailable
from inbox.flow.heartbeats import ping as single
from inbox.flow.heartbeats.ping import MINUTE, ReceivedPing
from inbox.flow.heartbeats.transitions import MonitorWrites
from inbox.flow.retries import is_outage, sqlstate
from inbox.flow.unit_of_work import work
from inbox.models.heartbeats import history, monitors
from inbox.models.sql.base import db

log = structlog.get_logger(__name__)

MAX_PINGS = 200
"""The pings of a group."""

TIMEOUT_SECONDS = 20.0
MAX_SINGLES = 8
"""How many pings of a process are stored alone at the same moment."""

YIELDS = 2
"""Yields to the event loop after a commit, so that new pings join the next group."""

THROTTLED = "throttled"
Outcome = str | Exception | None
"""What the metrics count: the kind of the ping, or `THROTTLED`. None: the ping must be stored alone."""


class PendingPing:
    """A waiting ping without a run id. `release_lock` is locked until the ping has its outcome."""

    __slots__ = ("abandoned", "digest", "now", "outcome", "ping", "release_lock")

    def __init__(self, digest: bytes, ping: ReceivedPing, now: datetime) -> None:
        self.digest = digest
        self.ping = ping
        self.now = now
        self.outcome: Outcome = None
        self.abandoned = False
        self.release_lock = _thread.allocate_lock()
        self.release_lock.acquire()


class PingCommitter:
    """Stores waiting pings in groups, in a thread."""

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._timeout = timeout
        self._waiting: deque[PendingPing] = deque()
        self._wake = threading.Event()
        self._single_slots = threading.Semaphore(MAX_SINGLES)
        threading.Thread(target=self._run, name="ping committer", daemon=True).start()

    def submit(self, digest: bytes, ping: ReceivedPing, now: datetime) -> None:
        """Wait until the ping is committed; raises `Unauthenticated`, or `Unavailable` when the outcome is unknown."""
        pending = PendingPing(digest, ping, now)
        self._waiting.append(pending)
        self._wake.set()
        if not pending.release_lock.acquire(timeout=self._timeout):
            pending.abandoned = True
            raise Unavailable()
        if isinstance(pending.outcome, Exception):
            raise pending.outcome
        if pending.outcome is None:
            self._store_alone(pending)

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._waiting:
                taken = [self._waiting.popleft() for _ in range(min(MAX_PINGS, len(self._waiting)))]
                group = [pending for pending in taken if not pending.abandoned]
                for pending, outcome in zip(group, _stored(group), strict=True):
                    pending.outcome = outcome
                    pending.release_lock.release()
                for _ in range(YIELDS):
                    time.sleep(0)

    def _store_alone(self, pending: PendingPing) -> None:
        if not self._single_slots.acquire(timeout=self._timeout):
            raise Unavailable()
        connected = False
        try:
            connected = db.connect(reuse_if_open=True)
            single.receive(pending.digest, pending.ping, pending.now)
        finally:
            if connected:
                db.close()
            self._single_slots.release()


def _stored(group: Sequence[PendingPing]) -> Sequence[Outcome]:
    """The outcome of each ping of the group. When the group cannot be stored, each ping is stored alone."""
    if not group:
        return []
    try:
        with db.connection_context():
            outcomes = store_group(group)
    except Exception as fault:  # noqa: BLE001 - the committer continues, and one ping does not fail others
        log.warning("pings not stored together", fault=type(fault).__name__, sqlstate=sqlstate(fault), pings=len(group))
        return [Unavailable() if is_outage(fault) else None] * len(group)
    for outcome in outcomes:
        if isinstance(outcome, str):
            metrics.HEARTBEAT_PINGS.labels(outcome).inc()
    return outcomes


def store_group(group: Sequence[PendingPing]) -> list[Outcome]:
    """Store pings in one transaction, in their order, and return the outcome of each.

    1. The monitors of their tokens are locked in the order of their ids. A monitor that is locked, or whose rate limit
       is used up, is left out.
    2. Each ping is applied to its monitor.
    3. The monitors are saved and the pings inserted, each in one statement. Without such pings nothing is written.
    """
    interval = single.ping_interval()
    with work() as done:
        latest = max(pending.now for pending in group) + MINUTE - interval
        locked = monitors.lock_by_tokens({pending.digest for pending in group}, latest)
        writes = MonitorWrites()
        rows: list[dict[str, Any]] = []
        outcomes: list[Outcome] = []
        for pending in group:
            monitor = locked.get(pending.digest)
            if monitor is None or monitor.throttle_at > pending.now + MINUTE - interval:
                outcomes.append(None if monitor is None else THROTTLED)
                continue
            monitors.throttle(monitor, pending.now, interval)
            rows.append(single.change(monitor, pending.ping, pending.now, done, writes))
            outcomes.append(str(pending.ping.kind))
        writes.flush(done)
        history.insert(rows)
        return _explained(group, outcomes, latest)


def _explained(group: Sequence[PendingPing], outcomes: Sequence[Outcome], latest: datetime) -> list[Outcome]:
    """The outcomes, with the reason why a monitor was left out."""
    left_out = {pending.digest for pending, outcome in zip(group, outcomes, strict=True) if outcome is None}
    throttles = monitors.throttles(left_out) if left_out else {}

    def explained(digest: bytes) -> Outcome:
        if digest not in throttles:
            return Unauthenticated()
        return THROTTLED if throttles[digest] > latest else None

    return [
        explained(pending.digest) if outcome is None else outcome
        for pending, outcome in zip(group, outcomes, strict=True)
    ]


def committer() -> PingCommitter:
    """The committer of this process; a forked child creates its own."""
    global _committer
    if _committer is None:
        with _creation_lock:
            _committer = _committer or PingCommitter()
    return _committer


def _forget() -> None:
    global _committer, _creation_lock
    _committer, _creation_lock = None, _thread.allocate_lock()


_committer: PingCommitter | None = None
_creation_lock = _thread.allocate_lock()
os.register_at_fork(after_in_child=_forget)
