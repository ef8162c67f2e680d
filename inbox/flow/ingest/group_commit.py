"""Group commit: the ingest requests that wait in one process are stored by one transaction.

A group starts as soon as a committer is free. No request waits for a fixed interval.
"""

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

from inbox import metrics
from inbox.domain.refusals import IdempotencyInProgress, Unavailable
from inbox.flow.ingest.ingest import Accepted, GroupResult, IngestRequest, Outcome, store_group
from inbox.flow.ingest.post_commit import PostCommitWorker
from inbox.flow.ingest.rate_limit import IngestRateLimiter
from inbox.flow.unit_of_work import RETRYABLE, is_outage, retry_on_conflict, sqlstate
from inbox.models.events.ingest_store import IngestConnection, IngestStore, is_idempotency_lock_timeout
from inbox.models.sql.base import db

log = structlog.get_logger(__name__)

MAX_EVENTS = 200
MAX_BYTES = 1024 * 1024
"""The limits of a group; its first request is taken whatever its size. A full group wakes all committers."""

COMMITTERS = 2
"""While one committer waits for the disk, another commits the requests that did not fit."""

TIMEOUT_SECONDS = 20.0
"""The longest wait of a request for its outcome."""

SINGLE_LOCK_MS = 3_000
"""How long a single request waits for another one with the same key (specification 4.8)."""

YIELDS = 2
"""Yields to the event loop after a commit: answered requests are written, and new ones join the next group."""

MAX_SINGLES = 8
TRIES = 3

LOCK_NOT_AVAILABLE, READ_ONLY = "55P03", "25006"
GROUP_FAILURES = RETRYABLE | {LOCK_NOT_AVAILABLE}
"""Another transaction blocked the group. The database is up, so each request is committed alone to find the conflict.
"""


_ACCEPTED, _DUPLICATES = (metrics.INGEST_EVENTS.labels(outcome) for outcome in ("accepted", "duplicate"))


class PendingRequest:
    """A waiting request. `release_lock` is locked until it is released; an `outcome` of None makes it commit alone."""

    __slots__ = ("abandoned", "events", "outcome", "release_lock", "request")

    def __init__(self, request: IngestRequest) -> None:
        self.request = request
        self.events = max(1, request.body.count(b'"title"'))
        self.outcome: Outcome | None = None
        self.abandoned = False
        self.release_lock = _thread.allocate_lock()
        self.release_lock.acquire()

    def release(self, outcome: Outcome | None) -> None:
        self.outcome = outcome
        self.release_lock.release()


