"""Runs work in real threads, while the event loop of gevent continues."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gevent import monkey
from gevent.threadpool import ThreadPool

Result = TypeVar("Result")


class RealThreads:
    """A number of threads for work that would block all other requests of a process.

    Without gevent the caller runs it.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ThreadPool | None = None

    @property
    def are_used(self) -> bool:
        """Whether this process runs an event loop of gevent."""
        return bool(monkey.is_module_patched("threading"))

    def run(self, act: Callable[..., Result], *args: object) -> Result:
        """Return what `act` returns, and raise what it raises. It waits while all threads are in use."""
        if not self.are_used:
            return act(*args)
        if self._pool is None:
            self._pool = ThreadPool(self._count)
        returned: list[Result] = []
        fault = self._pool.apply(_fault, (lambda: returned.append(act(*args)),))
        if fault is not None:
            raise fault
        return returned[0]


def _fault(act: Callable[[], None]) -> Exception | None:
    """Return an exception of `act` as a value, because gevent prints each exception that leaves a thread of a pool."""
    try:
        act()
    except Exception as fault:  # noqa: BLE001 - it is raised again in the thread of the caller
        return fault
    return None
