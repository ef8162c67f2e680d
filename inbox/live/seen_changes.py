"""The rows of `changes` that this process has sent. Each row is sent once, through Redis or through polling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class SeenChanges:
    """A set of `seq` values without the old ones.

    Rows do not become visible in the order of `seq`, so one mark is not enough.
    """

    def __init__(self) -> None:
        self._seqs: set[int] = set()

    def __len__(self) -> int:
        return len(self._seqs)

    def begin(self, visible: Iterable[int]) -> None:
        """Start over. These rows are not sent."""
        self._seqs = set(visible)

    def add(self, seq: int) -> bool:
        """Mark a row as sent. Return whether it is new."""
        if seq in self._seqs:
            return False
        self._seqs.add(seq)
        return True

    def missing(self, visible: Sequence[int]) -> list[int]:
        """Return the visible rows that were not sent, in order.

        Rows older than all visible rows are removed from the set.
        """
        if visible:
            oldest = min(visible)
            self._seqs = {seq for seq in self._seqs if seq >= oldest}
        return sorted(seq for seq in visible if seq not in self._seqs)
