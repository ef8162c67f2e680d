"""Which rows of `changes` this process has passed on, so that each is told once, by Redis or by looking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class SeenChanges:
    """A set of `seq`s that forgets the old. Rows do not become visible in the order of `seq`: no single mark will do."""

    def __init__(self) -> None:
        self._seqs: set[int] = set()

    def __len__(self) -> int:
        return len(self._seqs)

    def begin(self, visible: Iterable[int]) -> None:
        """Start anew: these need not be told."""
        self._seqs = set(visible)

    def add(self, seq: int) -> bool:
        """Whether this row is new; it is told from now on."""
        if seq in self._seqs:
            return False
        self._seqs.add(seq)
        return True

    def missing(self, visible: Sequence[int]) -> list[int]:
        """Those of the visible rows that were not told, in order; rows older than all of them are forgotten."""
        if visible:
            oldest = min(visible)
            self._seqs = {seq for seq in self._seqs if seq >= oldest}
        return sorted(seq for seq in visible if seq not in self._seqs)