class GroupCommitter:
    """Commits waiting requests in groups. Each committer is a thread with its own connection.

    A committer repeats these steps:

    1. It takes the waiting requests up to the limits of a group.
    2. It commits them in one transaction.
    3. It releases them with their outcomes.

    A second committer starts when a full group waits while the first one commits.
    """

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._timeout = timeout
        self._waiting: deque[PendingRequest] = deque()
        self._events = 0
        self._lock = threading.Lock()
        self._wake_events = [threading.Event() for _ in range(COMMITTERS)]
        self._single_slots = threading.Semaphore(MAX_SINGLES)
        self._rates = IngestRateLimiter()
        self._post_commit = PostCommitWorker()
        self._connections = [IngestConnection() for _ in range(COMMITTERS)]
        for number in range(COMMITTERS):
            threading.Thread(target=self._run, args=(number,), name=f"committer {number}", daemon=True).start()

    def submit(self, request: IngestRequest) -> Accepted:
        """Wait until the request is committed; raises its `Refusal`, or `Unavailable` when the outcome is unknown."""
        pending = PendingRequest(request)
        with self._lock:
            self._waiting.append(pending)
            self._events += pending.events
            needed = 1 if self._events < MAX_EVENTS else COMMITTERS
        for wake in self._wake_events[:needed]:
            wake.set()
        if not pending.release_lock.acquire(timeout=self._timeout):
            pending.abandoned = True
            raise Unavailable()
        outcome = pending.outcome if pending.outcome is not None else self._commit_single(request)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _run(self, number: int) -> None:
        connection, wake = self._connections[number], self._wake_events[number]
        while True:
            wake.wait()
            wake.clear()
            while group := self._next_group():
                self._commit_group(group, connection)
                for _ in range(YIELDS):
                    time.sleep(0)

    def _next_group(self) -> list[PendingRequest]:
        group: list[PendingRequest] = []
        events = size = 0
        with self._lock:
            while self._waiting:
                pending = self._waiting[0]
                events, size = events + pending.events, size + len(pending.request.body)
                if group and (events > MAX_EVENTS or size > MAX_BYTES):
                    break
                self._waiting.popleft()
                self._events -= pending.events
                if not pending.abandoned:
                    group.append(pending)
        return group

    def _commit_group(self, group: Sequence[PendingRequest], connection: IngestConnection) -> None:
        try:
            result = self._commit([pending.request for pending in group], connection)
        except Exception as fault:  # noqa: BLE001 - the committer continues, and one bad request does not fail others
            down = _is_down(fault)
            log.warning(
                "group not committed", fault=type(fault).__name__, sqlstate=sqlstate(fault), requests=len(group)
            )
            for pending in group:
                pending.release(Unavailable() if down else None)
            return
        for pending, outcome in zip(group, result.outcomes, strict=True):
            pending.release(outcome)
        self._post_commit.submit(result)

    def _commit(self, requests: list[IngestRequest], connection: IngestConnection) -> GroupResult:
        for _ in range(TRIES - 1):
            store = connection.store()
            try:
                return store_group(requests, store, self._rates)
            except psycopg2.Error as fault:
                if _is_down(fault):
                    stale = connection.is_closed and not store.write_attempted
                    connection.close()
                    if not stale:
                        raise
                elif sqlstate(fault) not in RETRYABLE:
                    raise
        return store_group(requests, connection.store(), self._rates)

    def _commit_single(self, request: IngestRequest) -> Outcome:
        """Commit the request on a pooled connection. Other requests do not wait for it."""
        if not self._single_slots.acquire(timeout=self._timeout):
            raise Unavailable()
        connected = False
        try:
            connected = db.connect(reuse_if_open=True)
            store = IngestStore(db.connection(), lock_ms=SINGLE_LOCK_MS)
            result = retry_on_conflict(lambda: store_group([request], store, self._rates))
        except (psycopg2.Error, peewee.DatabaseError, MaxConnectionsExceeded) as fault:
            state = sqlstate(fault)
            log.warning("request not committed", fault=type(fault).__name__, sqlstate=state)
            if state == LOCK_NOT_AVAILABLE and is_idempotency_lock_timeout(fault):
                raise IdempotencyInProgress(retry_after=1) from fault
            if state in GROUP_FAILURES or _is_down(fault):
                raise Unavailable() from fault
            raise
        finally:
            if connected:
                db.close()
            self._single_slots.release()
        self._post_commit.submit(result)
        return result.outcomes[0]


def groups() -> GroupCommitter:
    """The committer of this process; a forked child creates its own."""
    global _groups
    if _groups is None:
        with _creation_lock:
            _groups = _groups or GroupCommitter()
    return _groups


def count_events(answer: Accepted) -> None:
    """Count an answer in the metrics, whichever way its events came in."""
    if answer.replayed:
        metrics.INGEST_REPLAYS.inc()
    if answer.accepted:
        _ACCEPTED.inc(answer.accepted)
    if answer.duplicates:
        _DUPLICATES.inc(answer.duplicates)
    for code in answer.warnings:
        metrics.INGEST_WARNINGS.labels(code).inc()


def _is_down(error: BaseException) -> bool:
    state = sqlstate(error)
    if isinstance(error, MaxConnectionsExceeded) or state == READ_ONLY:
        return True
    return is_outage(error) and state not in GROUP_FAILURES


def _forget() -> None:
    global _groups, _creation_lock
    _groups, _creation_lock = None, _thread.allocate_lock()


_groups: GroupCommitter | None = None
_creation_lock = _thread.allocate_lock()
os.register_at_fork(after_in_child=_forget)
