"""Conversion between local times and instants, across changes of daylight saving."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Period = tuple[datetime, datetime]
"""A period as two instants in UTC: from the first, until before the second."""

_SECOND = timedelta(seconds=1)


def to_utc(wall: datetime, zone: ZoneInfo) -> datetime:
    """Returns the first instant, in UTC, at which clocks in `zone` show `wall` (a naive time) or a later time.

    A local time that occurs twice is its first occurrence. A skipped local time is the instant at which clocks change.
    """
    at = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if to_local(at, zone) == wall:
        return at
    wall = wall.replace(microsecond=0)
    below, at = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    while at - below > _SECOND:
        middle = below + (at - below) // _SECOND // 2 * _SECOND
        below, at = (below, middle) if to_local(middle, zone) >= wall else (middle, at)
    return at


def zone_of(name: str) -> ZoneInfo:
    """Returns the time zone for display; UTC when this machine does not know the name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def to_local(at: datetime, zone: ZoneInfo) -> datetime:
    """Returns the local time in `zone` at an instant, as a naive time."""
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def latest_local(at: datetime, zone: ZoneInfo) -> datetime:
    """Returns the latest local time that clocks in `zone` have shown until this instant, as a naive time.

    It is the present local time, except after clocks went back. Then it is the last microsecond before the change,
    until the clocks show that time again. So `to_utc(wall, zone) <= at` is the same as `wall <= latest_local(at,
    zone)`.
    """
    local = at.astimezone(zone)
    wall = local.replace(tzinfo=None, fold=0)
    if not local.fold:
        return wall
    shown = wall.replace(microsecond=0)
    change = shown + (at - to_utc(wall, zone)) + _SECOND
    while change - shown > _SECOND:
        middle = shown + (change - shown) // _SECOND // 2 * _SECOND
        shown, change = (middle, change) if to_utc(middle, zone) <= at else (shown, middle)
    return change - timedelta.resolution


def merge_periods(pieces: Iterable[Period]) -> tuple[Period, ...]:
    """Returns the same periods in order, merged where they overlap or touch; empty periods are removed."""
    result: list[Period] = []
    for start, end in sorted(pieces):
        if start >= end:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)
