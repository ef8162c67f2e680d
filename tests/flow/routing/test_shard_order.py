"""The order of shards: sources with few events do not wait for sources with many."""

from __future__ import annotations

from inbox.flow.routing.batch import ShardOrder
from inbox.models.events.queue import PARTITIONS


def test_shards_with_few_events_go_first_and_shards_with_many_last() -> None:
    order = ShardOrder()

    assert order.next({1: 50, 2: 7, 3: 50, 4: 9, 5: 49, 4 + PARTITIONS: 1}) == ([2, 4 + PARTITIONS, 4, 5], [1, 3])


def test_shards_with_many_events_take_turns() -> None:
    order = ShardOrder()

    found = []
    for _ in range(6):
        _, many = order.next(dict.fromkeys([1, 2, 3], 200))
        order.record(many[0], is_full=True)
        found.append(many[0])

    assert found == [1, 2, 3, 1, 2, 3]


def test_a_shard_that_another_worker_holds_has_had_its_turn() -> None:
    order = ShardOrder()

    order.record(1, is_full=False)

    assert order.next(dict.fromkeys([1, 2, 3], 200)) == ([], [2, 3, 1])


def test_a_shard_whose_batch_was_full_counts_as_one_with_many_events() -> None:
    order = ShardOrder()
    for shard, is_full in ((1, False), (2, True), (3, True), (4, False)):
        order.record(shard, is_full=is_full)

    assert order.next(dict.fromkeys([1, 2, 3, 4], 20)) == ([1, 4], [2, 3])
    assert order.has_backlog
    order.record(2, is_full=False)
    assert order.next(dict.fromkeys([1, 2, 3, 4], 20)) == ([1, 2, 4], [3])


def test_an_empty_shard_has_no_backlog() -> None:
    order = ShardOrder()
    order.record(2, is_full=True)

    assert order.next({3: 20}) == ([3], [])
    assert not order.has_backlog
    assert order.next({2: 20, 3: 20}) == ([2, 3], [])
    assert order.next({}) == ([], [])
