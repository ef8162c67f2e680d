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
