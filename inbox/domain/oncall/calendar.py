"""Shifts as a calendar in the format of RFC 5545, which calendar programs subscribe to (specification 23.14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid5

LINE_BYTES = 75
"""The most bytes of a line without its line break. Longer lines are folded."""

_HEAD = (
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Incident Inbox//On call//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
)
_REFRESH = ("REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H")


@dataclass(frozen=True, slots=True)
class Event:
    """A shift in a calendar. `sequence` counts its changes, the last of which was at `modified_at`."""

    uid: UUID
    starts_at: datetime
    ends_at: datetime
    summary: str
    sequence: int
    modified_at: datetime
    is_cancelled: bool = False


def uid(schedule_id: UUID, user_id: UUID, starts_at: datetime) -> UUID:
    """Returns the id of a shift, which stays while its schedule, person and start stay."""
    return uuid5(schedule_id, f"{user_id} {_instant(starts_at)}")


def text(name: str, events: Iterable[Event], url: str) -> str:
    """Returns the calendar with this name. `url` is the address of the screen that shows shifts."""
    lines = [*_HEAD, f"X-WR-CALNAME:{_escaped(name)}", f"NAME:{_escaped(name)}", *_REFRESH]
    for event in events:
        lines += _lines(event, url)
    return "".join(f"{folded}\r\n" for line in (*lines, "END:VCALENDAR") for folded in _folded(line))


def _lines(event: Event, url: str) -> list[str]:
    return [
        "BEGIN:VEVENT",
        f"UID:{event.uid}",
        f"DTSTAMP:{_instant(event.modified_at)}",
        f"LAST-MODIFIED:{_instant(event.modified_at)}",
        f"SEQUENCE:{event.sequence}",
        f"DTSTART:{_instant(event.starts_at)}",
        f"DTEND:{_instant(event.ends_at)}",
        f"SUMMARY:{_escaped(event.summary)}",
        f"STATUS:{'CANCELLED' if event.is_cancelled else 'CONFIRMED'}",
        "TRANSP:TRANSPARENT",
        f"URL:{url}",
        "END:VEVENT",
    ]


def _instant(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escaped(value: str) -> str:
    """Returns a text in which no character has a meaning. Control characters have no place in a calendar."""
    escaped = value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    lines = escaped.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\\n".join("".join(each for each in line if each.isprintable()) for line in lines)


def _folded(line: str) -> Iterator[str]:
    """Yields the parts of a line. The next part begins with a space, and no character is split."""
    part, size = "", 0
    for character in line:
        width = len(character.encode())
        if size + width > LINE_BYTES:
            yield part
            part, size = " ", 1
        part, size = part + character, size + width
    yield part
