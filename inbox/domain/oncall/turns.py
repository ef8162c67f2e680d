"""The turns of a layer: the instant at which each begins, and the turn of an instant (specification 23.2)."""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta

from inbox.domain.oncall.schedule import Layer
from inbox.domain.values.wallclock import latest_local, to_utc


def start_of(layer: Layer, turn: int) -> datetime:
    """Returns the instant at which a turn begins, in UTC. It lasts until the next one begins.

    Turns are counted on the local calendar, so that handoffs keep the local time. A local time that clocks skip is the
    instant of the change, and one that occurs twice is its first occurrence.
    """
    if layer.length is None:
        return to_utc(_months_after(layer.start, turn * layer.every), layer.zone)
    if layer.keeps_clock():
        return to_utc(layer.start + turn * layer.length, layer.zone)
    return to_utc(layer.start, layer.zone) + turn * layer.length


def turn_at(layer: Layer, at: datetime) -> int | None:
    """Returns the turn of an instant, counted from the start; None before the start.

    Of turns that begin at the same instant, because clocks skip the start of the later one, only the last has a length.
    """
    if layer.length is None:
        turn = _turn_of_months(layer, latest_local(at, layer.zone))
    elif layer.keeps_clock():
        turn = _whole(latest_local(at, layer.zone) - layer.start, layer.length)
    else:
        turn = _whole(at - to_utc(layer.start, layer.zone), layer.length)
    return turn if turn >= 0 else None


def _whole(elapsed: timedelta, length: timedelta) -> int:
    return elapsed // length


def _turn_of_months(layer: Layer, local: datetime) -> int:
    start = layer.start
    turn = ((local.year - start.year) * 12 + local.month - start.month) // layer.every
    return turn - 1 if _months_after(start, turn * layer.every) > local else turn


def _months_after(start: datetime, months: int) -> datetime:
    """Returns the same day and time of a later month, or its last day. Counted from the start, so 31 January returns to 31."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return start.replace(year=year, month=month + 1, day=min(start.day, monthrange(year, month + 1)[1]))
