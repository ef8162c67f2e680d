"""The order of shards: sources with few events do not wait for sources with many."""

from __future__ import annotations

from inbox.flow.routing.batch import ShardOrder


def test_shards_with_little_go_first_and_one_with_much_goes_last() -> None:
    turns = ShardOrder(100)
    assert turns.next({1: 200, 2: 7, 3: 200, 4: 1}) == [4, 2, 1, 3]

    for shard, processed in ((1, 100), (2, 99), (3, 250), (4, 0)):
        turns.record(shard, processed)

    assert turns.next({1: 1, 2: 7, 3: 200, 4: 1}) == [4, 2, 1]


def test_shards_with_a_backlog_take_turns() -> None:
    turns = ShardOrder(100)
    for shard in (1, 2, 3):
        turns.record(shard, 100)

    found = []
    for _ in range(6):
        (shard,) = turns.next(dict.fromkeys([1, 2, 3], 200))
        turns.record(shard, 100)
        found.append(shard)

    assert found == [1, 2, 3, 1, 2, 3]


def test_an_empty_shard_is_forgotten_and_a_shard_of_another_worker_is_skipped() -> None:
    turns = ShardOrder(100)
    for shard in (1, 2, 3):
        turns.record(shard, 100)

    turns.record(1, 0)

    assert turns.next(dict.fromkeys([1, 2, 3], 200)) == [1, 2]
    assert turns.next({3: 200}) == [3]
    assert turns.next({}) == []
