"""Tasks after an ingest commit, in a separate thread: a client that waits for its answer does not wait for Redis."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import peewee
import psycopg2
import structlog
from playhouse.pool import MaxConnectionsExceeded

from inbox import queue
from inbox.domain.events import EventWarning
from inbox.domain.networks import Client, network
from inbox.domain.redaction import redact
from inbox.flow.ingest.ingest import GroupResult
from inbox.models.sql.base import db
from inbox.models.tables import source_warnings, sources
from inbox.models.tables.source_warnings import WarningCount
from inbox.queue import QueueName

log = structlog.get_logger(__name__)

WAKE_INTERVAL_SECONDS = 0.02
"""The shortest interval between two wake-ups of this process. After an idle period the first one is sent at once."""

USED_INTERVAL_SECONDS = 60.0
"""The shortest interval between two updates of a key's `last_used_at`."""

LONGEST_AGENT = 200
"""The characters of a user agent that are stored."""

COUNT_INTERVAL_SECONDS = 1.0
"""The shortest interval between two updates of the warning counts of sources."""


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
        """Queue the tasks of a committed group; returns at once."""
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
        """Wake routing, or come back when the events of the last moments are gathered."""
        self._gather_seconds = queue.job_queues().seconds_to_gather(QueueName.ROUTING)
        if self._gather_seconds:
            self._wake.set()
        else:
            self._wake_routing = False
            queue.job_queues().wake(QueueName.ROUTING)


def _update_last_used(clients: Mapping[UUID, Client]) -> None:
    now = datetime.now(UTC)
    described = {key_id: (network(address), _printable(agent)) for key_id, (address, agent) in clients.items()}
    try:
        with db.connection_context():
            sources.record_use(described, now, now - timedelta(seconds=USED_INTERVAL_SECONDS))
    except (peewee.DatabaseError, peewee.InterfaceError, psycopg2.Error, MaxConnectionsExceeded) as fault:
        log.warning("key last_used_at not updated", fault=type(fault).__name__)


def _printable(agent: str) -> str:
    """The user agent without control characters and without keys of the service, at most `LONGEST_AGENT` characters."""
    return redact("".join(each for each in agent if each.isprintable()))[:LONGEST_AGENT]


def _add_warnings(warning_counts: Iterable[WarningCount]) -> None:
    try:
        with db.connection_context():
            source_warnings.add(warning_counts)
    except (peewee.DatabaseError, peewee.InterfaceError, psycopg2.Error, MaxConnectionsExceeded) as fault:
        log.warning("source warnings not counted", fault=type(fault).__name__)
