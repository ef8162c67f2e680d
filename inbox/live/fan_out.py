"""Sends the lines of large audiences in slices, so that requests run between the slices (decision 0025)."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import structlog

from inbox.live.stream import Stream

log = structlog.get_logger(__name__)

SLICE = 25
"""The streams of a slice. An audience of this size or smaller gets its lines at once."""

PAUSE_SECONDS = 0.001
"""The pause after a slice. A turn of the loop alone would not let other connections be read."""

LATE_SECONDS = 0.5
"""Lines that waited longer are sent without pauses."""


class FanOut:
    """A queue of lines for streams, and the thread that sends them. The lines of an audience keep their order."""

    def __init__(self, send: Callable[[str, Sequence[Stream], Sequence[bytes]], None]) -> None:
        """Take `send`, which puts lines into the mailboxes of the streams that still belong to the audience."""
        self._send = send
        self._slices: deque[tuple[float, str, Sequence[Stream], Sequence[bytes]]] = deque()
        self._has_slices = threading.Event()
        self._is_stopped = False

    @property
    def is_busy(self) -> bool:
        """Whether lines wait or are being sent. Lines that are sent in another way would overtake them."""
        return bool(self._slices)

    def add(self, audience: str, streams: Sequence[Stream], lines: Sequence[bytes]) -> None:
        """Send the lines to the streams of the audience. The call does not wait."""
        now = time.monotonic()
        for first in range(0, len(streams), SLICE):
            self._slices.append((now, audience, streams[first : first + SLICE], lines))
        self._has_slices.set()

    def stop(self) -> None:
        """End the thread. Waiting lines are dropped, because all streams end."""
        self._is_stopped = True
        self._has_slices.set()

    def run(self) -> None:
        """Send until `stop`."""
        while not self._is_stopped:
            self._has_slices.wait()
            self._has_slices.clear()
            while self._slices and not self._is_stopped:
                added_at, audience, streams, lines = self._slices[0]
                try:
                    self._send(audience, streams, lines)
                except Exception:  # the loop must continue
                    log.exception("lines of the stream were not sent")
                self._slices.popleft()
                time.sleep(PAUSE_SECONDS if time.monotonic() < added_at + LATE_SECONDS else 0)
