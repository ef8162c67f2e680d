"""The rows of `changes` that this process has sent. Each row is sent once, through Redis or through polling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

MOST_GAPS = 1_000
"""The most gaps. The oldest are forgotten beyond it.

Only a transaction of minutes beside many failed ones leaves as many.
"""


@dataclass(frozen=True, slots=True)
class Gap:
    """Values of `seq` from `low` to `high` that were not visible when the look-back passed them.

    Their transactions failed, or they have not ended. All of them are older than `until`, a transaction id.
    """

    low: int
    high: int
    until: int | None = None


class SeenChanges:
    """A set of `seq` values without the old ones.

    Rows do not become visible in the order of `seq`, so one mark is not enough. A row of a long transaction becomes
    visible after the look-back has passed it. So the gaps behind the look-back are kept until no transaction can fill
    them.
    """

    def __init__(self) -> None:
        self._seqs: set[int] = set()
        self._visible: Sequence[int] | None = None
        self.gaps: list[Gap] = []

    def __len__(self) -> int:
        return len(self._seqs)

    def begin(self, visible: Iterable[int]) -> None:
        """Start over. These rows are not sent."""
        self._visible = sorted(visible)
        self._seqs, self.gaps = set(self._visible), []

    def add(self, seq: int) -> bool:
        """Mark a row as sent. Return whether it is new."""
        if seq in self._seqs:
            return False
        self._seqs.add(seq)
        return True

    def skip(self, seqs: Iterable[int]) -> None:
        """Mark rows as sent, since a `resync` replaces them."""
        self._seqs.update(seqs)

    def missing(self, visible: Sequence[int]) -> list[int]:
        """Return the visible rows that were not sent, in order.

        Rows older than all visible rows are removed from the set, unless they are in a gap.
        """
        if visible:
            oldest = min(visible)
            self._keep_gaps_below(oldest)
            self._seqs = {seq for seq in self._seqs if seq >= oldest or self._is_in_gap(seq)}
            self._visible = sorted(visible)
        return self._not_sent(visible)

    def late(self, visible: Sequence[int], oldest_running: int, following: int) -> list[int]:
        """Return the visible rows of the gaps that were not sent, in order. Gaps that nothing can fill any more are removed.

        `oldest_running` is the oldest transaction that still ran when the rows were read. `following` is the next one
        to begin.
        """
        dated = [gap if gap.until is not None else replace(gap, until=following) for gap in self.gaps]
        self.gaps = [gap for gap in dated if gap.until is not None and gap.until > oldest_running]
        return self._not_sent(visible)

    def _not_sent(self, visible: Sequence[int]) -> list[int]:
        return sorted(seq for seq in visible if seq not in self._seqs)

    def _keep_gaps_below(self, oldest: int) -> None:
        """Keep the gaps that the look-back passes, as the last poll saw them: a row may have filled one since."""
        if self._visible is None:
            return
        passed = [*(seq for seq in self._visible if seq < oldest), oldest]
        gaps = [Gap(before + 1, after - 1) for before, after in pairwise(passed) if after - before > 1]
        self.gaps = [*self.gaps, *gaps][-MOST_GAPS:]

    def _is_in_gap(self, seq: int) -> bool:
        return any(gap.low <= seq <= gap.high for gap in self.gaps)
