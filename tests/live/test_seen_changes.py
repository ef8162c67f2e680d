"""Each row of the change feed is published once, though rows become visible out of order."""

from __future__ import annotations

from inbox.live.seen_changes import SeenChanges


def test_a_row_is_new_once():
    reported = SeenChanges()

    assert reported.add(7)
    assert not reported.add(7)


def test_what_was_visible_at_the_beginning_need_not_be_reported():
    reported = SeenChanges()
    reported.begin([1, 2, 3])

    assert reported.missing([1, 2, 3, 4]) == [4]


def test_a_row_that_commits_after_a_later_one_is_found():
    reported = SeenChanges()
    reported.begin([10])
    reported.add(12)

    assert reported.missing([10, 11, 12]) == [11]


def test_old_rows_are_forgotten():
    reported = SeenChanges()
    for seq in range(1000):
        reported.add(seq)

    assert reported.missing([998, 999]) == []
    assert len(reported) == 2


def test_a_row_got_of_before_it_is_seen_is_not_forgotten():
    reported = SeenChanges()
    reported.add(5)
    reported.missing([3, 4])

    assert not reported.add(5)
