"""Limits the computing time of a request, so that no caller blocks other requests of a web process (decision 0009).

A loop over something that a caller made large calls `spend` once for each piece of work.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from inbox.domain.values.refusals import TooCostly

STEP_SECONDS = 0.01
"""Computing time after which a request pauses for as long as it has computed.

A short request waits for PostgreSQL about twenty times. In one pause it makes many of these steps; if the long request
only gave way, the short one would wait for a step of it each time.
"""

LONGEST_PAUSE_SECONDS = 0.05

REQUEST_SECONDS = 1.0
"""Computing time of one request in all loops that spend."""

TURN_SECONDS = 0.25
"""The longest wait for the turn.

Afterwards a request computes without it, because the one with the turn may wait for it.
"""

Item = TypeVar("Item")

_turn = threading.Lock()
"""Held by the one request of this process that computes beyond its first step.

Without it, each wait of a short request for a server would last a step of every long one.
"""


def _pause(seconds: float) -> None:
    """Sleep. The module is imported before the workers replace `time.sleep`, so it is looked up at each call."""
    time.sleep(seconds)


class WorkBudget:
    """The computing time of one request. `seconds` is its limit, `step` the time between two pauses."""

    def __init__(
        self,
        seconds: float = REQUEST_SECONDS,
        *,
        step: float = STEP_SECONDS,
        pause: Callable[[float], None] = _pause,
    ) -> None:
        self._left = seconds
        self._seconds = seconds
        self._step = step
        self._pause = pause
        self.when_long: Callable[[], None] | None = None
        self._began: float | None = None
        self._has_turn = False

    def spend(self, limit: str = "") -> None:
        """Count the time since the last call. When a step is over, wait for a turn and pause.

        Raises `TooCostly` when nothing is left. `limit` is a sentence for the caller that names what to send less of.
        """
        now = time.thread_time()
        if self._began is None:
            self._began = now
            self._refuse_overspent(limit)
            return
        spent = now - self._began
        if spent < self._step:
            return
        self._left -= spent
        self._refuse_overspent(limit)
        self._wait_for_turn(min(spent, LONGEST_PAUSE_SECONDS))
        self._began = time.thread_time()

    def _wait_for_turn(self, pause: float) -> None:
        """Let other long requests compute, then take the turn and pause for short ones."""
        if self.when_long is not None:
            self.when_long()
            self.when_long = None
        self._end_turn()
        self._pause(0)  # lets a request take the turn that waits for it
        self._has_turn = _turn.acquire(timeout=TURN_SECONDS)
        self._pause(pause)  # holding the turn, so that no other long request computes in the pause

    def _refuse_overspent(self, limit: str) -> None:
        if self._left < 0:
            raise TooCostly(f"This needs more than {self._seconds:g} s of computing. {limit}".rstrip())

    def rest(self) -> None:
        """Count the time since the last call, and no time until the next one: the caller waits for a server."""
        if self._began is not None:
            self._left -= time.thread_time() - self._began
            self._began = None
        self._end_turn()

    def __del__(self) -> None:
        self._end_turn()  # a request that ended without `end` must not keep the turn

    def _end_turn(self) -> None:
        if self._has_turn:
            self._has_turn = False
            _turn.release()


_current: ContextVar[WorkBudget | None] = ContextVar("work_budget", default=None)


def begin(seconds: float | None = None) -> WorkBudget:
    """Start the budget of a request, of `REQUEST_SECONDS`. It applies until the next request of the greenlet begins."""
    rest()
    budget = WorkBudget(REQUEST_SECONDS if seconds is None else seconds, step=STEP_SECONDS)
    _current.set(budget)
    return budget


def end() -> None:
    """Remove the budget. Work outside a request, such as in workers and commands, has none."""
    rest()
    _current.set(None)


def when_long(call: Callable[[], None]) -> None:
    """Call this once when the present request computes longer than a step."""
    budget = _current.get()
    if budget is not None:
        budget.when_long = call


def rest() -> None:
    """Stop counting for the present request until it spends again. The driver calls this before it waits for PostgreSQL."""
    budget = _current.get()
    if budget is not None:
        budget.rest()


def spend(limit: str = "") -> None:
    """Spend from the budget of the present request; without one, do nothing. Raises `TooCostly`."""
    budget = _current.get()
    if budget is not None:
        budget.spend(limit)


def has_left() -> bool:
    """Spend as `spend` does, and return whether anything is left. The caller then answers with what it has."""
    try:
        spend()
    except TooCostly:
        return False
    return True


def spending(items: Iterable[Item], limit: str = "") -> Iterator[Item]:
    """Yield the items, and spend before and after each of them. Raises `TooCostly`."""
    rest()
    for item in items:
        spend(limit)
        yield item
    spend(limit)
    rest()
