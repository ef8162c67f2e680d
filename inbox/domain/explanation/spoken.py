"""Times and names as sentences say them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

MOST_NAMES = 5
"""Beyond so many the rest is counted."""

_A_DAY = timedelta(hours=24)


def clock(at: datetime, zone: ZoneInfo, seen_from: datetime) -> str:
    """What clocks in the zone show at `at`: `07:00 Europe/Berlin`, with the day when that is not within a day of
    `seen_from`: `Sat 21 Nov 2026 07:00 Europe/Berlin`."""
    wall = at.astimezone(zone)
    form = "%H:%M" if abs(at - seen_from) < _A_DAY else "%a %d %b %Y %H:%M"
    return f"{wall.strftime(form)} {zone.key}"


def names(of: Sequence[str]) -> str:
    """`Pager`, `Pager and Chat`, `Pager, Chat and 3 more`; `nobody` for none."""
    if not of:
        return "nobody"
    shown = list(of) if len(of) <= MOST_NAMES else [*of[: MOST_NAMES - 1], f"{len(of) - MOST_NAMES + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def sentence(words: str) -> str:
    """Words as a sentence: with a capital and a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "…")) else ".")


def length(of: timedelta) -> str:
    """`3 minutes`, `1 minute`, `90 seconds`: whole minutes where it has them."""
    seconds = int(of.total_seconds())
    number, unit = (seconds // 60, "minute") if seconds % 60 == 0 else (seconds, "second")
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def failure(cause: str | None) -> str:
    """Why a call failed, as a person reads it: `HTTP 503` of `http_503`, `name unknown` of `name_unknown`."""
    word, _, code = (cause or "").partition("_")
    if word in ("http", "redirect") and code.isdecimal():
        return f"HTTP {code}"
    return (cause or "").replace("_", " ")


def ordinal(number: int) -> str:
    """`third`; beyond ten in figures: `12th`."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{last}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
