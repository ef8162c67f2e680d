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

    A `resync` replaces the waiting lines of its workspace and of its types, or all.
    """

    __slots__ = ("_has_lines", "_pending_lines", "closed")

    def __init__(self) -> None:
        self.closed = False
        self._pending_lines: deque[bytes] = deque()
        self._has_lines = threading.Event()

    def __len__(self) -> int:
        return len(self._pending_lines)

    def put(self, lines: Sequence[bytes]) -> bool:
        """Add lines. Close the mailbox and return False when more than 200 lines would wait (specification 14.4)."""
        if self.closed:
            return True
        for line in lines:
            if wire.is_resync(line):
                self._remove_replaced(line)
                lines = (line,)
                break
        if len(self._pending_lines) + len(lines) > CAPACITY:
            self.close()
            return False
        self._pending_lines.extend(lines)
        self._has_lines.set()
        return True

    def _remove_replaced(self, resync: bytes) -> None:
        is_replaced = wire.replaced_by(resync)
        for line in tuple(self._pending_lines):
            if is_replaced(line):
                with suppress(ValueError):  # the reader removed it meanwhile
                    self._pending_lines.remove(line)

    def close(self) -> None:
        """Accept and return no more lines. The reader wakes at once."""
        self.closed = True
        self._pending_lines.clear()
        self._has_lines.set()

    def take(self, seconds: float) -> bytes:
        """Return all waiting lines in order, in one chunk.

        Empty after `seconds` without lines, or when the mailbox is closed.
        """
        if not self._pending_lines and not self.closed:
            self._has_lines.wait(seconds)
        self._has_lines.clear()
        lines = []
        while self._pending_lines:
            lines.append(self._pending_lines.popleft())
        return b"".join(lines)
