"""Whose turn it is: shards where little waits go first, and of those with much one at a time."""

from __future__ import annotations

from collections.abc import Sequence


class ShardOrder:
    """What a worker knows of shards: in which it left more than a batch. Those wait for each other in a ring."""

    def __init__(self, full: int) -> None:
        self._full = full
        self.backlogged: dict[int, None] = {}

    def next(self, shards: Sequence[int]) -> list[int]:
        """Which of these to serve before they are looked at anew: all but those with much, and one of these."""
        deep = [shard for shard in self.backlogged if shard in shards]
        return [shard for shard in shards if shard not in self.backlogged] + deep[:1]

    def record(self, shard: int, processed: int) -> None:
        """So many places of its queue were dealt with."""
        self.backlogged.pop(shard, None)
        if processed >= self._full:
            self.backlogged[shard] = None
