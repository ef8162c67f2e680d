"""iCalendar files for tests, as Google and Outlook write them."""

from __future__ import annotations

from collections.abc import Iterable

HEAD = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN")


def ics(*lines: str, head: Iterable[str] = ()) -> bytes:
    """A file with these lines within its calendar."""
    return "\r\n".join((*HEAD, *head, *lines, "END:VCALENDAR", "")).encode()


def event(*lines: str, uid: str = "1@example.com") -> tuple[str, ...]:
    """The lines of an event."""
    return ("BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", *lines, "END:VEVENT")


GOOGLE = ics(
    *event(
        "DTSTART;TZID=Europe/Berlin:20261019T090000", "DTEND;TZID=Europe/Berlin:20261026T090000",
        "RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20261231T225959Z", "SUMMARY:Ana", "SEQUENCE:1", "STATUS:CONFIRMED",
        "TRANSP:TRANSPARENT",
    ),
    *event("DTSTART:20261026T080000Z", "DTEND:20261102T080000Z", "SUMMARY:bob@example.com", uid="2@google.com"),
    head=("X-WR-CALNAME:Backend", "X-WR-TIMEZONE:Europe/Berlin", "METHOD:PUBLISH"),
)  # fmt: skip
"""Google's export: a repeating event with a zone, and a single one in UTC."""

OUTLOOK = ics(
    "BEGIN:VTIMEZONE", "TZID:W. Europe Standard Time",
    "BEGIN:STANDARD", "DTSTART:16010101T030000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
    "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10", "END:STANDARD",
    "BEGIN:DAYLIGHT", "DTSTART:16010101T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200",
    "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT", "END:VTIMEZONE",
    *event(
        "DTSTART;TZID=W. Europe Standard Time:20261019T090000", "DTEND;TZID=W. Europe Standard Time:20261026T090000",
        "RRULE:FREQ=WEEKLY", "SUMMARY:Ana\\, Bob", "X-MICROSOFT-CDO-BUSYSTATUS:FREE",
    ),
)  # fmt: skip
"""Outlook's export: a zone with the name of Windows, whose rules begin in 1601."""
