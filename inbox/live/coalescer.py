"""Coalescing: changes within 200 ms are sent once, and a burst of changes becomes one `resync` (specification 14.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inbox.live import wire
from inbox.live.feed import ACT, RESYNC, RESYNC_THRESHOLD, merged

SECONDS, LONGEST_SECONDS = 0.2, 1.0
MANY_STREAMS = 1_000
"""The number of receivers that gives a window its longest duration. They spread their reads over half a minute."""

MOST_ACTS = 10
"""The references to acts of people that do not wait for the end of a window."""

STORM_SECONDS = 5.0
"""A `resync` within this time of the one before continues its burst."""


class Coalescer:
    """Coalesces the references to one audience (a workspace or a person). `now` is a monotonic time in seconds.

    After a quiet period the first change is sent at once and opens a window. Later changes wait for the end of the
    window, which lasts longer for many receivers. Ten acts of people in each window do not wait. More than 100 objects
    in a window become one `resync` with their types. The next window lasts a second. The spread of a line grows with
    `streams`, the number of its receivers. The spread of a `resync` also grows with the burst.
    """

    __slots__ = ("_acts", "_last_resync", "_overflow", "_pending", "_resyncs", "_workspace_id", "ends_at")

    def __init__(self, workspace_id: str | None = None) -> None:
        self.ends_at: float | None = None
        self._workspace_id = workspace_id
        self._acts, self._resyncs, self._last_resync = 0, 0, 0.0
        self._pending: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._overflow: set[str] = set()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is pending, no window is open, and no burst is remembered. It may be discarded then."""
        return self.ends_at is None and self._resyncs == 0

    def add(self, references: Sequence[Mapping[str, Any]], now: float, streams: int = 1) -> list[bytes]:
        """Add references in the order of their commits. Return the lines to send now."""
        for reference in references:
            self._collect(reference)
        return self._publish(now, streams) if self.ends_at is None else self._publish_acts(references, streams)

    def flush(self, now: float, streams: int = 1) -> list[bytes]:
        """Return the lines that are due at `now`. Call this at `ends_at` or soon after, and until `is_idle`."""
        if self._resyncs and now >= self._last_resync + STORM_SECONDS:
            self._resyncs = 0
        return self._publish(now, streams) if self.ends_at is not None and now >= self.ends_at else []

    def _collect(self, reference: Mapping[str, Any]) -> None:
        if self._overflow or reference["type"] == RESYNC:
            self._overflow.update(reference.get("types") or (reference["type"],))
        else:
            name = (reference["type"], reference["id"])
            earlier = self._pending.get(name)
            self._pending[name] = merged(earlier, reference) if earlier else reference
        if self._overflow or len(self._pending) > RESYNC_THRESHOLD:
            self._overflow.update(name for name, _ in self._pending)
            self._pending.clear()

    def _publish_acts(self, references: Sequence[Mapping[str, Any]], streams: int) -> list[bytes]:
        """Return the lines of acts. A `resync` of the window follows them nevertheless, since it stands for more."""
        acts = [reference for reference in references if ACT in reference][: MOST_ACTS - self._acts]
        self._acts += len(acts)
        waiting = [self._pending.pop((act["type"], act["id"]), act) for act in acts]
        return [wire.line(reference, streams=streams) for reference in waiting]

    def _publish(self, now: float, streams: int) -> list[bytes]:
        self._acts = 0
        if self._overflow:
            line = wire.resync(self._workspace_id, types=self._overflow, streams=streams, earlier=self._resyncs)
            self._overflow, self.ends_at = set(), now + LONGEST_SECONDS
            self._resyncs, self._last_resync = self._resyncs + 1, now
            return [line]
        lines = [wire.line(reference, streams=streams) for reference in self._pending.values()]
        self._pending.clear()
        self.ends_at = now + _window_seconds(streams) if lines else None
        return lines


def _window_seconds(streams: int) -> float:
    return min(LONGEST_SECONDS, max(SECONDS, LONGEST_SECONDS * streams / MANY_STREAMS))
