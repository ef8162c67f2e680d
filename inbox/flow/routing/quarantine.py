"""Routes failing events one by one, counts each attempt before it starts, and quarantines an event after the last.

The states of an event in the queue:

| State | `attempts` | `quarantined_at` | Next state |
|---|---|---|---|
| queued | 0 | NULL | The event is routed with its batch. If the batch fails, it is routed alone. |
| failing | 1 to 4 | NULL | The next call attempts the event alone. Later events of its fingerprint are deferred meanwhile. |
| quarantined | 5, or 3 after crashes | set | An operator releases the event, and it is queued again. |

An event leaves the queue when it is routed. After `CRASHES` starts of a partition without completion, its events go one
by one, too (`SingleEventMode`). An outage of the database counts no attempt.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import orjson
import peewee
import psycopg2
import structlog

from inbox.database.base import db
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.routing.batch import Clock, DeferredEvents, count_routed
from inbox.flow.routing.process_batch import process
from inbox.flow.unit_of_work import is_outage, retry_on_conflict, undo_on_outage, work
from inbox.live.feed import Parents
from inbox.models.events import quarantine as event_quarantine
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import QueuedEvent, partition_of, shard_of
from inbox.runtime import metrics

log = structlog.get_logger(__name__)

CRASHES = 3
"""The number of starts in a row without completion after which a partition's events are routed one by one."""

ATTEMPTS = 5
"""The number of individual attempts before an event is quarantined."""

CRASH_ATTEMPTS = 3
"""The same limit for a partition whose processing repeatedly killed the process."""

MAX_ATTEMPTS = 500
"""The number of events routed one by one before the next batch."""

MAX_SECONDS = 2.0
"""The time after which the next batch begins, so that slow events delay other shards no longer."""

QUARANTINED = "routing of this event failed repeatedly, so the event is quarantined; see the worker log"


class SingleEventMode(NamedTuple):
    """This many of the next events are routed one by one.

    `deadly`: an event of the partition killed the process before, so that fewer attempts are allowed.
    """

    event_count: int = MAX_ATTEMPTS
    deadly: bool = False


def route_shards_individually(
    modes: Mapping[int, SingleEventMode], deferred: Mapping[int, DeferredEvents], clock: Clock
) -> dict[int, int]:
    """Routes events of these shards one by one. A deadly event may be in any shard of its partition."""
    processed, deadly = dict.fromkeys(modes, 0), set[int]()
    for shard, mode in modes.items():
        deferred[shard].has_failures = True
        together, partition = [shard], partition_of(shard)
        if mode.deadly and partition in deadly:
            continue
        if mode.deadly:
            deadly.add(partition)
            together = [each for each in event_queue.shards_with_work() if partition_of(each) == partition] or [shard]
        processed[shard] = _route_individually(together, deferred, clock, mode)
    return processed


def _route_individually(
    shards: Sequence[int], deferred: Mapping[int, DeferredEvents], clock: Clock, mode: SingleEventMode
) -> int:
    """Routes the next events of these shards of a partition one by one; returns the number of processed queue positions.

    The events have the order of acceptance, so that a deadly one has its turn while others arrive.
    """
    with db.atomic():
        after = {shard: deferred[shard].after for shard in shards}
        fetched = event_queue.fetch_all(after, max(1, MAX_ATTEMPTS // len(shards)))
        events = sorted((event for each in fetched.values() for event in each.events), key=attrgetter("seq"))
    processed = attempts = 0
    until = time.monotonic() + MAX_SECONDS
    for event in events:
        if attempts == mode.event_count or (attempts and time.monotonic() > until):
            break
        processed += 1
        shard = shard_of(event.source_id)
        if deferred[shard].is_deferred(event):
            deferred[shard].after = event.seq
            continue
        attempts += 1
        outcome = _route_one(shard, event, clock, CRASH_ATTEMPTS if mode.deadly else ATTEMPTS)
        if outcome is None:
            return processed - 1
        if not outcome:
            deferred[shard].defer(event)
    with db.atomic():
        event_queue.reset_attempts(shards)
    return processed


def _route_one(shard: int, event: QueuedEvent, clock: Clock, max_attempts: int) -> bool | None:
    """Returns whether the event needs no further attempt; None when another worker holds the partition."""
    with undo_on_outage(partial(event_quarantine.undo_attempt, shard, event.seq)):
        with db.atomic():
            if not event_queue.lock_shard(shard):
                return None
            attempt = event_quarantine.count_attempt(shard, event.seq)
        if attempt is None:
            return True
        if attempt <= max_attempts:
            succeeded = _attempt(shard, event, clock, attempt)
            if succeeded is None:
                with db.atomic():
                    event_quarantine.undo_attempt(shard, event.seq)
            if succeeded is not False:
                return succeeded
    if attempt < max_attempts:
        return False
    _quarantine(shard, event, clock())
    return True


def _attempt(shard: int, event: QueuedEvent, clock: Clock, attempt: int) -> bool | None:
    """Returns whether the event was routed; None when another worker took the partition, so that there was no attempt."""
    try:
        return retry_on_conflict(lambda: _try(shard, event, clock)) or None
    except Exception as fault:
        if is_outage(fault):
            raise
        metrics.ROUTING_FAILURES.inc()
        log.exception("an event could not be routed", event_id=_name(event), attempt=attempt)
        return False


def _try(shard: int, event: QueuedEvent, clock: Clock) -> bool:
    with work() as done:
        if not event_queue.lock_shard(shard):
            return False
        events, _ = event_queue.fetch(shard, 1, event.seq - 1)
        is_locked = [one.seq for one in events] == [event.seq]
        if is_locked:
            process(events, clock(), done)
            event_queue.dequeue(shard, [event.seq])
    if is_locked:
        count_routed(events, clock())
    return True


def _quarantine(shard: int, event: QueuedEvent, now: datetime) -> None:
    if event.is_repeat:  # its event is stored, and the sender reports it again
        with db.atomic():
            event_queue.dequeue(shard, [event.seq])
        log.error("repeat dropped", event_id=_name(event))
        return
    with db.atomic():
        event_quarantine.quarantine(shard, event.seq, now)
    metrics.ROUTED_EVENTS.labels("quarantined").inc()
    log.error("event quarantined", event_id=_name(event))
    explanation = {"by": None, "ruleId": None, "trace": [QUARANTINED], "disposition": "pending"}
    explanation |= {"incidentId": None, "act": None, "reason": None}
    try:
        with work() as done:
            event_quarantine.store_reason(event.workspace_id, event.id, orjson.dumps(explanation).decode())
            done.publish_change("event", event.id, event.workspace_id, parents=Parents(source_id=event.source_id))
    except (peewee.DatabaseError, psycopg2.Error) as fault:
        if is_outage(fault):
            raise
        log.warning("a quarantined event could not be explained", event_id=_name(event), fault=type(fault).__name__)


def _name(event: QueuedEvent) -> str:
    return ids.encode(Prefix.EVENT, event.id)
