"""The bounded buffer of one stream. A slow client uses no more memory than the bound."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from inbox.live import wire

CAPACITY = 200


class Mailbox:
    """Many threads write, and the thread that sends to the client reads.

    A `resync` replaces the waiting lines of its workspace, or all.
    """

    __slots__ = ("_stir", "_waiting", "closed")

    def __init__(self) -> None:
        self.closed = False
        self._waiting: deque[bytes] = deque()
        self._stir = threading.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, lines: Sequence[bytes]) -> bool:
        """Add lines. Close the mailbox and return False when more than 200 lines would wait (specification 14.4)."""
        if self.closed:
            return True
        for line in lines:
            if wire.is_resync(line):
                self._remove_replaced(line)
                lines = (line,)
                break
        if len(self._waiting) + len(lines) > CAPACITY:
            self.close()
            return False
        self._waiting.extend(lines)
        self._stir.set()
        return True

    def _remove_replaced(self, resync: bytes) -> None:
        for line in tuple(self._waiting):
            if wire.is_replaced(line, resync):
                with suppress(ValueError):  # the reader took it meanwhile
                    self._waiting.remove(line)

    def close(self) -> None:
        """Accept and return no more lines. The reader wakes at once."""
        self.closed = True
        self._waiting.clear()
        self._stir.set()

    def take(self, seconds: float) -> bytes:
        """Return all waiting lines in order, in one chunk.

        Empty after `seconds` without lines, or when the mailbox is closed.
        """
        if not self._waiting and not self.closed:
            self._stir.wait(seconds)
        self._stir.clear()
        lines = []
        while self._waiting:
            lines.append(self._waiting.popleft())
        return b"".join(lines)
