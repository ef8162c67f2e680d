"""Silences: active periods, covered incidents, and permitted times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.events.subject import Subject
from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.routing.silences import MAX_DURATION, CompiledSilence, active_silence, check, views
from inbox.domain.values.severity import Severity

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
ID, SOURCES = UUID(int=1), (UUID(int=8),)
SUBJECT = Subject(Severity.ERROR, "trigger", "Disk full", None, None, None, [], "src_x", "Prometheus")
DAILY = {"rrule": "FREQ=DAILY", "timezone": "Europe/Berlin", "durationMinutes": 60}


def model_silence(
    number: int, *source_ids: int, matches: bool = True, start: datetime = NOW, recurs: Any = None
) -> CompiledSilence:
    span = ActivePeriods.of(start, start + timedelta(days=30) if recurs else start + HOUR, recurs)
    return CompiledSilence(UUID(int=number), span, frozenset(UUID(int=each) for each in source_ids), lambda _: matches)


def test_a_silence_is_active_from_its_start_up_to_its_end() -> None:
    span = ActivePeriods.of(NOW, NOW + HOUR)

    assert [span.covers(NOW - SECOND), span.covers(NOW)] == [False, True]
    assert [span.covers(NOW + HOUR - SECOND), span.covers(NOW + HOUR)] == [True, False]
    assert [span.state(NOW - SECOND), span.state(NOW), span.state(NOW + HOUR)] == ["pending", "active", "expired"]
    assert [span.next_change(NOW - SECOND), span.next_change(NOW), span.next_change(NOW + HOUR)] == [
        NOW,
        NOW + HOUR,
        None,
    ]


def test_a_recurring_silence_is_pending_between_occurrences_and_expired_after_the_last() -> None:
    span = ActivePeriods.of(NOW, NOW + timedelta(days=2), DAILY)

    assert [span.state(NOW + hours * HOUR) for hours in (-1, 0, 1, 24, 25, 48)] == [
        "pending",
        "active",
        "pending",
        "active",
        "expired",
        "expired",
    ]
    assert span.next_change(NOW + HOUR) == NOW + timedelta(days=1)
    assert span.next_change(NOW + 25 * HOUR) is None


@pytest.mark.parametrize(
    ("zone", "start", "begins", "ends"),
    [
        # 02:30 to 04:30, the night before clocks go forward, and that night: they skip it, it starts at the change
        ("Europe/Berlin", "2026-03-28 01:30", "2026-03-29 01:00", "2026-03-29 03:00"),
        ("America/New_York", "2026-03-07 07:30", "2026-03-08 07:00", "2026-03-08 09:00"),
        ("Australia/Lord_Howe", "2026-10-02 15:45", "2026-10-03 15:30", "2026-10-03 17:30"),
        # the night in which clocks go back: the first time that they show it, and two hours from then
        ("Europe/Berlin", "2026-10-24 00:30", "2026-10-25 00:30", "2026-10-25 02:30"),
        ("America/New_York", "2026-10-31 05:30", "2026-11-01 05:30", "2026-11-01 07:30"),
        ("Australia/Lord_Howe", "2026-04-03 14:45", "2026-04-04 14:45", "2026-04-04 16:45"),
    ],
)
def test_occurrences_start_by_the_clock_on_the_wall_and_last_by_the_stop_watch(
    zone: str, start: str, begins: str, ends: str
) -> None:
    starts_at, begin, end = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (start, begins, ends))
    span = ActivePeriods.of(
        starts_at, starts_at + timedelta(days=5), {**DAILY, "timezone": zone, "durationMinutes": 120}
    )

    assert span.periods[1] == (begin, end)


def test_the_last_occurrence_ends_with_the_silence() -> None:
    span = ActivePeriods.of(NOW, NOW + timedelta(days=1, minutes=10), DAILY)

    assert span.periods[-1] == (NOW + timedelta(days=1), NOW + timedelta(days=1, minutes=10))


def test_overlapping_occurrences_are_one_period() -> None:
    span = ActivePeriods.of(NOW, NOW + timedelta(days=9), {**DAILY, "durationMinutes": 25 * 60})

    assert span.periods == ((NOW, NOW + timedelta(days=9)),)


def test_overlapping_periods_of_a_silence_are_returned_up_to_a_limit() -> None:
    hour, start = timedelta(hours=1), datetime(2026, 3, 1, tzinfo=UTC)
    periods = ActivePeriods(tuple((start + 2 * n * hour, start + (2 * n + 1) * hour) for n in range(5)))

    assert periods.within(start, start + 4 * hour, 10) == list(periods.periods[:2])
    assert periods.within(start + hour, start + 4 * hour, 10) == [periods.periods[1]]
    assert periods.within(start + hour / 2, start + 4 * hour + hour / 2, 10) == list(periods.periods[:3])
    assert periods.within(start, start + 24 * hour, 4) == list(periods.periods[:4])
    assert periods.within(start + 24 * hour, start + 48 * hour, 10) == []


def test_an_event_is_taken_by_the_first_silence_that_holds_and_matches() -> None:
    hushes = [
        model_silence(1, matches=False),
        model_silence(2, start=NOW + HOUR),
        model_silence(3, 8),
        model_silence(4),
        model_silence(5),
    ]

    def taken(hushes: list[CompiledSilence], source: int, at: datetime = NOW) -> UUID | None:
        found = active_silence(hushes, [SUBJECT], UUID(int=source), at)
        return None if found is None else found.id

    assert taken(hushes, 9) == UUID(int=4)
    assert taken(hushes, 8) == UUID(int=3)
    assert taken(hushes, 9, NOW + HOUR) == UUID(int=2)
    assert taken(hushes, 9, NOW - SECOND) is None
    assert taken([], 9) is None
    assert active_silence(hushes, [], UUID(int=9), NOW) is None


def test_an_incident_is_seen_as_its_newest_event_with_its_tags_and_as_itself() -> None:
    existing = SimpleNamespace(title="Disk full", type="disk", resource=None, dedup_key="k", tags=["db"])
    event = SUBJECT._replace(title="Still full", tags=["web"], metadata={"env": "prod"})

    newest, own = views(existing, Severity.CRITICAL, event)

    assert newest == event._replace(tags=("db", "web"))
    assert own == event._replace(
        severity=Severity.CRITICAL, title="Disk full", type="disk", dedup_key="k", tags=("db",)
    )


def test_an_incident_equal_to_its_opening_event_is_seen_once() -> None:
    event = SUBJECT._replace(tags=["db"])
    existing = SimpleNamespace(title="Disk full", type=None, resource=None, dedup_key=None, tags=["db"])

    assert views(existing, Severity.ERROR, event) == (event._replace(tags=("db",)),)


@pytest.mark.parametrize(
    ("starts_in", "ends_in", "pointer"),
    [
        (timedelta(), SECOND, None),
        (timedelta(), timedelta(), "/endsAt"),
        (HOUR, HOUR - SECOND, "/endsAt"),
        (-HOUR, -SECOND, "/endsAt"),
        (-HOUR, timedelta(), "/endsAt"),
        (-HOUR, SECOND, None),
        (timedelta(), MAX_DURATION - SECOND, None),
        (timedelta(), MAX_DURATION, None),
        (HOUR, MAX_DURATION + SECOND, "/endsAt"),
        (HOUR - MAX_DURATION, HOUR, None),
        (HOUR - MAX_DURATION - SECOND, HOUR, "/startsAt"),
    ],
)
def test_a_silence_ends_after_its_start_and_within_a_year(
    starts_in: timedelta, ends_in: timedelta, pointer: str | None
) -> None:
    faults = check(NOW + starts_in, NOW + ends_in, None, NOW)

    assert [fault.pointer for fault in faults] == ([] if pointer is None else [pointer])


@pytest.mark.parametrize(
    ("rrule", "fine"),
    [
        ("FREQ=DAILY", True),
        ("FREQ=SECONDLY", False),
        ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", False),
        ("FREQ=YEARLY;BYMONTH=12", False),
    ],
)
def test_a_rule_that_is_not_taken_or_never_happens_is_pointed_at(rrule: str, fine: bool) -> None:
    faults = check(NOW, NOW + timedelta(days=30), {**DAILY, "rrule": rrule}, NOW)

    assert [fault.pointer for fault in faults] == ([] if fine else ["/recurrence/rrule"])


def test_a_rule_whose_last_occurrence_is_over_is_pointed_at() -> None:
    (fault,) = check(NOW, NOW + timedelta(days=30), {**DAILY, "rrule": "FREQ=DAILY;COUNT=2"}, NOW + timedelta(days=2))

    assert fault.pointer == "/recurrence/rrule"


@dataclass
class Row:
    """A silence as its table has it."""

    match: Any
    recurrence: Any = None
    source_ids: Any = SOURCES
    id: UUID = ID
    starts_at: datetime = NOW
    ends_at: datetime = NOW + HOUR
    comment: str = "Upgrade"


def test_a_stored_silence_is_compiled() -> None:
    stored = CompiledSilence.of(Row({"field": "title", "op": "contains", "value": "disk"}))

    assert (stored.id, stored.active, stored.source_ids, stored.error) == (
        UUID(int=1),
        ActivePeriods.of(NOW, NOW + HOUR),
        {UUID(int=8)},
        None,
    )
    assert stored.matches(SimpleNamespace(title="Disk full"))
    assert not stored.matches(SimpleNamespace(title="Network down"))
    assert (stored.needs, stored.name) == (frozenset(), "Upgrade")


def test_a_silence_states_its_columns_and_is_named_by_its_comment_without_secrets() -> None:
    match = {"field": "metadata.team", "op": "eq", "value": "db"}
    stored = CompiledSilence.of(Row(match, comment="x" * 80 + " https://ops:secret@host/" + "y" * 80))

    assert stored.needs == {"metadata"}
    assert stored.name == "x" * 80 + " https://[REDACTED]@"


@pytest.mark.parametrize(
    "row",
    [
        Row({"field": "nonsense"}),
        Row({"all": []}, recurrence={**DAILY, "rrule": "FREQ=SECONDLY"}),
        Row({"all": []}, recurrence={**DAILY, "rrule": "FREQ=YEARLY;BYYEARDAY=100"}),
        Row({"all": []}, recurrence={**DAILY, "timezone": "Nowhere/At_All"}),
        Row({"all": []}, recurrence={}),
    ],
)
def test_an_unreadable_silence_covers_nothing_and_says_why(row: Row) -> None:
    broken = CompiledSilence.of(row)

    assert broken.error
    assert active_silence([broken], [SUBJECT], UUID(int=8), NOW) is None
