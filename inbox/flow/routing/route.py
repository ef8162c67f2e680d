"""The routing loop of a worker: routes the shards of the queue in batches, in order per source."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from itertools import chain, repeat
from typing import NamedTuple

import structlog

from inbox.flow.routing import batch, evaluate
from inbox.flow.routing.batch import BatchBudget, Clock, DeferredEvents, ShardOrder, SlowWorkspaces, count_routed
from inbox.flow.routing.overtaking import route_overtaking
from inbox.flow.routing.process_batch import process
from inbox.flow.routing.quarantine import CRASHES, SingleEventMode, route_shards_individually
from inbox.flow.unit_of_work import AfterCommit, is_outage, retry_on_conflict, run_pending_undos, work
from inbox.models.events import queue as event_queue
from inbox.models.events import queue_reads
from inbox.models.events.queue import FetchedEvents, QueuedEvent, Selection, partition_of, shard_of
from inbox.runtime import metrics
from inbox.runtime.queue import GATHER_MS, QueueName, is_shutting_down, job_queues

log = structlog.get_logger(__name__)

IDLE_SECONDS = timedelta(seconds=45)
"""The duration of one call before it wakes another worker. The job's time limit leaves far more than a batch takes."""

FEW_EVENTS = 200
"""Shards of several partitions share a transaction until it has this many events.

For few events the transaction would cost more than routing. Shards of one partition share it until a fetch is full.
"""

slow_workspaces = SlowWorkspaces()
"""The slow workspaces of this process."""

shard_order = ShardOrder()
"""The turns of shards in this process."""


def route(
    clock: Clock,
    *,
    idle_seconds: timedelta = IDLE_SECONDS,
    between_batches: Callable[[], None] = lambda: None,
    slow: SlowWorkspaces = slow_workspaces,
    order: ShardOrder = shard_order,
) -> int:
    """Routes waiting events until the time is up or the process ends; returns the number of processed positions.

    1. The worker lists the shards with events. From the second round on it wakes another worker if there are several.
    2. It routes the shards with few events, without the slow workspaces.
    3. It routes overtaking events, one batch of the shard with many events whose turn it is, and one of a slow workspace.
    4. It continues while many events or a failed one wait. Events that arrived meanwhile are left to a later wake-up.

    It calls `between_batches` before and after each long batch. Any number of workers may run at once. A failed event,
    and later events of its fingerprint, wait for the next call.
    """
    run_pending_undos()
    until, processed, has_woken, queues = clock() + idle_seconds, 0, False, job_queues()
    deferred = defaultdict[int, DeferredEvents](DeferredEvents)
    while clock() < until and not is_shutting_down():
        shards = event_queue.waiting_by_shard(batch.MANY_EVENTS)
        if processed and not has_woken and len(shards) > 1:
            queues.wake(QueueName.ROUTING)
            has_woken = True
        progress, has_more = _route_round(shards, deferred, clock, slow, order, between_batches)
        processed += progress
        if not progress:
            return processed
        if not (has_more or any(each.has_failures for each in deferred.values())):
            if event_queue.shards_with_work():
                queues.wake_later(QueueName.ROUTING, GATHER_MS / 1000)
            return processed
        between_batches()
    queues.wake(QueueName.ROUTING)
    return processed


def _route_round(
    shards: Mapping[int, int],
    deferred: Mapping[int, DeferredEvents],
    clock: Clock,
    slow: SlowWorkspaces,
    order: ShardOrder,
    between_batches: Callable[[], None],
) -> tuple[int, bool]:
    """Routes the shards with few events, overtaking events, and the turns of one with many and of a slow workspace.

    Returns the number of processed positions, and whether many events wait for another round.
    """
    few, many = order.next(shards)
    route_shards = partial(_route_shards, deferred=deferred, clock=clock, slow=slow, order=order)
    progress = sum(map(route_shards, _transactions(few, shards)))
    if many:
        if order.has_backlog or len(many) > 1:
            progress += route_overtaking(many, next(_turns(many)), deferred, clock, slow)
        between_batches()
    progress += next(filter(None, map(route_shards, _turns(many))), 0)
    progress_of_slow = _route_slow(shards, deferred, clock, slow)
    return progress + progress_of_slow, len(many) > 1 or order.has_backlog or progress_of_slow > 0


