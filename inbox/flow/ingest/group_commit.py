"""Group commit of ingest requests, and the tasks after a commit.

The tasks run in a separate thread: a client that waits for its answer does not wait for Redis.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import peewee
import psycopg2
import structlog
from playhouse.pool import MaxConnectionsExceeded

from inbox.database.base import db
from inbox.domain.events.validation import EventWarning
from inbox.domain.values.networks import Client, network
from inbox.domain.values.redaction import redact
from inbox.domain.values.refusals import IdempotencyInProgress, Unavailable
from inbox.flow.group_commit import TIMEOUT_SECONDS, GroupCommit, PerProcess, Waiting
from inbox.flow.ingest.ingest import store_group
from inbox.flow.ingest.request import Accepted, GroupResult, IngestRequest, Outcome
from inbox.flow.unit_of_work import RETRYABLE, is_outage, retry_on_conflict, sqlstate
from inbox.limits.ingest import IngestRateLimiter
from inbox.models.events.ingest_store import IngestConnection, IngestStore, is_idempotency_lock_timeout
from inbox.models.senders import source_warnings, sources
from inbox.models.senders.source_warnings import WarningCount
from inbox.runtime import metrics, queue
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

MAX_EVENTS = 200
MAX_BYTES = 1024 * 1024
"""The limits of a group. Its first request is taken at any size. A full group wakes all committers."""

COMMITTERS = 2
"""The number of committers. While one waits for the disk, another commits the requests that did not fit."""

SINGLE_LOCK_MS = 3_000
"""The time that a single request waits for another one with the same key (specification 4.8)."""

TRIES = 3

LOCK_NOT_AVAILABLE, READ_ONLY = "55P03", "25006"
GROUP_FAILURES = RETRYABLE | {LOCK_NOT_AVAILABLE}
"""The errors when another transaction blocked the group. Each request is then committed alone to find the conflict."""

WAKE_INTERVAL_SECONDS = 0.02
"""The shortest interval between two wake-ups of this process. After an idle period the first one is sent at once."""

USED_INTERVAL_SECONDS = 60.0
"""The shortest interval between two updates of a key's `last_used_at`."""

LONGEST_AGENT = 200
"""The number of characters of a user agent that are stored."""

COUNT_INTERVAL_SECONDS = 1.0
"""The shortest interval between two updates of the warning counts of sources."""

_ACCEPTED, _DUPLICATES = (metrics.INGEST_EVENTS.labels(outcome) for outcome in ("accepted", "duplicate"))


class PendingRequest(Waiting[Accepted]):
    """A waiting request with an estimate of its events."""

    __slots__ = ("events", "request")

    def __init__(self, request: IngestRequest) -> None:
        super().__init__()
        self.request = request
        self.events = max(1, request.body.count(b'"title"'))


class GroupCommitter(GroupCommit[PendingRequest]):
    """Stores waiting requests in groups. Each committer is a thread with its own connection.

    A second committer starts when a full group waits while the first one commits.
    """

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._events = 0
        self._rates = IngestRateLimiter()
        self._post_commit = PostCommitWorker()
        self._connections = [IngestConnection() for _ in range(COMMITTERS)]
        super().__init__([f"committer {number}" for number in range(COMMITTERS)], max_group=MAX_EVENTS, timeout=timeout)

    def submit(self, request: IngestRequest) -> Accepted:
        """Waits until the request is committed; raises its `Refusal`, or `Unavailable` when the outcome is unknown."""
        pending = PendingRequest(request)
        self._wait(pending)
        outcome = pending.outcome if pending.outcome is not None else self._commit_single(request)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _threads_needed(self, request: PendingRequest) -> int:
        self._events += request.events
        return 1 if self._events < MAX_EVENTS else COMMITTERS

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

    def _commit(self, group: Sequence[PendingRequest], number: int) -> None:
        try:
            result = self._stored([pending.request for pending in group], self._connections[number])
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

    def _stored(self, requests: list[IngestRequest], connection: IngestConnection) -> GroupResult:
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
        """Commits the request on a pooled connection."""
        try:
            with self._single():
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
        self._post_commit.submit(result)
        return result.outcomes[0]


def _is_down(error: BaseException) -> bool:
    state = sqlstate(error)
    if isinstance(error, MaxConnectionsExceeded) or state == READ_ONLY:
        return True
    return is_outage(error) and state not in GROUP_FAILURES


groups = PerProcess(GroupCommitter)
"""The committer of this process."""


