"""The order of shards: those with few waiting events first, and one of those with a backlog per round."""

from __future__ import annotations

from collections.abc import Sequence


class ShardOrder:
    """The shards with a backlog of more than a batch, as one worker found them. They take turns."""

    def __init__(self, batch_size: int) -> None:
        self._batch_size = batch_size
        self.backlogged: dict[int, None] = {}

    def next(self, shards: Sequence[int]) -> list[int]:
        """The shards to route in this round: all without a backlog, and one with a backlog."""
        waiting = [shard for shard in self.backlogged if shard in shards]
        return [shard for shard in shards if shard not in self.backlogged] + waiting[:1]

    def record(self, shard: int, processed: int) -> None:
        """Record the number of processed positions of the shard."""
        self.backlogged.pop(shard, None)
        if processed >= self._batch_size:
            self.backlogged[shard] = None
