"""Digests as pure rules: their times and contents."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.deliveries.digests import Digest, Every, Outcome, WaitingNotice, is_worth_a_digest, resolve_waiting
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.incidents.state_machine import State
from inbox.domain.values.severity import Severity

BERLIN, KATHMANDU = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kathmandu")
ZONES = st.sampled_from([BERLIN, KATHMANDU, ZoneInfo("UTC"), ZoneInfo("America/St_Johns"), ZoneInfo("Pacific/Apia")])
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(lambda at: at.replace(tzinfo=UTC))
PERIODS = {Every.QUARTER: timedelta(minutes=15), Every.HOUR: timedelta(hours=1)}


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("every", "after", "expected"),
    [
        (Every.QUARTER, "2026-11-21 09:00:00", "2026-11-21 09:15:00"),
        (Every.QUARTER, "2026-11-21 09:14:59.999", "2026-11-21 09:15:00"),
        (Every.HOUR, "2026-11-21 09:00:00", "2026-11-21 10:00:00"),
        (Every.HOUR, "2026-11-21 09:59:59.999", "2026-11-21 10:00:00"),
    ],
)
def test_a_digest_is_due_at_the_next_full_period(every: Every, after: str, expected: str) -> None:
    assert Digest(every).next_at(at(after), BERLIN) == at(expected)


def test_a_full_hour_follows_the_local_clock() -> None:
    assert Digest(Every.HOUR).next_at(at("2026-11-21 09:00"), KATHMANDU) == at("2026-11-21 09:15")


@given(every=st.sampled_from(list(PERIODS)), after=MOMENTS, zone=ZONES)
def test_a_period_ends_within_its_length_at_a_full_time(every: Every, after: datetime, zone: ZoneInfo) -> None:
    due = Digest(every).next_at(after, zone)
    assert timedelta() < due - after <= PERIODS[every]
    assert due.astimezone(zone).minute % (PERIODS[every].seconds // 60) == 0
    assert (due.second, due.microsecond) == (0, 0)


@given(after=MOMENTS, zone=ZONES, clock=st.times().map(lambda each: each.replace(second=0, microsecond=0)))
def test_a_day_has_one_digest(after: datetime, zone: ZoneInfo, clock: time) -> None:
    digest = Digest(Every.DAY, clock)
    due = digest.next_at(after, zone)
    assert timedelta() < due - after <= timedelta(hours=49)  # a time zone may skip a day
    assert digest.next_at(due, zone) > due
    assert digest.next_at(due - timedelta(seconds=1), zone) == due


def test_a_time_that_the_clock_skips_is_the_moment_of_the_change() -> None:
    digest = Digest(Every.DAY, time(2, 30))
    assert digest.next_at(at("2026-03-28 12:00"), BERLIN) == at("2026-03-29 01:00")


@pytest.mark.parametrize("stored", [None, {"every": "15_minutes"}, {"every": "hour"}, {"every": "day", "at": "18:00"}])
def test_a_stored_setting_is_read(stored: dict[str, str] | None) -> None:
    found = Digest.of(stored)
    assert (found is None) == (stored is None)
    if stored and found:
        assert (str(found.every), found.at) == (stored["every"], time(18) if "at" in stored else None)


def waiting(*severities: Severity) -> list[WaitingNotice]:
    return [WaitingNotice(uuid4(), number, each) for number, each in enumerate(severities, 1)]


E, C = Severity.ERROR, Severity.CRITICAL
GATHER, SEND = Outcome.GATHER, Outcome.SEND
SUPERSEDED, SILENCED = SkipCause.SUPERSEDED, SkipCause.SILENCED


@pytest.mark.parametrize(
    ("severities", "state", "last", "has_message", "expected"),
    [
        ((E, E), State.OPEN, 0, False, [GATHER, GATHER]),
        ((E, E), State.RESOLVED, 0, False, [GATHER, GATHER]),
        ((E,), None, 5, False, [GATHER]),
        ((E, E), State.SILENCED, 0, False, [SILENCED, SILENCED]),
        ((E, E), State.OPEN, 1, False, [SUPERSEDED, GATHER]),
        ((E, E), State.OPEN, 2, False, [SUPERSEDED, SUPERSEDED]),
        ((E, C, E), State.OPEN, 0, False, [GATHER, SEND, GATHER]),
        ((C,), None, 0, False, [SEND]),
        ((E, E), State.OPEN, 0, True, [SUPERSEDED, SEND]),
        ((C, E, E), State.OPEN, 0, True, [SEND, SUPERSEDED, SEND]),
        ((E,), State.OPEN, 1, True, [SUPERSEDED]),
    ],
)
def test_waiting_notices_are_resolved_by_the_state_of_their_incident(
    severities: tuple[Severity, ...],
    state: State | None,
    last: int,
    has_message: bool,
    expected: list[Outcome | SkipCause],
) -> None:
    notices = waiting(*severities)
    found = resolve_waiting(notices, state, last_notified_seq=last, has_message=has_message)
    assert [found[one.id] for one in notices] == expected


def test_a_single_notice_is_a_digest_only_where_digests_are_chosen() -> None:
    hourly = Digest(Every.HOUR)
    assert [is_worth_a_digest(count, None) for count in (0, 1, 2)] == [False, False, True]
    assert [is_worth_a_digest(count, hourly) for count in (0, 1, 2)] == [False, True, True]
