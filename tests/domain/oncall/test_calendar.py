"""Calendars of shifts are read alike by two libraries that are not ours, and keep the rules of RFC 5545."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import icalendar
import pytest
import vobject
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.oncall import calendar
from inbox.domain.oncall.calendar import Event

NOW = datetime(2026, 10, 26, 8, tzinfo=UTC)
URL = "https://inbox.example.org/on-call"
PROPERTY = re.compile(r"[A-Z-]+(;[A-Z-]+=[A-Z]+)*:[^\x00-\x1f\x7f]*")
ONCE = [
    "BEGIN",
    "UID",
    "DTSTAMP",
    "LAST-MODIFIED",
    "SEQUENCE",
    "DTSTART",
    "DTEND",
    "SUMMARY",
    "STATUS",
    "TRANSP",
    "URL",
    "END",
]


def event(summary: str = "On call: Backend", number: int = 1, **fields: object) -> Event:
    values = {
        "starts_at": NOW, "ends_at": NOW + timedelta(days=7), "sequence": 0, "modified_at": NOW, **fields,
    }  # fmt: skip
    return Event(UUID(int=number), summary=summary, **values)  # type: ignore[arg-type]


def unfolded(text: str) -> list[str]:
    return text.replace("\r\n ", "").split("\r\n")


def check(text: str) -> None:
    """The rules of RFC 5545 that a reader may depend on."""
    assert text.endswith("END:VCALENDAR\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= calendar.LINE_BYTES
    lines = unfolded(text)[:-1]
    assert all(PROPERTY.fullmatch(line) for line in lines), lines
    head = lines[: lines.index("BEGIN:VEVENT")] if "BEGIN:VEVENT" in lines else lines[:-1]
    assert [sum(line.startswith(f"{name}:") for line in head) for name in ("VERSION", "PRODID", "METHOD")] == [1, 1, 1]
    names = [re.split("[:;]", line)[0] for line in lines[len(head) : -1]]
    assert names == ONCE * (len(names) // len(ONCE))
    uids = [line for line in lines if line.startswith("UID:")]
    assert len(set(uids)) == len(uids)


@given(st.text(), st.text(max_size=300))
def test_two_other_readers_find_the_same_events(name: str, summary: str) -> None:
    text = calendar.text(name, [event(summary), event("Other", 2, is_cancelled=True, sequence=3)], URL)

    check(text)
    [read, other] = icalendar.Calendar.from_ical(text).walk("VEVENT")
    times = read.decoded("DTSTART"), read.decoded("DTEND")
    assert (*times, other["STATUS"], other["SEQUENCE"]) == (NOW, NOW + timedelta(days=7), "CANCELLED", 3)
    assert read["UID"] == str(UUID(int=1))
    found = vobject.readOne(text)
    assert [each.dtstart.value for each in found.vevent_list] == [NOW, NOW]
    assert str(found.vevent_list[0].summary.value) == str(read["SUMMARY"])


@pytest.mark.parametrize("summary", ["a;b,c\\d", "Zoë 🚒" * 40, "two\nlines", "x" * 67, "x" * 68, "x" * 200, "\\n"])
def test_a_text_is_read_as_it_was(summary: str) -> None:
    text = calendar.text("On call", [event(summary)], URL)

    check(text)
    [read] = icalendar.Calendar.from_ical(text).walk("VEVENT")
    assert str(read["SUMMARY"]) == summary
    assert vobject.readOne(text).vevent.summary.value == summary


def test_control_characters_are_left_out() -> None:
    assert "SUMMARY:ab\\nc\r\n" in calendar.text("On call", [event("a\x00\x1bb\r\nc")], URL)


def test_a_calendar_without_shifts_is_valid() -> None:
    text = calendar.text("On call", [], URL)

    check(text)
    assert icalendar.Calendar.from_ical(text)["X-WR-CALNAME"] == "On call"


@pytest.mark.parametrize(("length", "lines"), [(67, 1), (68, 2), (141, 2), (142, 3)])
def test_lines_are_folded_at_75_bytes(length: int, lines: int) -> None:
    text = calendar.text("On call", [event("x" * length)], URL)

    begins = text.index("SUMMARY:")
    assert text[begins : text.index("STATUS:")].count("\r\n") == lines


def test_the_id_of_a_shift_depends_on_its_schedule_person_and_start() -> None:
    one, other = UUID(int=1), UUID(int=2)

    assert calendar.uid(one, other, NOW) == calendar.uid(one, other, NOW)
    changed = {
        calendar.uid(other, other, NOW),
        calendar.uid(one, one, NOW),
        calendar.uid(one, other, NOW + timedelta(1)),
    }
    assert len(changed | {calendar.uid(one, other, NOW)}) == 4
