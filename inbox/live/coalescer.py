"""Coalescing: what happens within 200 ms is told once, and a storm of changes becomes one `resync`.

Specification 14.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inbox.live import wire
from inbox.live.feed import RESYNC, RESYNC_THRESHOLD, merged

SECONDS = 0.2
RESYNC_SECONDS = 1.0


class Coalescer:
    """The references to one audience (a workspace or a person). `now` is a monotonic time in seconds.

    After a quiet time the first change is told at once; what follows waits for the end of the window that it opens.
    More than 100 things in a window are told as one `resync`, and the window after it lasts a second.
    """

    __slots__ = ("_pending", "_storm", "ends_at")

    def __init__(self) -> None:
        self.ends_at: float | None = None
        self._pending: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._storm = False

    @property
    def is_idle(self) -> bool:
        """Nothing waits and nothing need be remembered: the window may be thrown away."""
        return self.ends_at is None

    def add(self, references: Sequence[Mapping[str, Any]], now: float) -> list[bytes]:
        """Take references in the order of their commits; answers the lines to tell now."""
        for reference in references:
            self._collect(reference)
        return self._publish(now) if self.ends_at is None else []

    def flush(self, now: float) -> list[bytes]:
        """The lines that are due at `now`; call it at `ends_at` or soon after."""
        return self._publish(now) if self.ends_at is not None and now >= self.ends_at else []

    def _collect(self, reference: Mapping[str, Any]) -> None:
        if self._storm:
            return
        if reference["type"] == RESYNC:
            self._storm = True
        else:
            name = (reference["type"], reference["id"])
            earlier = self._pending.get(name)
            self._pending[name] = merged(earlier, reference) if earlier else reference
            self._storm = len(self._pending) > RESYNC_THRESHOLD
        if self._storm:
            self._pending.clear()

    def _publish(self, now: float) -> list[bytes]:
        if self._storm:
            self._storm, self.ends_at = False, now + RESYNC_SECONDS
            return [wire.RESYNC]
        lines = [wire.line(reference) for reference in self._pending.values()]
        self._pending.clear()
        self.ends_at = now + SECONDS if lines else None
        return lines
