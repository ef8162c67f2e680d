"""Calls that may never return, such as a look at a dead network disk: the caller waits for a limited time."""

from __future__ import annotations

import threading
from typing import Any, Callable


class Overdue(Exception):
    """The call did not return in time. It may still run."""


class Call:
    """A call in a thread of its own. The thread does not keep the process alive."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._outcome: list[Any] = []
        self._fault: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the call has not returned."""
        return self._thread.is_alive()

    def result(self, seconds: float) -> Any:
        """What the call returned or raised. Raises `Overdue` after `seconds`."""
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
