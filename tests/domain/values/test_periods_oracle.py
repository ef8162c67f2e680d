"""Periods of recurring silences by arithmetic equal their definition, at changes of clocks too, with bounded work."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inbox.domain.routing.active_periods import ActivePeriods
from tests.database.call_counts import calls_of
from tests.domain.values import slow_periods

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Asia/Beirut")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


def _some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[str]:
    return st.lists(values, min_size=1, max_size=3).map(lambda found: ",".join(map(str, found)))


def _numbered(most: int) -> st.SearchStrategy[str]:
    numbers = st.integers(-most, most).map(lambda number: f"{number:+}" if number else "")
    return st.builds(lambda number, day: f"{number}{day}", numbers, st.sampled_from(DAYS))


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    by_days = frequency in ("DAILY", "WEEKLY")
    parts = {
        "INTERVAL": st.integers(1, 14).map(str),
        "COUNT": st.integers(1, 40).map(str),
        "WKST": st.sampled_from(DAYS),
        "BYMONTH": _some(st.integers(1, 12)),
        "BYDAY": _some(_numbered(0 if by_days else 5)),
    } | ({} if by_days else {"BYMONTHDAY": _some(st.sampled_from([*range(1, 32), *range(-31, 0)]))})
    names = draw(st.sets(st.sampled_from(sorted(parts)), max_size=3))
    return ";".join([f"FREQ={frequency}", *(f"{name}={draw(parts[name])}" for name in sorted(names))])


recurrences = st.builds(
    lambda rule, zone, minutes: {"rrule": rule, "timezone": zone, "durationMinutes": minutes},
    rules(),
    st.sampled_from(ZONES),
    st.one_of(st.integers(1, 180), st.sampled_from([24 * 60, 25 * 60, 8 * 24 * 60, 31 * 24 * 60])),
)
starts = st.datetimes(datetime(2026, 1, 1), datetime(2028, 12, 31), timezones=st.just(UTC))
lengths = st.timedeltas(timedelta(minutes=1), timedelta(days=366))
WEEKLY = {"rrule": "FREQ=WEEKLY;BYDAY=SU", "timezone": "Europe/Berlin", "durationMinutes": 120}
SKIPPED = datetime(2026, 3, 28, 1, 30, tzinfo=UTC)


@given(recurrences, starts, lengths, st.lists(st.floats(-0.1, 1.1), min_size=3, max_size=3))
@example({**WEEKLY, "rrule": "FREQ=DAILY"}, SKIPPED, timedelta(days=366), [0.0, 0.003, 0.6])
@example({**WEEKLY, "rrule": "FREQ=YEARLY;BYDAY=-1SU,5MO"}, SKIPPED, timedelta(days=366), [0.0, 0.5, 1.0])
@example({**WEEKLY, "rrule": "FREQ=MONTHLY;BYDAY=MO,1TU"}, SKIPPED, timedelta(days=366), [0.0, 0.5, 1.0])
def test_periods_by_arithmetic_equal_their_definition(
    recurrence: dict[str, Any], starts_at: datetime, length: timedelta, places: list[float]
) -> None:
    quick = ActivePeriods.of(starts_at, starts_at + length, recurrence)
    slow = slow_periods.periods(starts_at, starts_at + length, recurrence)
    edges = [edge for period in slow.periods[:2] + slow.periods[-1:] for edge in period]
    moments = [starts_at + place * length for place in places] + edges
    moments += [edge - timedelta.resolution for edge in edges]

    for at in moments:
        assert (quick.covers(at), quick.state(at)) == (slow.covers(at), slow.state(at))
        assert quick.next_change(at) == slow.next_change(at)
        assert quick.within(at, at + timedelta(days=7), 5) == slow.within(at, at + timedelta(days=7), 5)
    assert quick.periods == slow.periods


@given(rules(), starts, st.timedeltas(timedelta(days=1), timedelta(days=1_200)))
def test_long_rules_are_cut_like_their_definition(rule: str, starts_at: datetime, length: timedelta) -> None:
    recurrence = {**WEEKLY, "rrule": rule}

    quick = ActivePeriods.of(starts_at, starts_at + length, recurrence)

    assert quick.periods == slow_periods.periods(starts_at, starts_at + length, recurrence).periods


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "FREQ=MONTHLY;BYMONTHDAY=1"])
def test_the_state_of_a_recurring_silence_takes_few_steps(rule: str) -> None:
    recurrence = {**WEEKLY, "rrule": rule}

    assert calls_of(lambda: ActivePeriods.of(NOW, NOW + timedelta(days=366), recurrence).state(NOW)) < 500


def test_routing_computes_the_answer_once_until_the_next_change() -> None:
    periods = ActivePeriods.of(NOW, NOW + timedelta(days=366), {**WEEKLY, "rrule": "FREQ=DAILY"})
    periods.covers(NOW)

    assert calls_of(lambda: periods.covers(NOW + timedelta(minutes=1))) < 10
    assert periods.covers(NOW + timedelta(minutes=120)) is False
    assert periods.covers(NOW + timedelta(minutes=119)) is True
