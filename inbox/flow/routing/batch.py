"""Selects the events of a batch: turns of shards and slow workspaces, fetched and deferred events, and the budget.

A batch has the events of one shard, or of several with few events. No workspace delays the others (decision 0010).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from inbox.flow.routing.routing_config import needs
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import EVERY, FetchedEvents, QueuedEvent, Selection, partition_of
from inbox.runtime import metrics

FETCH_SIZE = 2_000
"""The number of events per fetch."""

MANY_EVENTS = 50
"""A shard in which this many events wait takes turns with others. One with fewer is routed in each round."""

TURN_SHARDS = 4
"""The number of shards with many events that are routed in one turn, when they are of one partition."""

MAX_EVENTS = 6_000
"""A batch with this many events is full. Repeats of an incident cost less when they are counted together."""

MAX_BYTES = 16 * 1024 * 1024
"""A batch with this many characters of optional columns is full, so that long texts do not exhaust the memory."""

TURN_EVENTS = 200
"""The number of events that are fetched for the turn of a slow workspace."""

Clock = Callable[[], datetime]
"""The clock of routing, read only under the shard's lock. A time from before the lock would be too early."""

Stopwatch = Callable[[], float]
"""A clock in seconds that never goes back."""

WORKSPACE_SECONDS = 0.1
"""The time of a slow workspace in one step of a batch. After it, the workspace's other events stay in the queue."""

SLOW_EVENT_SECONDS = 0.000_25
"""The mean time of an event in one step above which a workspace is slow. Most events take a tenth of it."""

STEP_SECONDS = 0.5
"""The time of one step of a batch. After it, all other events stay in the queue."""

STEP_BYTES = 16 * 1024 * 1024
"""The characters of records and optional columns in memory after which all other events stay in the queue."""

STEP_RECIPIENTS = 20_000
"""The recipients of notices in one step after which all other events stay in the queue. Each may be a delivery."""

WORKSPACE_RECIPIENTS = 5_000
"""The number of recipients of a workspace per step.

Beyond it, other events of the workspace that notify many stay in the queue.
"""

MANY_RECIPIENTS = 25
"""The mean number of recipients of an event in one step above which the events of a workspace notify many."""

REMEMBERED_SECONDS = 60.0
"""The time for which a workspace without slow events stays in `SlowWorkspaces`."""


class ShardOrder:
    """Orders the shards of a round: shards with few waiting events, and shards with many, which take turns.

    It lasts as long as the process, so that a new call does not begin with the first shard again.
    """

    def __init__(self) -> None:
        self._turns: dict[int, int] = {}
        self._last_turn = 0
        self._full: set[int] = set()

    def next(self, waiting: Mapping[int, int]) -> tuple[list[int], list[int]]:
        """Returns the shards with few events by partition, and the ones with many, the next turn first.

        A shard has many events from `MANY_EVENTS` on, or when its last batch was full.
        """
        self._full &= waiting.keys()
        many = [shard for shard, events in waiting.items() if events >= MANY_EVENTS or shard in self._full]
        self._turns = {shard: self._turns.get(shard, 0) for shard in many}
        few = sorted(waiting.keys() - set(many), key=lambda shard: (partition_of(shard), waiting[shard], shard))
        return few, sorted(many, key=lambda shard: (self._turns[shard], shard))

    def record(self, shard: int, *, is_full: bool) -> None:
        """Records a turn of the shard, and whether its batch left events in the queue."""
        self._full.discard(shard)
        self._last_turn += 1
        self._turns[shard] = self._last_turn
        if is_full:
            self._full.add(shard)

    @property
    def has_backlog(self) -> bool:
        """Returns whether the last batch of a shard left events in the queue."""
        return bool(self._full)


