"""Limits the time of calls that may never return, such as a look at a dead network disk."""

from __future__ import annotations

import threading
from typing import Any, Callable


class Overdue(Exception):
    """The call did not return in time. It may still run."""


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """Returns or raises what the call returned or raised. Raises `Overdue` after `seconds`.

    A machine that starts no more threads makes the call here, with only the call's own limits.
    """
    call = Call(work)
    return call.result(seconds) if call.has_thread else work()


class Call:
    """A call in its own thread. The thread does not keep the process alive.

    Without a free thread, the result is a `RuntimeError` that says so.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._outcome: list[Any] = []
        self._fault: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.has_thread = True
        try:
            self._thread.start()
        except RuntimeError as fault:
            self.has_thread = False
            self._fault.append(fault)

    @property
    def is_running(self) -> bool:
        """Whether the call is still running."""
        return self._thread.is_alive()

    def result(self, seconds: float) -> Any:
        """Returns or raises what the call returned or raised. Raises `Overdue` after `seconds`."""
        if self.has_thread:
            self._thread.join(max(0.0, seconds))
        if self._fault:
            raise self._fault[0]
        if not self._outcome:
            raise Overdue()
        return self._outcome[0]

    def _run(self) -> None:
        try:
            self._outcome.append(self._work())
        except BaseException as fault:  # noqa: BLE001 - the caller gets it
            self._fault.append(fault)
