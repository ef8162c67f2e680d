"""Instants as RFC 3339 text: formatting and parsing (specification 2.5)."""

import re
from datetime import UTC, datetime, timedelta

_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|(60))(?:\.(\d{1,64}))?"
    r"(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_LEAP_SECOND_AT = slice(17, 19)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def rfc3339(at: datetime) -> str:
    """Formats an instant as `2026-03-01T12:00:00.000Z`: UTC with milliseconds, truncated. `at` must have a time zone."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    return f"{at.isoformat(timespec='milliseconds')[:23]}Z"


def parse(text: str) -> datetime | None:
    """Returns the instant in UTC, with microseconds; None when the text is not RFC 3339 (an offset is mandatory).

    A leap second becomes the last microsecond before its end. An instant that its offset moves beyond the years 1 to
    9999 becomes their first or last microsecond.
    """
    stamp = parse_sent(text)
    return None if stamp is None else stamp[0]


def parse_sent(text: str) -> tuple[datetime, str] | None:
    """Returns the instant as in `parse`, and one text for all its spellings that keeps every digit of the fraction.

    Offset, letter case and trailing zeros do not change that text. Instants a nanosecond apart have different texts.
    """
    sent = _with_offset(text)
    if sent is None:
        return None
    at, leap, fraction = sent
    at = _in_utc(at)
    beyond = fraction[6:].rstrip("0") if fraction and not leap else ""
    return at, f"{at.isoformat(timespec='microseconds')[:26]}{beyond}{'L' if leap else ''}"


def is_rfc3339(text: str) -> bool:
    """Returns whether `parse` reads the text."""
    return _with_offset(text) is not None


def _with_offset(text: str) -> tuple[datetime, str | None, str | None] | None:
    """Returns the time as sent, the leap second, and the digits of the fraction."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    leap, fraction = match.groups()
    if leap:
        text = f"{text[: _LEAP_SECOND_AT.start]}59.999999{text[19 + len(fraction) + 1 if fraction else 19 :]}"
    try:
        return datetime.fromisoformat(text.upper()), leap, fraction
    except ValueError:
        return None


def _in_utc(at: datetime) -> datetime:
    try:
        return at.astimezone(UTC)
    except OverflowError:
        offset = at.utcoffset() or timedelta()
        return _FIRST if offset > timedelta() else _LAST
