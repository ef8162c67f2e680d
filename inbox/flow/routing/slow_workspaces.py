"""Keeps the events of one workspace from delaying the others: budgets of a batch, and turns (decision 0088)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import UUID

Stopwatch = Callable[[], float]
"""Seconds that only grow."""

WORKSPACE_SECONDS = 0.1
"""The time of a workspace in one step of a batch, after which its other events are left in the queue if they are slow."""

SLOW_EVENT_SECONDS = 0.000_25
"""The mean time of an event in one step, above which the events of a workspace are slow. Most take a tenth of it."""

STEP_SECONDS = 0.5
"""The time of one step of a batch, after which all other events are left in the queue."""

STEP_BYTES = 16 * 1024 * 1024
"""The characters of records and optional columns in memory after which all other events are left in the queue."""

REMEMBERED_SECONDS = 60.0
"""How long a workspace without slow events has its own turns."""


@dataclass(slots=True)
class _Spent:
    """The time and the events of a workspace in one step."""

    seconds: float = 0.0
    events: int = 0


class BatchBudget:
    """The time and the bytes of one batch. A batch has two steps: it evaluates events, and applies them to incidents.

    The first event of each workspace is always admitted while the step is not full, so that each batch makes progress.
    The time is that of computing. It is read with `cpu` only when `stopwatch` is beyond a limit, because it costs more.
    """

    def __init__(self, stopwatch: Stopwatch = time.perf_counter, cpu: Stopwatch = time.thread_time) -> None:
        self.slow: set[UUID] = set()
        """The workspaces whose events were slow in a step."""
        self.left = 0
        """The number of events that were left in the queue."""
        self._stopwatch, self._cpu = stopwatch, cpu
        self.begin_step()

    def begin_step(self) -> None:
        """Begin a step. Nothing of it is spent."""
        self._spent: dict[UUID, _Spent] = {}
        self._closed: set[UUID] = set()
        self._bytes, self._is_full = 0, False
        self._began = self._last = self._stopwatch()
        self._cpu_began = self._cpu()

    def admits(self, workspace_id: UUID) -> bool:
        """Whether the step takes the next event of this workspace. If not, the event is left in the queue."""
        if self._is_full or workspace_id in self._closed:
            self.left += 1
            return False
        return True

    def spend(self, workspace_id: UUID, size: int = 0) -> None:
        """Count the time since the last call, and these bytes, to an event of the workspace."""
        now = self._stopwatch()
        spent = self._spent.get(workspace_id)
        if spent is None:
            spent = self._spent[workspace_id] = _Spent()
        spent.seconds += now - self._last
        spent.events += 1
        self._last = now
        self._bytes += size
        if spent.seconds > WORKSPACE_SECONDS and spent.seconds > spent.events * SLOW_EVENT_SECONDS:
            self._close_if_slow(workspace_id, spent)
        if self._bytes > STEP_BYTES:
            self._is_full = True
        if now - self._began > STEP_SECONDS and self._cpu() - self._cpu_began > STEP_SECONDS:
            self._is_full = True

    def _close_if_slow(self, workspace_id: UUID, spent: _Spent) -> None:
        """Admit no further events of a workspace that is slow on a busy machine, too."""
        computing = spent.seconds * (self._cpu() - self._cpu_began) / (self._last - self._began)
        if computing > WORKSPACE_SECONDS and computing > spent.events * SLOW_EVENT_SECONDS:
            self._closed.add(workspace_id)
            self.slow.add(workspace_id)


class SlowWorkspaces:
    """The workspaces whose events were slow in this process. Batches leave them out, and each has turns afterwards."""

    def __init__(self, stopwatch: Stopwatch = time.monotonic) -> None:
        self._stopwatch = stopwatch
        self._until: dict[UUID, float] = {}
        self._last_shards: dict[UUID, int] = {}

    @property
    def ids(self) -> frozenset[UUID]:
        """The workspaces that are left out of common batches."""
        now = self._stopwatch()
        self._until = {id: until for id, until in self._until.items() if until > now}
        return frozenset(self._until)

    def record(self, budget: BatchBudget) -> None:
        """Record the slow workspaces of a batch. They are remembered from now on, the last recorded one last."""
        for id in budget.slow:
            self.add(id)

    def add(self, id: UUID) -> None:
        """Remember the workspace from now on, as the last one."""
        self._until.pop(id, None)
        self._until[id] = self._stopwatch() + REMEMBERED_SECONDS

    def next_turn(self) -> UUID | None:
        """The workspace whose turn it is. The turn after it is that of the next one."""
        remembered = self.ids
        id = next((id for id in self._until if id in remembered), None)
        if id is not None:
            self._until[id] = self._until.pop(id)
        return id

    def shard_order(self, id: UUID, waiting: Iterable[int]) -> list[int]:
        """These shards in the order in which the workspace has turns: those after the shard of its last turn first."""
        last = self._last_shards.get(id, -1)
        return sorted(waiting, key=lambda shard: (shard <= last, shard))

    def record_shard(self, id: UUID, shard: int) -> None:
        """Record the shard of the last turn."""
        self._last_shards[id] = shard

    def forget(self, id: UUID) -> None:
        """Route the events of this workspace with all others again: no event of it waits."""
        self._until.pop(id, None)
        self._last_shards.pop(id, None)
