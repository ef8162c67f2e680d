"""How long no event was accepted."""

from __future__ import annotations

import threading
import time
from typing import Self

from tests.faults.service_processes import Senders


class Gaps:
    """Measures the longest time in which no sender had an event accepted, since the last `restart`."""

    def __init__(self, senders: Senders) -> None:
        self._senders, self._stop = senders, threading.Event()
        self._thread = threading.Thread(target=self._measure, daemon=True)
        self.longest = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(20)

    def restart(self) -> None:
        self.longest = 0.0

    def _measure(self) -> None:
        seen, since = 0, time.monotonic()
        while not self._stop.wait(0.01):
            if (count := len(self._senders.accepted)) != seen:
                if seen:
                    self.longest = max(self.longest, time.monotonic() - since)
                seen, since = count, time.monotonic()
