"""External calendars are read as times and names, whoever wrote them (acceptance case 20)."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from inbox.intake.calendars import reading
from inbox.intake.calendars.reading import MAX_EVENTS, read
from inbox.intake.calendars.repetition import TOO_MANY_STARTS, TOO_OFTEN, UnreadableCalendar
from tests.intake.calendars.ics import GOOGLE, OUTLOOK, event, ics

BERLIN = ZoneInfo("Europe/Berlin")
START, END = datetime(2026, 10, 19, tzinfo=UTC), datetime(2026, 11, 9, tzinfo=UTC)


def found(content: bytes, zone: ZoneInfo = BERLIN) -> list[tuple[str, str, str]]:
    """The start, the end and the names of each occurrence, by the start."""
    return sorted(
        (f"{each.starts_at:%m-%dT%H:%M}", f"{each.ends_at:%m-%dT%H:%M}", " ".join(each.names))
        for each in read(content, zone, START, END)
    )


def one(*lines: str, zone: ZoneInfo = BERLIN) -> list[tuple[str, str, str]]:
    return found(ics(*event("SUMMARY:Ana", *lines)), zone)


def test_an_export_of_google_keeps_the_clock() -> None:
    assert found(GOOGLE) == [
        ("10-19T07:00", "10-26T08:00", "Ana"),
        ("10-26T08:00", "11-02T08:00", "bob@example.com"),
        ("11-02T08:00", "11-09T08:00", "Ana"),
    ]


def test_an_export_of_outlook_has_zones_of_windows() -> None:
    assert found(OUTLOOK) == [
        ("10-19T07:00", "10-26T08:00", "Ana Bob"),
        ("10-26T08:00", "11-02T08:00", "Ana Bob"),
        ("11-02T08:00", "11-09T08:00", "Ana Bob"),
    ]


def test_a_zone_of_the_file_is_used_wherever_it_stands() -> None:
    zone = (
        "BEGIN:VTIMEZONE", "TZID:Station", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0500",
        "TZOFFSETTO:+0500", "END:STANDARD", "END:VTIMEZONE",
    )  # fmt: skip
    shift = event("SUMMARY:Ana", "DTSTART;TZID=Station:20261020T090000", "DTEND;TZID=Station:20261020T100000")

    assert found(ics(*shift, *zone)) == found(ics(*zone, *shift)) == [("10-20T04:00", "10-20T05:00", "Ana")]


def test_a_changed_occurrence_moves_by_ten_days() -> None:
    series = event(
        "SUMMARY:Ana", "DTSTART;TZID=Europe/Berlin:20261020T090000", "DTEND;TZID=Europe/Berlin:20261020T100000",
        "RRULE:FREQ=WEEKLY;COUNT=3",
    )  # fmt: skip
    moved = event(
        "SUMMARY:Bob", "RECURRENCE-ID;TZID=Europe/Berlin:20261027T090000", "SEQUENCE:1",
        "DTSTART;TZID=Europe/Berlin:20261106T090000", "DTEND;TZID=Europe/Berlin:20261106T100000",
    )  # fmt: skip

    assert found(ics(*series, *moved)) == [
        ("10-20T07:00", "10-20T08:00", "Ana"),
        ("11-03T08:00", "11-03T09:00", "Ana"),
        ("11-06T08:00", "11-06T09:00", "Bob"),
    ]


def test_a_cancelled_occurrence_and_a_cancelled_event_do_not_occur() -> None:
    series = event("SUMMARY:Ana", "DTSTART:20261020T090000Z", "DTEND:20261020T100000Z", "RRULE:FREQ=WEEKLY;COUNT=2")
    cancelled = event("RECURRENCE-ID:20261027T090000Z", "DTSTART:20261027T090000Z", "STATUS:CANCELLED")
    other = event("SUMMARY:Bob", "DTSTART:20261021T090000Z", "DTEND:20261021T100000Z", "STATUS:CANCELLED", uid="2")

    assert found(ics(*series, *cancelled, *other)) == [("10-20T09:00", "10-20T10:00", "Ana")]


def test_the_higher_sequence_of_two_copies_counts() -> None:
    new = event("SUMMARY:Bob", "DTSTART:20261020T090000Z", "DTEND:20261020T100000Z", "SEQUENCE:2")
    old = event("SUMMARY:Ana", "DTSTART:20261020T080000Z", "DTEND:20261020T090000Z", "SEQUENCE:1")

    assert found(ics(*new, *old)) == [("10-20T09:00", "10-20T10:00", "Bob")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("DTSTART;VALUE=DATE:20261024", "DTEND;VALUE=DATE:20261026"), [("10-23T22:00", "10-25T23:00")]),
        (("DTSTART;VALUE=DATE:20261024",), [("10-23T22:00", "10-24T22:00")]),
        (("DTSTART:20261024T120000", "DURATION:P1D"), [("10-24T10:00", "10-25T11:00")]),
        (("DTSTART:20261024T200000", "DURATION:PT12H"), [("10-24T18:00", "10-25T06:00")]),
        (("DTSTART:20261024T120000Z",), []),
        (
            ("DTSTART:20261023T090000Z", "DTEND:20261023T100000Z", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20261024T090000Z"),
            [("10-23T09:00", "10-23T10:00"), ("10-25T09:00", "10-25T10:00")],
        ),
        (
            ("DTSTART:20261023T090000Z", "DTEND:20261023T100000Z", "RDATE:20261025T090000Z"),
            [("10-23T09:00", "10-23T10:00"), ("10-25T09:00", "10-25T10:00")],
        ),
        (
            ("DTSTART:20261023T090000Z", "DTEND:20261023T100000Z", "RRULE:FREQ=DAILY;UNTIL=20261024"),
            [("10-23T09:00", "10-23T10:00"), ("10-24T09:00", "10-24T10:00")],
        ),
        (("DTSTART:16010101T000000Z", "DTEND:16010101T010000Z"), []),
        (("DTSTART:00000101T000000Z", "DTEND:99991231T000000Z"), []),
        (("DTEND:20261023T100000Z",), []),
    ],
)  # fmt: skip
def test_times_of_an_event(lines: tuple[str, ...], expected: list[tuple[str, str]]) -> None:
    assert [(starts, ends) for starts, ends, _ in one(*lines)] == expected


def test_a_utc_event_of_google_repeats_by_the_clock_of_the_calendar() -> None:
    daily = event("SUMMARY:Ana", "DTSTART:20261024T070000Z", "DTEND:20261024T080000Z", "RRULE:FREQ=DAILY;COUNT=2")

    shown = found(ics(*daily, head=("X-WR-TIMEZONE:Europe/Berlin",)), ZoneInfo("UTC"))

    assert [starts for starts, _, _ in shown] == ["10-24T07:00", "10-25T08:00"]


def test_levels_names_and_guests() -> None:
    shift = event(
        "SUMMARY:[L2]  Ana  Lee ; bob@example.com", "DTSTART:20261024T070000Z", "DTEND:20261024T080000Z",
        "ATTENDEE;CN=Cy;PARTSTAT=ACCEPTED:mailto:cy@example.com", "ATTENDEE;PARTSTAT=DECLINED:mailto:dee@example.com",
        "ATTENDEE;CUTYPE=ROOM:mailto:room@example.com",
    )  # fmt: skip

    [each] = read(ics(*shift), BERLIN, START, END)

    assert (each.level, each.names, each.addresses) == (2, ("Ana Lee", "bob@example.com"), ("cy@example.com",))


@pytest.mark.parametrize(
    "content", [b"", b"<html>Sign in</html>", b"BEGIN:VCALENDAR\r\nnonsense\r\nEND:VCALENDAR", GOOGLE[:-30]]
)
def test_what_is_no_whole_calendar_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableCalendar):
        read(content, BERLIN, START, END)


def test_an_empty_calendar_has_nobody() -> None:
    assert found(ics()) == []


@pytest.mark.parametrize("frequency", ["SECONDLY", "MINUTELY", "minutely"])
def test_a_rule_of_seconds_is_refused(frequency: str) -> None:
    with pytest.raises(UnreadableCalendar, match=TOO_OFTEN):
        one("DTSTART:19700101T000000Z", "DURATION:PT1S", f"RRULE:FREQ={frequency}")


def test_rules_that_repeat_since_1970_are_refused_by_the_budget() -> None:
    bombs = [
        line
        for number in range(3)
        for line in event("DTSTART:19700101T000000Z", "DURATION:PT1S", "RRULE:FREQ=HOURLY", uid=str(number))
    ]

    with pytest.raises(UnreadableCalendar, match=TOO_MANY_STARTS):
        read(ics(*bombs), BERLIN, START, END)


@pytest.mark.parametrize("count", [MAX_EVENTS, MAX_EVENTS + 1])
def test_the_number_of_events_is_bounded(count: int) -> None:
    lines = [
        line
        for number in range(count)
        for line in (
            "BEGIN:VEVENT", f"UID:{number}", "DTSTART:20200101T000000Z", "DTEND:20200101T010000Z", "END:VEVENT",
        )
    ]  # fmt: skip
    if count > MAX_EVENTS:
        with pytest.raises(UnreadableCalendar, match=reading.TOO_MANY_EVENTS):
            read(ics(*lines), BERLIN, START, END)
    else:
        assert read(ics(*lines), BERLIN, START, END) == []
