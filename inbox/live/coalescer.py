"""Coalescing: changes within 200 ms are sent once, and a burst of changes becomes one `resync` (specification 14.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inbox.live import wire
from inbox.live.feed import RESYNC, RESYNC_THRESHOLD, merged

SECONDS = 0.2
RESYNC_SECONDS = 1.0


class Coalescer:
    """Coalesces the references to one audience (a workspace or a person). `now` is a monotonic time in seconds.

    After a quiet period the first change is sent at once and opens a window. Later changes wait for the end of the
    window. More than 100 objects in a window become one `resync`, and the next window lasts a second.
    """

    __slots__ = ("_pending", "_storm", "ends_at")

    def __init__(self) -> None:
        self.ends_at: float | None = None
        self._pending: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._storm = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing is pending and no window is open. The coalescer may be discarded then."""
        return self.ends_at is None

    def add(self, references: Sequence[Mapping[str, Any]], now: float) -> list[bytes]:
        """Add references in the order of their commits. Return the lines to send now."""
        for reference in references:
            self._collect(reference)
        return self._publish(now) if self.ends_at is None else []

    def flush(self, now: float) -> list[bytes]:
        """Return the lines that are due at `now`. Call this at `ends_at` or soon after."""
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
