"""Which coming shifts people are told of now (specification 23.16)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from inbox.domain.oncall.lead_times import reminders
from inbox.domain.oncall.person_periods import PersonPeriod
from tests.domain.oncall.layers import ANA, BEN

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def shift(start: datetime, user: object = ANA) -> PersonPeriod:
    return PersonPeriod(user, start, start + HOUR)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "due", "following"),
    [
        (timedelta(minutes=61), [], NOW + timedelta(minutes=1)),
        (timedelta(minutes=60), [[60]], NOW + timedelta(minutes=45)),
        (timedelta(minutes=16), [[60]], NOW + timedelta(minutes=1)),
        (timedelta(minutes=15), [[15, 60]], None),
        (timedelta(minutes=1), [[15, 60]], None),
    ],
)
def test_a_shift_is_due_when_a_lead_time_has_passed(
    before: timedelta, due: list[list[int]], following: datetime | None
) -> None:
    found = reminders([shift(NOW + before)], {ANA: (60, 15, 0)}, set(), NOW)

    assert [list(leads) for _, leads in found.due] == due
    assert found.following == following


def test_a_shift_that_was_told_is_not_due_until_its_next_lead_time() -> None:
    start, told = NOW + HOUR, {(ANA, NOW + HOUR, 60)}

    assert reminders([shift(start)], {ANA: (60, 15)}, told, NOW).due == []
    assert len(reminders([shift(start)], {ANA: (60, 15)}, told, NOW + timedelta(minutes=45)).due) == 1


def test_the_start_alone_is_no_lead_time() -> None:
    found = reminders([shift(NOW + timedelta(minutes=1))], {ANA: (0,)}, set(), NOW)

    assert (list(found.due), found.following) == ([], None)


def test_each_person_has_their_own_lead_times() -> None:
    shifts = [shift(NOW + 2 * HOUR, BEN), shift(NOW + HOUR)]

    found = reminders(shifts, {ANA: (60,), BEN: (60,)}, set(), NOW)

    assert [period.user_id for period, _ in found.due] == [ANA]
    assert found.following == NOW + HOUR
