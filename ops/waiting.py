"""How long a connection waits for its next head."""

from __future__ import annotations

import time
from typing import Any

import gevent


class Waiting(gevent.Timeout):
    """The wait of a connection for its next head, ended when its time is over, or early when the worker stops.

    A head has `head_seconds` in all. With `idle_seconds` that time begins with its first byte.
    """

    def __init__(self, head_seconds: float, idle_seconds: float | None, all_waiting: set[Waiting]) -> None:
        super().__init__(head_seconds if idle_seconds is None else idle_seconds, False)
        self._idle = idle_seconds is not None
        self._head_seconds = head_seconds
        self._all = all_waiting
        self._greenlet = gevent.getcurrent()
        self._since = self._head_since = time.monotonic()
        self._early: Any = None

    def __enter__(self) -> Any:
        self._all.add(self)
        return super().__enter__()

    def __exit__(self, kind: object, error: object, trace: object) -> Any:
        self._all.discard(self)
        if self._early is not None:
            self._early.close()
        return super().__exit__(kind, error, trace)

    def begin_head(self) -> None:
        """Bytes have arrived; only the first ones change the time."""
        if self._idle:
            self._idle = False
            self._head_since = time.monotonic()
            self.close()
            self.timer = gevent.get_hub().loop.timer(self._head_seconds, priority=-1)
            self.start()

    def rest(self) -> Waiting:
        """The wait for what is missing of a head whose first bytes have arrived."""
        left = self._head_since + self._head_seconds - time.monotonic()
        return Waiting(max(0.0, left), None, self._all)

    def end_early(self) -> None:
        """Unless the wait began only now: the request may arrive."""
        if self._early is None and time.monotonic() - self._since > 1:
            self._early = gevent.get_hub().loop.timer(0.0)
            self._early.start(self._greenlet.throw, self)  # as the timeout itself would
