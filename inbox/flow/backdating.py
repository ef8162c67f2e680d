"""Writes the past of a workspace: runs the pipeline with the caller's clock, for example to create sample data.

The transaction is the caller's `backdated_work`. Nothing is sent: the caller supplies the answers of the receivers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from inbox.database.base import db
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.heartbeats import monitor as monitor_rules
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.flow.heartbeats import ping as heartbeat_ping
from inbox.flow.heartbeats import transitions
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.flow.ingest.ingest import store_group
from inbox.flow.ingest.request import IngestRequest
from inbox.flow.routing import evaluate
from inbox.flow.routing.process_batch import process
from inbox.flow.timers.run import run_timer
from inbox.flow.unit_of_work import work
from inbox.limits.ingest import Charge, IngestRateLimiter
from inbox.models.deliveries import claims as delivery_claims
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.events import queue as event_queue
from inbox.models.events.ingest_store import IngestStore
from inbox.models.events.queue import shard_of
from inbox.models.heartbeats import monitors
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.incidents import timers
from inbox.models.senders.sources import SourceKey

LOCK_MS = 3_000
ROOM = 100
"""The number of deliveries in one claim."""

Answer = Callable[[ClaimedDelivery, datetime], Receipt]
"""Returns a receiver's answer to a delivery at a time."""


class Unlimited(IngestRateLimiter):
    """Applies no rate limit: events of several days arrive within seconds."""

    def consume(self, charges: Sequence[Charge]) -> list[int]:
        """Lets each request pass."""
        return [0] * len(charges)


class Backdating:
    """Writes events, timers and deliveries of a workspace that no other transaction sees yet."""

    def __init__(self, workspace_id: UUID, begins_at: datetime, answer: Answer) -> None:
        self.workspace_id = workspace_id
        self._answer = answer
        self._store = IngestStore(db.connection(), lock_ms=LOCK_MS)
        self._destination_ids: Sequence[UUID] = ()
        self._now = begins_at

    def use_destinations(self, destination_ids: Sequence[UUID]) -> None:
        """Sets the destinations whose deliveries are sent."""
        self._destination_ids = destination_ids

    def receive(self, key: str, source_id: UUID, event: Mapping[str, Any], at: datetime) -> None:
        """Stores and routes one event. Raises the error with which the request would have been answered."""
        digest = hashlib.sha256(key.encode()).hexdigest()
        request = IngestRequest(digest, orjson.dumps(event), None, at)
        [outcome] = store_group([request], self._store, Unlimited()).outcomes
        if isinstance(outcome, Exception):
            raise outcome
        self._route(shard_of(source_id), at)
        SourceKey.update(last_used_at=at).where(SourceKey.source == source_id).execute()

    def ping(self, monitor_id: UUID, ping: ReceivedPing, at: datetime) -> None:
        """Applies a ping of a heartbeat monitor, and routes its event."""
        with work() as done:
            monitor = self._monitor(monitor_id)
            heartbeat_ping.apply(monitor, ping, at, done)
            self._forget_check(monitor)
        self._route_queued(monitor, at)

    def check_monitor(self, monitor_id: UUID, at: datetime) -> None:
        """Checks a monitor that received no ping until this time, and routes its event."""
        with work() as done:
            monitor = self._monitor(monitor_id)
            change = monitor_rules.apply_time(monitor.state, monitor.settings, at)
            if change is not None:
                transitions.apply(monitor, change, at, done)
            self._forget_check(monitor)
        self._route_queued(monitor, at)

    def watch_monitor(self, monitor_id: UUID) -> None:
        """Sets the next check of a heartbeat monitor, for the workers."""
        with work():
            monitor = self._monitor(monitor_id)
            transitions.schedule_check(monitor)
            monitors.save_states([monitor])

    def advance(self, until: datetime) -> None:
        """Runs the timers and deliveries that are due up to this time, each at its own time."""
        while (due := self._next_due(until)) is not None:
            self._now = due
            self._run_timers(due)
            self._deliver(due)
        self._now = until

    def settle(self, at: datetime) -> None:
        """Runs the work that an act at this time made due at once."""
        self._run_timers(at)
        self._deliver(at)
        self._now = at

    def _route(self, shard: int, now: datetime) -> None:
        """Routes the events of the workspace. Other transactions do not see them, so the shard needs no lock."""
        events, _ = event_queue.fetch(shard, ROOM, self._first_seq(shard) - 1)
        own = [event for event in events if event.workspace_id == self.workspace_id]
        with evaluate.trace_cache.cleared_on_failure(), work() as done:
            event_queue.dequeue(shard, [event.seq for event in own])
            process(own, now, done)

    def _monitor(self, monitor_id: UUID) -> HeartbeatMonitor:
        found = monitors.lock(monitor_id)
        if found is None:
            raise LookupError(f"no monitor {monitor_id}")
        return found

    def _forget_check(self, monitor: HeartbeatMonitor) -> None:
        """Deletes the next check, because the caller decides alone when time changes a monitor."""
        timers.delete_many({monitor.id: [transitions.CHECK]})
        monitor.check_at = None
        monitors.save_states([monitor])

    def _route_queued(self, monitor: HeartbeatMonitor, at: datetime) -> None:
        shard = shard_of(monitor.source_id)
        if self._first_seq(shard):
            self._route(shard, at)

    def _first_seq(self, shard: int) -> int:
        """Returns the position of the first queued event of the workspace; 0 when none is queued."""
        found = db.execute_sql(
            "SELECT min(seq) FROM event_queue WHERE shard = %s AND workspace_id = %s", (shard, self.workspace_id)
        )
        return int(found.fetchone()[0] or 0)

    def _next_due(self, until: datetime) -> datetime | None:
        """Returns the next due time after the present one, so that a blocked delivery does not stop the clock."""
        due = [timers.next_due_of(self.workspace_id, self._now)]
        due.append(delivery_claims.next_due_of(self._destination_ids, self._now))
        times = [one for one in due if one is not None and one <= until]
        return min(times, default=None)

    def _run_timers(self, now: datetime) -> None:
        while (timer := timers.first_due_of(self.workspace_id, now)) is not None:
            with work() as done:
                run_timer(timer, now, done)

    def _deliver(self, now: datetime) -> None:
        """Claims and answers deliveries until none is left: each answered delivery unblocks the next one of its incident."""
        if not delivery_claims.is_any_due(self._destination_ids, now):
            return
        while True:
            batch = claim_due(now, ROOM, self._destination_ids)
            outcomes = [
                AttemptOutcome(claimed, state.generation, self._answer(claimed, now), now)
                for claimed, state in batch.calls
            ]
            if outcomes:
                record_results(outcomes, now)
            elif not batch.is_contended:
                return
