"""Routing: shards of the queue are drained in batches, in order per source, by as many workers as there are."""

from __future__ import annotations

import time
from datetime import timedelta
from itertools import chain, repeat
from typing import NamedTuple

import structlog

from inbox import metrics
from inbox.flow import batch, recording
from inbox.flow.again import is_outage, persistently
from inbox.flow.apply import apply
from inbox.flow.debts import settle
from inbox.flow.suspects import AT_MOST, Clock, Round, count_routed, one_at_a_time
from inbox.flow.turns import Turns
from inbox.flow.work import work
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import QueuedEvent
from inbox.queue import Bell, bells, is_leaving

log = structlog.get_logger(__name__)

PATIENCE = timedelta(seconds=45)
"""For how long one call works before it calls for a fresh one; less than the job's limit by far more than a batch."""

CRASHES = 3
"""Which beginning in a row without an end makes a shard's events go one at a time."""


def route(clock: Clock, *, patience: timedelta = PATIENCE) -> int:
    """Route until nothing is left, time is up or the process is to end; answers how many places were dealt with.

    Any number of workers may call it at once. An event whose routing fails is passed over until the next call, and so
    are later ones of its fingerprint.
    """
    settle()
    until, dealt = clock() + patience, 0
    left: dict[int, Round] = {}
    turns = Turns(batch.PORTION)
    called = False
    while clock() < until and not is_leaving():
        shards = event_queue.shards_with_work()
        if dealt and not called and len(shards) > 1:
            bells().ring(Bell.ROUTING)
            called = True
        turn = turns.next(shards)
        progress = sum(_serve(shard, left.setdefault(shard, Round()), turns, clock) for shard in turn)
        if not progress and len(turn) == len(shards):
            return dealt
        dealt += progress
    bells().ring(Bell.ROUTING)
    return dealt


def _serve(shard: int, left: Round, turns: Turns, clock: Clock) -> int:
    dealt = _batch(shard, left, clock)
    turns.served(shard, dealt)
    return dealt


class Alone(NamedTuple):
    """So many of the next events go each by itself; `deadly`: the process died of the shard before."""

    many: int = AT_MOST
    deadly: bool = False


def _batch(shard: int, left: Round, clock: Clock) -> int:
    """One batch of a shard; how many places of the queue it dealt with, none when the shard is another worker's."""
    counts = chain([True], repeat(False))
    try:
        dealt = persistently(lambda: _together(shard, left, clock, counts=next(counts)))
    except Exception as fault:
        if is_outage(fault):
            raise
        metrics.ROUTING_FAILURES.inc()
        log.exception("batch failed, routing events one by one", shard=shard)
        dealt = Alone()
    return dealt if isinstance(dealt, int) else one_at_a_time(shard, left, clock, many=dealt.many, deadly=dealt.deadly)


def _together(shard: int, left: Round, clock: Clock, *, counts: bool) -> int | Alone:
    """Route the next events in one transaction, unless they have failed before. `counts`: this is how the batch begins."""
    began = time.monotonic()
    with recording.archive.trusted(), work() as done:
        if not event_queue.lock_shard(shard):
            return 0
        if counts and (tries := event_queue.count_attempt(shard)) >= CRASHES:
            log.warning("shard crashed repeatedly, routing events one by one", shard=shard, tries=tries)
            return Alone(deadly=True)
        events, gone = batch.claim(shard, left.after)
        ready = _ready(events, left)
        event_queue.dequeue(shard, [*gone, *(event.seq for event in ready)])
        if events and not ready:
            return Alone(1)
        apply(ready, clock(), done)
        event_queue.reset_attempts(shard)
    count_routed(ready, clock(), gone=len(gone))
    metrics.ROUTING_BATCHES.inc()
    metrics.ROUTING_BATCH_SECONDS.observe(time.monotonic() - began)
    return len(gone) + len(ready)


def _ready(events: list[QueuedEvent], left: Round) -> list[QueuedEvent]:
    """The events up to the first that failed before, without those that must wait for another."""
    ready: list[QueuedEvent] = []
    for event in events:
        if left.must_wait(event):
            continue
        if event.attempts:
            break
        ready.append(event)
    return ready
