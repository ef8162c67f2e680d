"""Whose turn it is: shards where little waits go first, and of those with much each one in its turn."""

from __future__ import annotations

from collections.abc import Sequence


class Turns:
    """What a worker knows of shards: in which it left more than a batch, and in which there was nothing to be done.

    Those with much wait for each other in a ring. Those with nothing are not served again before another was: others
    serve them, or what is in them waits for another round.
    """

    def __init__(self, full: int) -> None:
        self._full = full
        self._deep: dict[int, None] = {}
        self._idle: set[int] = set()

    def next(self, shards: Sequence[int], hands: int = 1) -> list[int]:
        """Which of these to serve before they are looked at anew: all but those with much, and of these one for each hand."""
        there = [shard for shard in shards if shard not in self._idle]
        deep = [shard for shard in self._deep if shard in there]
        return [shard for shard in there if shard not in self._deep] + deep[:hands]

    def served(self, shard: int, dealt: int) -> None:
        """So many places of its queue were dealt with."""
        self._deep.pop(shard, None)
        if dealt >= self._full:
            self._deep[shard] = None
        if dealt:
            self._idle.clear()
        else:
            self._idle.add(shard)