class SlowWorkspaces:
    """The workspaces whose events were slow in this process. Common batches skip them; each has turns afterwards."""

    def __init__(self, stopwatch: Stopwatch = time.perf_counter) -> None:
        self._stopwatch = stopwatch
        self._until: dict[UUID, float] = {}
        self._last_shards: dict[UUID, int] = {}

    @property
    def ids(self) -> frozenset[UUID]:
        """The workspaces that common batches skip."""
        now = self._stopwatch()
        self._until = {id: until for id, until in self._until.items() if until > now}
        return frozenset(self._until)

    def budget(self) -> BatchBudget:
        """Returns the unused budget of a batch."""
        return BatchBudget(self._stopwatch)

    def record(self, budget: BatchBudget) -> None:
        """Records the slow workspaces of a batch, the last one at the end of the order."""
        for id in budget.slow:
            self.add(id)

    def add(self, id: UUID) -> None:
        """Adds the workspace at the end of the order."""
        self._until.pop(id, None)
        self._until[id] = self._stopwatch() + REMEMBERED_SECONDS

    def next_turn(self) -> UUID | None:
        """Returns the workspace whose turn it is, and moves it to the end of the order."""
        remembered = self.ids
        id = next((id for id in self._until if id in remembered), None)
        if id is not None:
            self._until[id] = self._until.pop(id)
        return id

    def shard_order(self, id: UUID, waiting: Iterable[int]) -> list[int]:
        """Returns these shards in the order of the workspace's turns: first the shards after its last turn."""
        last = self._last_shards.get(id, -1)
        return sorted(waiting, key=lambda shard: (shard <= last, shard))

    def record_shard(self, id: UUID, shard: int) -> None:
        """Records the shard of the last turn."""
        self._last_shards[id] = shard

    def forget(self, id: UUID) -> None:
        """Returns this workspace to the common batches, because none of its events waits."""
        self._until.pop(id, None)
        self._last_shards.pop(id, None)


@dataclass(slots=True)
class DeferredEvents:
    """The deferred events of a shard: failed events, and later events of their fingerprints.

    `has_failures`: an event of the shard failed in this call or before.
    """

    after: int = 0
    has_failures: bool = False
    waiting: set[tuple[UUID, str]] = field(default_factory=set)

    def is_deferred(self, event: QueuedEvent) -> bool:
        """Returns whether an earlier event of the same fingerprint failed, because this event's effect depends on it."""
        return (event.source_id, event.fingerprint) in self.waiting

    def defer(self, event: QueuedEvent) -> None:
        """Defers the event and later events of its fingerprint to the next call."""
        self.after = event.seq
        self.waiting.add((event.source_id, event.fingerprint))


