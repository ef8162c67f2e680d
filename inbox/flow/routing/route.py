"""The routing loop of a worker: shards of the queue are routed in batches, in order per source."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain, repeat
from typing import NamedTuple

import structlog

from inbox import metrics
from inbox.flow.retries import is_outage, retry_on_conflict
from inbox.flow.routing import batch, routing_traces
from inbox.flow.routing.process_batch import process
from inbox.flow.routing.quarantine import (
    MAX_ATTEMPTS,
    Clock,
    DeferredEvents,
    count_routed,
    route_individually,
    run_pending_undos,
)
from inbox.flow.unit_of_work import work
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import QueuedEvent
from inbox.queue import GATHER_MS, QueueName, is_shutting_down, job_queues

log = structlog.get_logger(__name__)

IDLE_SECONDS = timedelta(seconds=45)
"""The duration of one call before it wakes another worker. The margin to the job's limit is far more than a batch."""

FEW_EVENTS = 200
"""Shards share a transaction until it has this many events. With few events the transaction costs more than they do."""

CRASHES = 3
"""The number of starts in a row without completion after which a shard's events are routed one by one."""


def route(clock: Clock, *, idle_seconds: timedelta = IDLE_SECONDS) -> int:
    """Route what waits, until time is up or the process ends; returns the number of processed positions.

    1. The worker lists the shards with events. From the second round on it wakes another worker when there are several.
    2. It routes one batch of each shard whose turn it is.
    3. It goes on while a shard has a backlog or a failed event. Events that came meanwhile are left to a later wake-up:
       a look for each of them would cost more than to route them.

    Any number of workers may run at once. A failed event, and later events of its fingerprint, wait for the next call.
    """
    run_pending_undos()
    until, processed = clock() + idle_seconds, 0
    deferred: dict[int, DeferredEvents] = {}
    order = ShardOrder(batch.FETCH_SIZE)
    has_woken = False
    while clock() < until and not is_shutting_down():
        shards = event_queue.shards_with_work()
        if processed and not has_woken and len(shards) > 1:
            job_queues().wake(QueueName.ROUTING)
            has_woken = True
        turn = order.next(shards)
        progress = _route_round(turn, deferred, order, clock)
        if not progress and len(turn) == len(shards):
            return processed
        processed += progress
        if not order.backlogged and not any(each.has_failures for each in deferred.values()):
            if event_queue.shards_with_work():
                job_queues().wake_later(QueueName.ROUTING, GATHER_MS / 1000)
            return processed
    job_queues().wake(QueueName.ROUTING)
    return processed


class ShardOrder:
    """The order of shards: those with few waiting events first, and one of those with more than a batch per round.

    The shards with a backlog take turns. They are those that one worker found.
    """

    def __init__(self, batch_size: int) -> None:
        self._batch_size = batch_size
        self.backlogged: dict[int, None] = {}

    def next(self, shards: Sequence[int]) -> list[int]:
        """The shards to route in this round: all without a backlog, and one with a backlog."""
        waiting = [shard for shard in self.backlogged if shard in shards]
        return [shard for shard in shards if shard not in self.backlogged] + waiting[:1]

    def record(self, shard: int, processed: int) -> None:
        """Record the number of processed positions of the shard."""
        self.backlogged.pop(shard, None)
        if processed >= self._batch_size:
            self.backlogged[shard] = None


def _route_round(shards: Sequence[int], deferred: dict[int, DeferredEvents], order: ShardOrder, clock: Clock) -> int:
    """Route one batch of each of these shards; returns the number of processed positions."""
    remaining, progress = list(shards), 0
    while remaining:
        for shard, processed in _route_batches(remaining, deferred, clock).items():
            order.record(shard, processed)
            progress += processed
            remaining.remove(shard)
    return progress


class SingleEventMode(NamedTuple):
    """This many of the next events are routed one by one; `deadly`: the shard killed the process before."""

    event_count: int = MAX_ATTEMPTS
    deadly: bool = False


Outcome = dict[int, int | SingleEventMode]
"""The number of processed positions of each shard; 0 when another worker holds it."""


def _route_batches(shards: Sequence[int], deferred: dict[int, DeferredEvents], clock: Clock) -> dict[int, int]:
    """Route a batch of the first shard, and of the next ones while they are small; returns the processed positions."""
    counts = chain([True], repeat(False))
    outcome: Outcome
    try:
        outcome = retry_on_conflict(lambda: _route_together(shards, deferred, clock, counts=next(counts)))
    except Exception as fault:
        if is_outage(fault):
            raise
        if len(shards) > 1:  # the others should not wait for the shard that fails
            log.warning("batches failed, routing each shard alone", shards=len(shards))
            return {shard: _route_batches([shard], deferred, clock)[shard] for shard in shards}
        metrics.ROUTING_FAILURES.inc()
        log.exception("batch failed, routing events one by one", shard=shards[0])
        outcome = {shards[0]: SingleEventMode()}
    return {shard: _completed(shard, result, deferred[shard], clock) for shard, result in outcome.items()}


def _completed(shard: int, result: int | SingleEventMode, deferred: DeferredEvents, clock: Clock) -> int:
    if isinstance(result, int):
        return result
    deferred.has_failures = True
    return route_individually(shard, deferred, clock, count=result.event_count, deadly=result.deadly)


def _route_together(
    shards: Sequence[int], deferred: dict[int, DeferredEvents], clock: Clock, *, counts: bool
) -> Outcome:
    """Route the next events of the first of these shards in one transaction, and of the next ones while there are few.

    `counts`: count the start of the batch of each shard.
    """
    started = time.monotonic()
    outcome: Outcome = {}
    locked, ready = list[int](), list[QueuedEvent]()
    with routing_traces.trace_cache.cleared_on_failure(), work() as done:
        for shard in shards:
            own = deferred.setdefault(shard, DeferredEvents())
            is_locked = event_queue.lock_shard(shard)
            outcome[shard], events = _claim(shard, own, counts=counts) if is_locked else (0, [])
            locked += [shard] if is_locked else []
            ready += events
            if len(ready) >= FEW_EVENTS:
                break
        process(ready, clock(), done)
        for shard in locked:
            if isinstance(outcome[shard], int):
                event_queue.reset_attempts(shard)
    missing = sum(each for each in outcome.values() if isinstance(each, int)) - len(ready)
    count_routed(ready, clock(), event_ids=missing)
    metrics.ROUTING_BATCHES.inc()
    metrics.ROUTING_BATCH_SECONDS.observe(time.monotonic() - started)
    return outcome


def _claim(shard: int, deferred: DeferredEvents, *, counts: bool) -> tuple[int | SingleEventMode, list[QueuedEvent]]:
    """Take the next events without earlier failures from the queue, in the caller's transaction, which holds the shard."""
    if counts and (tries := event_queue.count_attempt(shard)) >= CRASHES:
        log.warning("shard crashed repeatedly, routing events one by one", shard=shard, tries=tries)
        return SingleEventMode(deadly=True), []
    events, missing = batch.claim(shard, deferred.after)
    ready = _ready(events, deferred)
    deferred.has_failures |= len(ready) < len(events)
    event_queue.dequeue(shard, [*missing, *(event.seq for event in ready)])
    if events and not ready:
        return SingleEventMode(1), []
    return len(missing) + len(ready), ready


def _ready(events: list[QueuedEvent], deferred: DeferredEvents) -> list[QueuedEvent]:
    """The events before the first failed one, without those that wait for a failed event."""
    ready: list[QueuedEvent] = []
    for event in events:
        if deferred.is_deferred(event):
            continue
        if event.attempts:
            break
        ready.append(event)
    return ready
