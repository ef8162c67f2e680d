"""Layers, overrides and people for tests of schedules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.schedule import Layer, OnCallSchedule, Override, OverrideKind, Unit
from inbox.domain.oncall.shifts import Shift
from inbox.domain.values.windows import DAYS, Window

ANA, BEN, CEM, DORA = (UUID(int=number) for number in range(1, 5))
NAMES = {ANA: "A", BEN: "B", CEM: "C", DORA: "D"}


def at(text: str) -> datetime:
    """An instant in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def window(days: str, start: str, end: str) -> Window:
    """A window on days by name, or `daily`."""
    chosen = range(7) if days == "daily" else map(DAYS.index, days.split())
    return Window(frozenset(chosen), time.fromisoformat(start), time.fromisoformat(end))


def layer(
    start: str = "2026-01-05 09:00",
    every: int = 1,
    unit: Unit = Unit.WEEK,
    *members: UUID | Sequence[UUID],
    zone: str = "UTC",
    **fields: Any,
) -> Layer:
    """A layer of level 1; a member is one person or a list of people."""
    turns = tuple((each,) if isinstance(each, UUID) else tuple(each) for each in members or (ANA, BEN))
    defaults = {"id": UUID(int=100), "name": "Layer", "level": 1}
    start_at = datetime.fromisoformat(start)
    return Layer(zone=ZoneInfo(zone), start=start_at, unit=unit, every=every, members=turns, **{**defaults, **fields})


def override(number: int, begins: str, ends: str, *users: UUID, **fields: Any) -> Override:
    """An override that replaces everybody by these people."""
    chosen = {"kind": OverrideKind.REPLACE, **fields}
    return Override(UUID(int=200 + number), at(begins), at(ends), user_ids=users, **chosen)


def schedule(*layers: Layer, overrides: Sequence[Override] = ()) -> OnCallSchedule:
    """A schedule that always had these layers."""
    return OnCallSchedule.of_layers(layers, overrides)


def written(shifts: Sequence[Shift]) -> list[str]:
    """Shifts as `10-19 07:00 A+B`, each from its start."""
    return [f"{shift.starts_at:%m-%d %H:%M} {names(shift)}" for shift in shifts]


def names(shift: Shift) -> str:
    """The people of a shift, `-` for nobody."""
    return "+".join(NAMES[each.user_id] for each in shift.people) or "-"
