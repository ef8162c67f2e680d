"""Routing: shards of the queue are drained in batches, in order per source, by as many workers as there are."""

from __future__ import annotations

import time
from datetime import timedelta
from itertools import chain, repeat
from typing import NamedTuple

import structlog

from inbox import metrics
from inbox.flow.retries import is_outage, retry_on_conflict
from inbox.flow.routing import batch, routing_traces
from inbox.flow.routing.process_batch import process
from inbox.flow.routing.quarantine import MAX_ATTEMPTS, Clock, DeferredEvents, count_routed, route_individually
from inbox.flow.routing.quarantine_undo import run_pending_undos
from inbox.flow.routing.shard_order import ShardOrder
from inbox.flow.unit_of_work import work
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import QueuedEvent
from inbox.queue import QueueName, is_shutting_down, job_queues

log = structlog.get_logger(__name__)

IDLE_SECONDS = timedelta(seconds=45)
"""For how long one call works before it calls for a fresh one; less than the job's limit by far more than a batch."""

CRASHES = 3
"""Which beginning in a row without an end makes a shard's events go one at a time."""


def route(clock: Clock, *, idle_seconds: timedelta = IDLE_SECONDS) -> int:
    """Route until nothing is left, time is up or the process is to end; answers how many places were dealt with.

    Any number of workers may call it at once. An event whose routing fails is passed over until the next call, and so
    are later ones of its fingerprint.
    """
    run_pending_undos()
    until, processed = clock() + idle_seconds, 0
    deferred: dict[int, DeferredEvents] = {}
    order = ShardOrder(batch.FETCH_SIZE)
    called = False
    while clock() < until and not is_shutting_down():
        shards = event_queue.shards_with_work()
        if processed and not called and len(shards) > 1:
            job_queues().wake(QueueName.ROUTING)
            called = True
        shard = order.next(shards)
        progress = sum(_serve(shard, deferred.setdefault(shard, DeferredEvents()), order, clock) for shard in shard)
        if not progress and len(shard) == len(shards):
            return processed
        processed += progress
    job_queues().wake(QueueName.ROUTING)
    return processed


def _serve(shard: int, deferred: DeferredEvents, order: ShardOrder, clock: Clock) -> int:
    processed = _batch(shard, deferred, clock)
    order.record(shard, processed)
    return processed


class SingleEventMode(NamedTuple):
    """So many of the next events go each by itself; `deadly`: the process died of the shard before."""

    event_count: int = MAX_ATTEMPTS
    deadly: bool = False


def _batch(shard: int, deferred: DeferredEvents, clock: Clock) -> int:
    """One batch of a shard; how many places of the queue it dealt with, none when the shard is another worker's."""
    counts = chain([True], repeat(False))
    try:
        processed = retry_on_conflict(lambda: _route_batch(shard, deferred, clock, counts=next(counts)))
    except Exception as fault:
        if is_outage(fault):
            raise
        metrics.ROUTING_FAILURES.inc()
        log.exception("batch failed, routing events one by one", shard=shard)
        processed = SingleEventMode()
    return (
        processed
        if isinstance(processed, int)
        else route_individually(shard, deferred, clock, count=processed.event_count, deadly=processed.deadly)
    )


def _route_batch(shard: int, deferred: DeferredEvents, clock: Clock, *, counts: bool) -> int | SingleEventMode:
    """Route the next events in one transaction, unless they have failed before. `counts`: this is how the batch begins."""
    started = time.monotonic()
    with routing_traces.trace_cache.trusted(), work() as done:
        if not event_queue.lock_shard(shard):
            return 0
        if counts and (tries := event_queue.count_attempt(shard)) >= CRASHES:
            log.warning("shard crashed repeatedly, routing events one by one", shard=shard, tries=tries)
            return SingleEventMode(deadly=True)
        events, routed = batch.claim(shard, deferred.after)
        ready = _ready(events, deferred)
        event_queue.dequeue(shard, [*routed, *(event.seq for event in ready)])
        if events and not ready:
            return SingleEventMode(1)
        process(ready, clock(), done)
        event_queue.reset_attempts(shard)
    count_routed(ready, clock(), event_ids=len(routed))
    metrics.ROUTING_BATCHES.inc()
    metrics.ROUTING_BATCH_SECONDS.observe(time.monotonic() - started)
    return len(routed) + len(ready)


def _ready(events: list[QueuedEvent], deferred: DeferredEvents) -> list[QueuedEvent]:
    """The events up to the first that failed before, without those that must wait for another."""
    ready: list[QueuedEvent] = []
    for event in events:
        if deferred.is_deferred(event):
            continue
        if event.attempts:
            break
        ready.append(event)
    return ready
