"""Routes CRITICAL events before a backlog of their own source, in the order of each incident.

An event overtakes together with all earlier waiting events of its fingerprint, in their order. No other waiting event can
be of its incident, because `_apart` leaves recoveries, and events that rules add to another incident (decision 0039).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice, repeat

import structlog

from inbox.database.base import db
from inbox.flow.routing import evaluate
from inbox.flow.routing.batch import FETCH_SIZE, Clock, DeferredEvents, SlowWorkspaces, count_routed
from inbox.flow.routing.process_batch import EvaluatedEvents, process
from inbox.flow.routing.quarantine import CRASHES
from inbox.flow.routing.routing_config import needs
from inbox.flow.unit_of_work import is_outage, retry_on_conflict, work
from inbox.models.events import quarantine as event_quarantine
from inbox.models.events import queue as event_queue
from inbox.models.events import queue_reads
from inbox.models.events.queue import QueuedEvent, Selection, partition_of
from inbox.runtime import metrics

log = structlog.get_logger(__name__)

OVERTAKING = 200
"""The number of events of one shard that overtake in one round. The events before them come on top."""

SAME_FINGERPRINT = 500
"""The number of waiting events of one fingerprint above which its events keep their turn."""

SHARDS = 4
"""The number of shards whose events overtake in one round, the next turn first."""


def route_overtaking(
    turns: Sequence[int],
    next_turn: Sequence[int],
    deferred: Mapping[int, DeferredEvents],
    clock: Clock,
    slow: SlowWorkspaces,
) -> int:
    """Routes the events that may overtake in the shards with many events, which are in the order of their turns.

    Returns the number of routed events. The batch of the `next_turn` routes its first events in any case. A shard with a
    failed event has no overtaking in this call, because its events are then routed one by one.
    """
    skipped = {
        shard: FETCH_SIZE // len(next_turn) if shard in next_turn else 0
        for shard in turns
        if not deferred[shard].has_failures
    }
    found = queue_reads.overtaking(skipped, 1) if skipped else {}
    routed = 0
    for shard in islice(filter(found.__contains__, skipped), SHARDS):
        try:
            routed += _route(shard, skipped[shard], clock, slow)
        except Exception as fault:
            if is_outage(fault):
                raise
            deferred[shard].has_failures = True
            log.exception("overtaking events failed, routing them in order", shard=shard)
            with db.atomic():
                event_quarantine.undo_start(partition_of(shard))
    return routed


def _route(shard: int, skipped: int, clock: Clock, slow: SlowWorkspaces) -> int:
    """Routes the next overtaking events of a shard; returns their number. A retry after a conflict counts no start."""
    counts = chain([True], repeat(False))
    return retry_on_conflict(lambda: _route_once(shard, skipped, clock, slow, counts=next(counts)))


def _route_once(shard: int, skipped: int, clock: Clock, slow: SlowWorkspaces, *, counts: bool) -> int:
    """Routes the next overtaking events of a shard in one transaction, unless another worker holds its partition.

    With `counts`, it counts the start, because the process may die. It undoes this start alone at the end, as a batch of
    the partition may have killed the process before.
    """
    budget = slow.budget()
    with evaluate.trace_cache.cleared_on_failure(), work(collects_writes=True) as done:
        if not _may_start(shard, counts=counts):
            return 0
        routed = process(_fetch(shard, skipped, slow), clock(), done, budget, _apart)
        if routed:
            event_queue.dequeue(shard, [event.seq for event in routed], done.statements)
        event_quarantine.undo_start(partition_of(shard), done.statements)
    slow.record(budget)
    count_routed(routed, clock())
    metrics.ROUTING_BATCHES.inc()
    return len(routed)


def _may_start(shard: int, *, counts: bool) -> bool:
    """Locks the partition; returns False when another worker holds it, or after too many starts without completion."""
    if not counts:
        return event_queue.lock_shard(shard)
    return event_queue.lock_and_count_attempts([shard]).get(shard, CRASHES) < CRASHES


def _fetch(shard: int, skipped: int, slow: SlowWorkspaces) -> list[QueuedEvent]:
    """Returns the next overtaking events, with the earlier ones of their fingerprints. The caller holds the shard."""
    chosen = queue_reads.overtaking({shard: skipped}, OVERTAKING).get(shard)
    positions = queue_reads.with_earlier(shard, chosen, SAME_FINGERPRINT, FETCH_SIZE) if chosen else []
    if not chosen or not positions:
        return []
    selection = Selection(positions=tuple(positions))
    events, _ = event_queue.fetch_all({shard: 0}, len(positions), needs(), selection)[shard]
    overtaking, excluded = set(chosen), slow.ids
    fingerprints = {event.fingerprint for event in events if event.seq in overtaking}  # other ones have the same hash
    return [event for event in events if event.fingerprint in fingerprints and event.workspace_id not in excluded]


def _apart(evaluated: EvaluatedEvents) -> EvaluatedEvents:
    """Returns the events of the fingerprints whose events affect the incident of this fingerprint alone."""
    others = {
        event.fingerprint
        for event, each in evaluated
        if each.decision.recovers or each.fingerprint != event.fingerprint
    }
    return [(event, each) for event, each in evaluated if event.fingerprint not in others]
