"""Layers and overrides as JSON in the shape of the API: reading, writing, and their faults (specification 23.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.schedule import FIRST, LAST, Counting, Layer, Unit
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Fault
from inbox.domain.values.wallclock import to_local, to_utc
from inbox.domain.values.windows import DAYS, Window

Stored = Mapping[str, Any]


def layers_of(stored: Sequence[Stored], timezone: str) -> tuple[Layer, ...]:
    """Reads stored layers; `timezone` is the schedule's. Raises `LookupError` or `ValueError` for an unknown time zone."""
    return tuple(_layer(each, timezone) for each in stored)


def record(layer: Layer) -> dict[str, Any]:
    """Returns a layer as JSON."""
    return {
        "id": ids.encode(Prefix.LAYER, layer.id),
        "name": layer.name,
        "level": layer.level,
        "timezone": None if layer.inherits_zone else layer.zone.key,
        "start": layer.start.isoformat(timespec="minutes"),
        "unit": str(layer.unit),
        "every": layer.every,
        "members": [[ids.encode(Prefix.USER, user) for user in people] for people in layer.members],
        "windows": [_window_record(each) for each in layer.windows],
        "from": None if layer.begins_at is None else times.rfc3339(layer.begins_at),
        "until": None if layer.ends_at is None else times.rfc3339(layer.ends_at),
        "counts": str(layer.counts),
    }


def faults(layers: Sequence[Layer], at: str = "/layers") -> list[Fault]:
    """Returns what is wrong with layers beyond the shape of each field, with pointers below `at`."""
    return [
        Fault(f"{at}/{place}/{field}", detail)
        for place, layer in enumerate(layers)
        for field, detail in (*_faults(layer), *_same_ids(layer, layers[:place]))
    ]


def start_faults(start: datetime, zone: ZoneInfo) -> Iterator[str]:
    """Yields why a local time that a person typed is refused: clocks skip it, or show it twice."""
    readings = [start.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
    first, second = (times.rfc3339(each) for each in sorted(readings))
    if to_local(to_utc(start, zone), zone) != start:
        shown = " or ".join(f"{to_local(each, zone):%H:%M}" for each in sorted(readings))
        yield f"Clocks in {zone.key} skip {start:%H:%M} on {start:%Y-%m-%d}. Choose {shown}."
    elif first != second:
        yield f"Clocks in {zone.key} show {start:%H:%M} twice on {start:%Y-%m-%d}, at {first} and {second}. Choose another time."


def window_of(stored: Stored) -> Window:
    """Reads a stored window `{days, start, end}`."""
    days = frozenset(DAYS.index(day) for day in stored["days"])
    return Window(days, time.fromisoformat(stored["start"]), time.fromisoformat(stored["end"]))


def _faults(layer: Layer) -> Iterator[tuple[str, str]]:
    if not FIRST.year <= layer.start.year < LAST.year:
        yield "start", f"Must be in the years {FIRST.year} to {LAST.year - 1}."
    else:
        yield from (("start", detail) for detail in start_faults(layer.start, layer.zone))
    if layer.begins_at and layer.ends_at and layer.begins_at >= layer.ends_at:
        yield "until", "Must be later than `from`."
    if layer.counts is Counting.COVERED and (layer.unit is not Unit.DAY or not layer.windows):
        yield "counts", "Only a layer with turns of days and with windows can count covered turns."
    for place, people in enumerate(layer.members):
        if len(set(people)) < len(people):
            yield f"members/{place}", "Names a person twice."


def _same_ids(layer: Layer, earlier: Sequence[Layer]) -> Iterator[tuple[str, str]]:
    if any(each.id == layer.id for each in earlier):
        yield "id", "Another layer of the schedule has this id."


def _layer(stored: Stored, timezone: str) -> Layer:
    return Layer(
        id=_id(Prefix.LAYER, stored["id"]),
        name=stored["name"],
        level=stored["level"],
        zone=ZoneInfo(stored["timezone"] or timezone),
        start=datetime.fromisoformat(stored["start"]),
        unit=Unit(stored["unit"]),
        every=stored["every"],
        members=tuple(tuple(_id(Prefix.USER, user) for user in people) for people in stored["members"]),
        windows=tuple(window_of(each) for each in stored["windows"]),
        begins_at=times.parse(stored["from"]) if stored["from"] else None,
        ends_at=times.parse(stored["until"]) if stored["until"] else None,
        counts=Counting(stored["counts"]),
        inherits_zone=stored["timezone"] is None,
    )


def _id(prefix: Prefix, text: str) -> UUID:
    found = ids.decode(prefix, text)
    if found is None:
        raise ValueError(f"{text!r} is not the id of a {prefix}")
    return found


def _window_record(window: Window) -> dict[str, Any]:
    days = [DAYS[day] for day in sorted(window.days)]
    return {"days": days, "start": f"{window.start:%H:%M}", "end": f"{window.end:%H:%M}"}