class Turn(NamedTuple):
    """The workspaces whose events a batch routes, and the record of slow ones.

    `full_shards` are the shards with events that did not fit into the batch.
    """

    slow: SlowWorkspaces
    selection: Selection
    full_shards: set[int]


def _route_shards(
    shards: Sequence[int], deferred: Mapping[int, DeferredEvents], clock: Clock, slow: SlowWorkspaces, order: ShardOrder
) -> int:
    """Routes a batch of these shards without the slow workspaces; returns the number of processed positions."""
    turn = Turn(slow, Selection(excluded=slow.ids), set())
    outcome = _route_batches(shards, deferred, clock, turn)
    for shard, routed in outcome.items():
        order.record(shard, is_full=routed >= batch.FETCH_SIZE or shard in turn.full_shards)
    return sum(outcome.values())


def _route_slow(
    shards: Mapping[int, int], deferred: Mapping[int, DeferredEvents], clock: Clock, slow: SlowWorkspaces
) -> int:
    """Routes a batch of the slow workspace whose turn it is; returns the number of processed positions.

    The batch is from the next shard with events of the workspace. A workspace without events is no longer slow.
    """
    workspace_id = slow.next_turn()
    if workspace_id is None:
        return 0
    turn = Turn(slow, Selection(only=workspace_id), set())
    for shard in slow.shard_order(workspace_id, shards.keys() & queue_reads.shards_of(workspace_id)):
        routed = _route_batches([shard], deferred, clock, turn)[shard]
        if routed:
            slow.record_shard(workspace_id, shard)
            return routed
    slow.forget(workspace_id)
    return 0


def _transactions(shards: Sequence[int], waiting: Mapping[int, int]) -> Iterator[list[int]]:
    """Groups the shards into transactions, so that two workers seldom need the same partition at once."""
    together, events = list[int](), 0
    for shard in shards:
        events += waiting[shard]
        is_same = together and partition_of(together[0]) == partition_of(shard)
        if together and events > (batch.FETCH_SIZE if is_same else FEW_EVENTS):
            yield together
            together, events = [], waiting[shard]
        together.append(shard)
    if together:
        yield together


def _turns(many: Sequence[int]) -> Iterator[list[int]]:
    """Groups the shards with many events into turns, each of shards of one partition."""
    by_partition = defaultdict[int, list[int]](list)
    for shard in many:
        by_partition[partition_of(shard)].append(shard)
    return (shards[: batch.TURN_SHARDS] for shards in by_partition.values())


Outcome = dict[int, int | SingleEventMode]
"""The number of processed positions of each shard; 0 when another worker holds it."""


def _route_batches(
    shards: Sequence[int], deferred: Mapping[int, DeferredEvents], clock: Clock, turn: Turn
) -> dict[int, int]:
    """Routes a batch of these shards; returns the processed positions of each."""
    counts = chain([True], repeat(False))
    outcome: Outcome
    try:
        outcome = retry_on_conflict(lambda: _route_together(shards, deferred, clock, turn, counts=next(counts)))
    except Exception as fault:
        if is_outage(fault):
            raise
        if len(shards) > 1:  # the others should not wait for the shard that fails
            log.warning("batches failed, routing each shard alone", shards=len(shards))
            return {shard: _route_batches([shard], deferred, clock, turn)[shard] for shard in shards}
        metrics.ROUTING_FAILURES.inc()
        log.exception("batch failed, routing events one by one", shard=shards[0])
        outcome = {shards[0]: SingleEventMode()}
    processed = {shard: result for shard, result in outcome.items() if isinstance(result, int)}
    if individual := {shard: mode for shard, mode in outcome.items() if isinstance(mode, SingleEventMode)}:
        processed |= route_shards_individually(individual, deferred, clock)
    return processed


