"""How long no event was accepted."""

from __future__ import annotations

import time

from tests.faults.background import Background
from tests.faults.service_processes import Senders


class Gaps(Background):
    """Measures the longest time in which no sender had an event accepted, since the last `restart`."""

    def __init__(self, senders: Senders) -> None:
        super().__init__()
        self._senders, self._seen, self._since = senders, 0, time.monotonic()
        self.longest = 0.0

    def restart(self) -> None:
        self.longest = 0.0

    def pause(self) -> float:
        return 0.01

    def step(self) -> None:
        if (count := len(self._senders.accepted)) != self._seen:
            if self._seen:
                self.longest = max(self.longest, time.monotonic() - self._since)
            self._seen, self._since = count, time.monotonic()
