"""The order of the shards in one call of the routing loop."""

from __future__ import annotations

from collections.abc import Mapping


class ShardOrder:
    """The order of shards: those with few waiting events first, and one of those with more than a batch per round.

    The shards with a backlog take turns. They are those that one worker found.
    """

    def __init__(self, batch_size: int) -> None:
        self._batch_size = batch_size
        self.backlogged: dict[int, None] = {}

    def next(self, waiting: Mapping[int, int]) -> list[int]:
        """The shards to route in this round, of these waiting events: all without a backlog, those with few events first,
        and one with a backlog."""
        backlogged = [shard for shard in self.backlogged if shard in waiting]
        others = [shard for shard in waiting if shard not in self.backlogged]
        return sorted(others, key=waiting.__getitem__) + backlogged[:1]

    def record(self, shard: int, processed: int) -> None:
        """Record the number of processed positions of the shard."""
        self.backlogged.pop(shard, None)
        if processed >= self._batch_size:
            self.backlogged[shard] = None