def _route_together(
    shards: Sequence[int], deferred: Mapping[int, DeferredEvents], clock: Clock, turn: Turn, *, counts: bool
) -> Outcome:
    """Routes the next events of these shards in one transaction. With `counts`, it counts the start of each shard's batch.

    1. Lock the partitions of these shards that no other worker holds.
    2. Fetch their next events, except of partitions that crashed repeatedly.
    3. Process the events without earlier failures, as far as the budget of the batch allows.
    4. Remove the processed events from the queue.
    """
    started = time.monotonic()
    outcome: Outcome = dict.fromkeys(shards, 0)
    ready, missing, budget = list[QueuedEvent](), dict[int, list[int]](), turn.slow.budget()
    with evaluate.trace_cache.cleared_on_failure(), work(collects_writes=True) as done:
        tries = _lock(shards, counts=counts)
        sound = [shard for shard, number in tries.items() if number < CRASHES]
        fetched = batch.claim({shard: deferred[shard].after for shard in sound}, turn.selection)
        for shard in tries:
            outcome[shard], events = _ready_of(shard, fetched.get(shard), deferred[shard])
            ready += events
            missing[shard] = fetched[shard].missing if shard in fetched else []
        routed = process(ready, clock(), done, budget)
        _dequeue(missing, routed, done)
        complete = [shard for shard in tries if isinstance(outcome[shard], int)]
        event_queue.reset_attempts(complete, done.statements)
    if budget.left:
        turn.full_shards.update(_count_left(outcome, ready, routed, budget))
    turn.slow.record(budget)
    count_routed(routed, clock(), event_ids=sum(map(len, missing.values())))
    metrics.ROUTING_BATCHES.inc()
    metrics.ROUTING_BATCH_SECONDS.observe(time.monotonic() - started)
    return outcome


def _lock(shards: Sequence[int], *, counts: bool) -> dict[int, int]:
    """Locks the partitions of these shards that no other worker holds.

    Returns for each shard the starts of its partition without completion, 0 if this start is not counted.
    """
    if counts:
        return event_queue.lock_and_count_attempts(shards)
    return {shard: 0 for shard in shards if event_queue.lock_shard(shard)}


def _ready_of(
    shard: int, fetched: FetchedEvents | None, deferred: DeferredEvents
) -> tuple[int | SingleEventMode, list[QueuedEvent]]:
    """Returns the next events without earlier failures, and the number of positions to process.

    The caller holds its partition. Nothing was fetched from one that crashed repeatedly.
    """
    if fetched is None:
        log.warning("partition crashed repeatedly, routing events one by one", partition=partition_of(shard))
        return SingleEventMode(deadly=True), []
    events, missing = fetched
    ready = _ready(events, deferred)
    deferred.has_failures |= len(ready) < len(events)
    if events and not ready:
        return SingleEventMode(1), []
    return len(missing) + len(ready), ready


def _dequeue(missing: Mapping[int, Sequence[int]], routed: Sequence[QueuedEvent], done: AfterCommit) -> None:
    """Removes these positions and the routed events from the queue, in the caller's transaction."""
    positions = {shard: list(seqs) for shard, seqs in missing.items()}
    for event in routed:
        positions[shard_of(event.source_id)].append(event.seq)
    for shard, seqs in positions.items():
        if seqs:
            event_queue.dequeue(shard, seqs, done.statements)


def _count_left(
    outcome: Outcome, ready: Sequence[QueuedEvent], routed: Sequence[QueuedEvent], budget: BatchBudget
) -> set[int]:
    """Subtracts the events left in the queue from the processed positions.

    Returns the shards with events that did not fit into the batch. Slow workspaces have separate turns.
    """
    routed_positions = {event.seq for event in routed}
    full = set[int]()
    for event in ready:
        if event.seq not in routed_positions:
            shard = shard_of(event.source_id)
            positions = outcome[shard]
            assert isinstance(positions, int)
            outcome[shard] = positions - 1
            if event.workspace_id not in budget.slow:
                full.add(shard)
    return full


def _ready(events: list[QueuedEvent], deferred: DeferredEvents) -> list[QueuedEvent]:
    """Returns the events before the first failed one, except events that wait for a failed event."""
    ready: list[QueuedEvent] = []
    for event in events:
        if deferred.is_deferred(event):
            continue
        if event.attempts:
            break
        ready.append(event)
    return ready
