"""What waits for one client of the stream: bounded, so that a client that falls behind costs nobody anything."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from inbox.live import wire

CAPACITY = 200


class Mailbox:
    """Written by many, read by the one who writes to the client. A `resync` replaces everything that waits."""

    __slots__ = ("_stir", "_waiting", "closed")

    def __init__(self) -> None:
        self.closed = False
        self._waiting: deque[bytes] = deque()
        self._stir = threading.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, lines: Sequence[bytes]) -> bool:
        """Add lines; False when more than 200 would wait, and then the mailbox is closed (specification 14.4)."""
        if self.closed:
            return True
        if wire.RESYNC in lines:
            self._waiting.clear()
            lines = (wire.RESYNC,)
        if len(self._waiting) + len(lines) > CAPACITY:
            self.close()
            return False
        self._waiting.extend(lines)
        self._stir.set()
        return True

    def close(self) -> None:
        """Nothing more is taken in or given out; the reader wakes at once."""
        self.closed = True
        self._waiting.clear()
        self._stir.set()

    def take(self, seconds: float) -> bytes:
        """All that waits, in order, in one piece; empty when nothing came in time or the mailbox was closed."""
        if not self._waiting and not self.closed:
            self._stir.wait(seconds)
        self._stir.clear()
        lines = []
        while self._waiting:
            lines.append(self._waiting.popleft())
        return b"".join(lines)
