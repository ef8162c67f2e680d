"""Checks of a check-in that become events (specification 20.3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.heartbeats.watchers import (
    REPEAT_AFTER,
    Check,
    CheckStatus,
    Comparison,
    ReportedCheck,
    compare,
    default_grace,
    of_record,
)
from tests.cast import NOW

OK, WARN, FAIL = CheckStatus


def check_in(
    before: Comparison | None, minutes: float, is_paused: bool = False, /, **statuses: CheckStatus
) -> Comparison:
    reported = [ReportedCheck(name, status, f"at {minutes}") for name, status in statuses.items()]
    return compare(before.checks if before else (), reported, NOW + timedelta(minutes=minutes), is_paused=is_paused)


def sent(comparison: Comparison) -> list[tuple[str, CheckStatus]]:
    return [(check.name, check.status) for check in comparison.changed]


def test_an_ok_check_that_was_never_bad_makes_no_event() -> None:
    first = check_in(None, 0, disk=OK)

    assert sent(first) == sent(check_in(first, 60, disk=OK)) == []


@pytest.mark.parametrize("before", [None, OK, WARN, FAIL])
@pytest.mark.parametrize("after", [OK, WARN, FAIL])
def test_a_check_makes_an_event_when_its_status_changes(before: CheckStatus | None, after: CheckStatus) -> None:
    first = None if before is None else check_in(None, 0, disk=before)

    second = check_in(first, 1, disk=after)

    assert sent(second) == ([] if after is (before or OK) else [("disk", after)])


def test_a_check_that_stays_bad_makes_an_event_each_ten_minutes() -> None:
    last, minutes_of_events = None, []
    for minute in range(31):
        last = check_in(last, minute, disk=FAIL)
        minutes_of_events += [minute] * len(last.changed)

    assert minutes_of_events == [0, 10, 20, 30]
    assert timedelta(minutes=10) == REPEAT_AFTER


def test_a_status_keeps_its_time_and_takes_the_newest_message() -> None:
    [check] = check_in(check_in(None, 0, disk=WARN), 5, disk=WARN).checks

    assert (check.since, check.message) == (NOW, "at 5")


def test_a_bad_check_that_is_not_reported_any_more_is_removed_and_an_ok_one_leaves_without_an_event() -> None:
    after = check_in(check_in(None, 0, disk=FAIL, memory=OK), 1)

    assert [check.name for check in after.removed] == ["disk"]
    assert (after.checks, after.changed) == ([], [])


def test_a_paused_watcher_makes_its_events_after_the_pause() -> None:
    paused = check_in(None, 0, True, disk=FAIL, memory=FAIL)
    recovered = check_in(paused, 1, True, disk=FAIL, memory=OK)

    assert sent(paused) == sent(recovered) == []
    assert sent(check_in(recovered, 2, disk=FAIL, memory=OK)) == [("disk", FAIL)]


def test_a_check_is_stored_unchanged() -> None:
    [bad] = check_in(None, 0, disk=FAIL).checks
    fresh = Check("memory", OK, "", NOW)

    assert [of_record(each.record()) for each in (bad, fresh)] == [bad, fresh]


@pytest.mark.parametrize(("interval", "grace"), [(10, 60), (60, 60), (300, 300), (3_600, 3_600), (86_400, 3_600)])
def test_the_grace_of_a_new_watcher_is_its_interval_within_bounds(interval: int, grace: int) -> None:
    assert default_grace(interval) == grace
