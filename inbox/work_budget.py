"""Bounds how long one request computes, so that no caller keeps the other requests of a web process waiting (decision 0086).

A loop over something that a caller made large calls `spend` once for each piece of work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from inbox.domain.refusals import TooCostly

STEP_SECONDS = 0.02
"""Computing time after which a request gives way to the others of its process."""

REQUEST_SECONDS = 1.0
"""Computing time of one request in all loops that spend."""

Item = TypeVar("Item")


def _give_way() -> None:
    time.sleep(0)


class WorkBudget:
    """The computing time of one request. `seconds` is its limit, `step` the time between two calls of `give_way`."""

    def __init__(
        self,
        seconds: float = REQUEST_SECONDS,
        *,
        step: float = STEP_SECONDS,
        give_way: Callable[[], None] = _give_way,
    ) -> None:
        self._left = seconds
        self._seconds = seconds
        self._step = step
        self._give_way = give_way
        self._began: float | None = None

    def spend(self, limit: str = "") -> None:
        """Count the time since the last call, and give way when a step is over.

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
        self._give_way()
        self._began = time.thread_time()

    def _refuse_overspent(self, limit: str) -> None:
        if self._left < 0:
            raise TooCostly(f"This needs more than {self._seconds:g} s of computing. {limit}".rstrip())

    def rest(self) -> None:
        """Count the time since the last call, and no time until the next one: the caller waits for a server."""
        if self._began is not None:
            self._left -= time.thread_time() - self._began
            self._began = None


_current: ContextVar[WorkBudget | None] = ContextVar("work_budget", default=None)


def begin(seconds: float | None = None) -> WorkBudget:
    """Start the budget of a request, of `REQUEST_SECONDS`. It applies until the next request of the greenlet begins."""
    budget = WorkBudget(REQUEST_SECONDS if seconds is None else seconds)
    _current.set(budget)
    return budget


def end() -> None:
    """Remove the budget. Work outside a request, as that of workers and commands, has none."""
    _current.set(None)


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
