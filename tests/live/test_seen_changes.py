"""Each row of the change feed is published once, though rows become visible out of order."""

from __future__ import annotations

import pytest

from inbox.live.seen_changes import MOST_GAPS, Gap, SeenChanges


def test_a_row_is_new_once():
    reported = SeenChanges()

    assert reported.add(7)
    assert not reported.add(7)


def test_changes_visible_at_the_start_are_not_published():
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


def test_a_change_received_before_its_row_is_visible_is_not_published_twice():
    reported = SeenChanges()
    reported.add(5)
    reported.missing([3, 4])

    assert not reported.add(5)


def passed(*visible: list[int]) -> SeenChanges:
    """What a process knows after these polls."""
    seen = SeenChanges()
    seen.begin(visible[0])
    for each in visible[1:]:
        seen.missing(each)
    return seen


@pytest.mark.parametrize(
    ("polls", "gaps"),
    [
        ([[10, 11, 12], [12, 13]], []),
        ([[10, 12], [10, 12, 13]], []),
        ([[10, 12, 13], [13]], [Gap(11, 11)]),
        ([[10, 13, 15], [15]], [Gap(11, 12), Gap(14, 14)]),
        ([[10], [10, 12], [15]], [Gap(11, 11), Gap(13, 14)]),
        ([[0], [5, 6]], [Gap(1, 4)]),
        ([[10], []], []),
    ],
)
def test_a_change_that_the_look_back_never_saw_is_a_gap(polls: list[list[int]], gaps: list[Gap]):
    assert passed(*polls).gaps == gaps


def test_a_row_in_a_gap_is_reported_once_and_later_forgotten():
    seen = passed([10, 12, 13], [13])

    assert seen.late([], oldest_running=90, following=100) == []
    assert seen.late([11], oldest_running=95, following=110) == [11]
    seen.add(11)
    assert (seen.missing([13, 14]), seen.late([11], oldest_running=99, following=120)) == ([14], [])
    assert seen.late([11], oldest_running=100, following=130) == []
    seen.missing([13])
    assert (seen.gaps, len(seen)) == ([], 1)


def test_a_gap_is_looked_up_once_while_no_transaction_runs():
    seen = passed([10, 12, 13], [13])

    assert seen.late([], oldest_running=100, following=100) == []
    assert seen.gaps == []


def test_the_number_of_gaps_is_bounded():
    seen = passed([*range(0, 4 * MOST_GAPS, 2)], [4 * MOST_GAPS])

    assert len(seen.gaps) == MOST_GAPS and seen.gaps[-1] == Gap(4 * MOST_GAPS - 1, 4 * MOST_GAPS - 1)


def test_rows_that_a_resync_replaces_are_not_reported():
    seen = passed([10])
    seen.skip(seen.missing([10, 11, 12]))

    assert seen.missing([10, 11, 12, 13]) == [13]