def count_events(answer: Accepted) -> None:
    """Counts an answer in the metrics, for every way in which events arrive."""
    if answer.replayed:
        metrics.INGEST_REPLAYS.inc()
    if answer.accepted:
        _ACCEPTED.inc(answer.accepted)
    if answer.duplicates:
        _DUPLICATES.inc(answer.duplicates)
    for code in answer.warnings:
        metrics.INGEST_WARNINGS.labels(code).inc()


class PostCommitWorker:
    """A thread that wakes routing, updates `last_used_at` of keys, and counts the warnings of sources."""

    def __init__(self) -> None:
        self._wake = threading.Event()
        self._wake_routing = False
        self._gather_seconds = 0.0
        self._used_keys: dict[UUID, Client] = {}
        self._last_used_at: dict[UUID, float] = {}
        self._warning_counts: dict[tuple[UUID, str], WarningCount] = {}
        self._counts_lock = threading.Lock()
        self._count_at = 0.0
        threading.Thread(target=self._run, name="afterwards", daemon=True).start()

    def submit(self, result: GroupResult) -> None:
        """Queues the tasks of a committed group; returns at once."""
        now = time.monotonic()
        for key_id, client in result.clients.items():
            if now - self._last_used_at.get(key_id, -USED_INTERVAL_SECONDS) >= USED_INTERVAL_SECONDS:
                self._last_used_at[key_id] = now
                self._used_keys[key_id] = client
        if result.new:
            self._wake_routing = True
        if result.warnings_by_source:
            self._collect_warnings(result.warnings_by_source)
        if self._wake_routing or self._used_keys or result.warnings_by_source:
            self._wake.set()

    def _collect_warnings(self, warning_counts: list[tuple[UUID, list[EventWarning]]]) -> None:
        now = datetime.now(UTC)
        with self._counts_lock:
            for source_id, warnings in warning_counts:
                for code, pointer, detail in warnings:
                    before = self._warning_counts.get((source_id, code))
                    number = 1 if before is None else before.number + 1
                    self._warning_counts[source_id, code] = WarningCount(source_id, code, number, now, pointer, detail)

    def _run(self) -> None:
        while True:
            self._wake.wait(max(0.0, self._count_at - time.monotonic()) if self._warning_counts else None)
            self._wake.clear()
            try:
                self._run_tasks()
            except Exception:  # the loop continues: the sweep finds the events, and `last_used_at` is not essential
                log.exception("post-commit tasks failed")
            time.sleep(max(WAKE_INTERVAL_SECONDS, self._gather_seconds))

    def _run_tasks(self) -> None:
        if self._wake_routing:
            self._wake_or_gather()
        if self._used_keys:
            used, self._used_keys = self._used_keys, {}
            _update_last_used(used)
        if self._warning_counts and time.monotonic() >= self._count_at:
            self._count_at = time.monotonic() + COUNT_INTERVAL_SECONDS
            with self._counts_lock:
                warning_counts, self._warning_counts = self._warning_counts, {}
            _add_warnings(warning_counts.values())

    def _wake_or_gather(self) -> None:
        """Wakes routing now, or returns later when the latest events have been gathered."""
        queues = queue.job_queues()
        self._gather_seconds = queues.seconds_to_gather(QueueName.ROUTING)
        if self._gather_seconds:
            self._wake.set()
        else:
            self._wake_routing = False
            queues.wake(QueueName.ROUTING)


def _update_last_used(clients: Mapping[UUID, Client]) -> None:
    now = datetime.now(UTC)
    described = {key_id: (network(address), _printable(agent)) for key_id, (address, agent) in clients.items()}
    try:
        with db.connection_context():
            sources.record_use(described, now, now - timedelta(seconds=USED_INTERVAL_SECONDS))
    except (peewee.DatabaseError, peewee.InterfaceError, psycopg2.Error, MaxConnectionsExceeded) as fault:
        log.warning("key last_used_at not updated", fault=type(fault).__name__)


def _printable(agent: str) -> str:
    """Returns at most `LONGEST_AGENT` characters of the user agent, without control characters and the service's keys."""
    return redact("".join(each for each in agent if each.isprintable()))[:LONGEST_AGENT]


def _add_warnings(warning_counts: Iterable[WarningCount]) -> None:
    try:
        with db.connection_context():
            source_warnings.add(warning_counts)
    except (peewee.DatabaseError, peewee.InterfaceError, psycopg2.Error, MaxConnectionsExceeded) as fault:
        log.warning("source warnings not counted", fault=type(fault).__name__)