def claim(after: Mapping[int, int], selection: Selection = EVERY) -> dict[int, FetchedEvents]:
    """Returns the next selected events of these shards after these positions. The caller holds the shards.

    One statement fetches the first events of all. Shards with a backlog fill the rest of the batch.
    """
    if selection.only is not None:
        return event_queue.fetch_all(after, TURN_EVENTS, needs(), selection)
    limit = max(MANY_EVENTS, FETCH_SIZE // max(1, len(after)))
    fetched = event_queue.fetch_all(after, limit, needs(), selection)
    return {shard: _full_batch(shard, first, limit, len(after), selection) for shard, first in fetched.items()}


def _full_batch(shard: int, first: FetchedEvents, limit: int, shards: int, selection: Selection) -> FetchedEvents:
    """Adds the next events of a shard whose first fetch reached its limit, up to its share of a batch of these shards."""
    events, missing, newest = list(first.events), list(first.missing), first
    weight, room = _weight(first), MAX_EVENTS // shards - len(first.events) - len(first.missing)
    while len(newest.events) + len(newest.missing) >= limit and room > 0 and weight < MAX_BYTES // shards:
        after = max([*newest.missing[-1:], *(event.seq for event in newest.events[-1:])])
        limit = min(FETCH_SIZE, room)
        newest = event_queue.fetch(shard, limit, after, needs(), selection)
        events += newest.events
        missing += newest.missing
        weight += _weight(newest)
        room -= len(newest.events) + len(newest.missing)
    return FetchedEvents(events, missing)


def _weight(fetched: FetchedEvents) -> int:
    return sum(event.optional_length for event in fetched.events if event.read)


@dataclass(slots=True)
class _Spent:
    """The time, the events and the recipients that a workspace used in one step."""

    seconds: float = 0.0
    events: int = 0
    recipients: int = 0

    @property
    def notifies_many(self) -> bool:
        """Returns whether the recipients are too many for one step."""
        return self.recipients > WORKSPACE_RECIPIENTS and self.recipients > self.events * MANY_RECIPIENTS


class BatchBudget:
    """The time, the bytes and the recipients of one batch. A batch has two steps: it evaluates events, and applies them.

    The first event of each workspace is admitted while the step is not full, so every batch makes progress. Only
    computing counts. It is read with `cpu` when `stopwatch` is beyond a limit, because reading it costs more.
    """

    def __init__(self, stopwatch: Stopwatch = time.perf_counter, cpu: Stopwatch = time.thread_time) -> None:
        self.slow: set[UUID] = set()
        """The workspaces whose events were slow in a step, or notify many."""
        self.left = 0
        """The number of events that were left in the queue."""
        self._stopwatch, self._cpu = stopwatch, cpu
        self.begin_step()

    def begin_step(self) -> None:
        """Begins a step with an unused budget."""
        self._spent: dict[UUID, _Spent] = {}
        self._last_id: UUID | None = None
        self._last_spent = _Spent()
        self._closed: set[UUID] = set()
        self._bytes, self._is_full = 0, False
        self.recipients = 0
        """The recipients of notices in this step."""
        self._began = self._last = self._stopwatch()
        self._cpu_began = self._cpu()

    def admits(self, workspace_id: UUID) -> bool:
        """Returns whether the step takes the next event of this workspace. If not, the event stays in the queue."""
        if self._is_full or (self._closed and workspace_id in self._closed):
            self.left += 1
            return False
        return True

    def spend(self, workspace_id: UUID, size: int = 0, recipients: int = 0) -> None:
        """Charges the time since the last call, these bytes and these recipients to an event of the workspace."""
        now = self._stopwatch()
        if workspace_id is not self._last_id:  # a batch has one object for each id, and its hash costs more
            self._last_id, self._last_spent = workspace_id, self._spent.setdefault(workspace_id, _Spent())
        spent = self._last_spent
        spent.seconds += now - self._last
        spent.events += 1
        self._last = now
        self._bytes += size
        self.recipients += recipients
        spent.recipients += recipients
        if spent.seconds > WORKSPACE_SECONDS and spent.seconds > spent.events * SLOW_EVENT_SECONDS:
            self._close_if_slow(workspace_id, spent)
        if recipients and spent.notifies_many:
            self._close(workspace_id)
        if self._bytes > STEP_BYTES or self.recipients > STEP_RECIPIENTS:
            self._is_full = True
        if now - self._began > STEP_SECONDS and self._cpu() - self._cpu_began > STEP_SECONDS:
            self._is_full = True

    def _close_if_slow(self, workspace_id: UUID, spent: _Spent) -> None:
        """Admits no further events of a workspace that is slow even on a busy machine."""
        computing = spent.seconds * (self._cpu() - self._cpu_began) / (self._last - self._began)
        if computing > WORKSPACE_SECONDS and computing > spent.events * SLOW_EVENT_SECONDS:
            self._close(workspace_id)

    def _close(self, workspace_id: UUID) -> None:
        self._closed.add(workspace_id)
        self.slow.add(workspace_id)


def count_routed(events: Sequence[QueuedEvent], now: datetime, *, event_ids: int = 0) -> None:
    """Counts events with committed routing, and queue positions without an event."""
    if event_ids:
        metrics.ROUTED_EVENTS.labels("gone").inc(event_ids)
    metrics.ROUTED_EVENTS.labels("routed").inc(len(events))
    for event in events:
        metrics.ROUTING_LATENCY.observe(max(0.0, (now - event.received_at).total_seconds()))
