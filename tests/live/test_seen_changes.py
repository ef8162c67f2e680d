"""Each row of `changes` is told once, though rows become visible out of order."""

from __future__ import annotations

from inbox.live.seen_changes import SeenChanges


def test_a_row_is_new_once():
    told = SeenChanges()

    assert told.add(7)
    assert not told.add(7)


def test_what_was_visible_at_the_beginning_need_not_be_told():
    told = SeenChanges()
    told.begin([1, 2, 3])

    assert told.missing([1, 2, 3, 4]) == [4]


def test_a_row_that_commits_after_a_later_one_is_found():
    told = SeenChanges()
    told.begin([10])
    told.add(12)

    assert told.missing([10, 11, 12]) == [11]


def test_old_rows_are_forgotten():
    told = SeenChanges()
    for seq in range(1000):
        told.add(seq)

    assert told.missing([998, 999]) == []
    assert len(told) == 2


def test_a_row_heard_of_before_it_is_seen_is_not_forgotten():
    told = SeenChanges()
    told.add(5)
    told.missing([3, 4])

    assert not told.add(5)
