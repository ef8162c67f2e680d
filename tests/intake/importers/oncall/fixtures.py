"""Answers of the API of Grafana OnCall for drawn shifts, after its API description, and an oracle that lists their events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from inbox.intake.importers.oncall import paths
from tests.intake.importers.rotas import AHEAD, GRID

PEOPLE = tuple(f"U{number:02}" for number in range(12))
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WITH_CHANGES, WITHOUT = ("Europe/Berlin", "America/New_York", "Australia/Sydney"), ("Asia/Kolkata", "UTC")
LENGTHS = {"hourly": timedelta(hours=1), "daily": timedelta(days=1), "weekly": timedelta(weeks=1)}

Event = tuple[datetime, datetime, tuple[str, ...]]


@dataclass(frozen=True)
class Shift:
    """A recurring shift. `start` is a local time, and `days` are the chosen days of the week."""

    start: datetime
    frequency: str
    interval: int
    duration: timedelta
    groups: tuple[tuple[str, ...], ...]
    level: int = 0
    days: tuple[int, ...] = ()


@dataclass(frozen=True)
class Schedule:
    number: int
    zone: str
    shifts: tuple[Shift, ...]
    override: tuple[datetime, timedelta, str] | None = None
    """Its local start, its duration and its person."""


def draw(count: int, at: datetime) -> list[Schedule]:
    random = Random(f"oncall {count} {at}")
    return [_schedule(random, number, at) for number in range(count)]


def answers(schedules: Sequence[Schedule], at: datetime | None = None, **more: Any) -> dict[str, Any]:
    """The answers of all addresses, with shifts on two pages."""
    listed = [each for schedule in schedules for each in _shifts(schedule)]
    half = len(listed) // 2
    found: dict[str, Any] = {
        paths.INTEGRATIONS: {"results": more.get("integrations", [])},
        paths.ROUTES: {"results": more.get("routes", [])},
        paths.USERS: {"results": [user(each) for each in PEOPLE]},
        paths.RULES: {"results": more.get("rules", [])},
        paths.SCHEDULES: {"results": [_answer(each) for each in schedules]},
        paths.SHIFTS: {"results": listed[:half], "next": "http://oncall.example/api/v1/on_call_shifts/?page=2"},
        f"{paths.SHIFTS}?page=2": {"results": listed[half:], "next": None},
        paths.CHAINS: {"results": more.get("chains", [])},
        paths.POLICIES: {"results": more.get("policies", [])},
    }
    if at is not None:
        for each in schedules:
            found[f"{paths.final_shifts(f'S{each.number}')}?start_date=x"] = {"results": list(final_shifts(each, at))}
    return found


def user(mark: str) -> dict[str, Any]:
    return {"id": mark, "username": f"user-{mark}", "email": f"{mark.lower()}@acme.example"}


def final_shifts(schedule: Schedule, at: datetime) -> Iterator[dict[str, Any]]:
    """Yields the computed shifts: at each half hour, the events of the highest level, or the override."""
    zone = ZoneInfo(schedule.zone)
    begins = at.replace(hour=0, minute=0)
    by_level: dict[int, list[Event]] = {}
    for shift in schedule.shifts:
        by_level.setdefault(shift.level, []).extend(_events(shift, zone, begins, begins + AHEAD))
    if schedule.override is not None:
        start, duration, person = schedule.override
        since = start.replace(tzinfo=zone).astimezone(UTC)
        by_level[1_000] = [(since, since + duration, (person,))]
    moment, begun = begins, dict[str, datetime]()
    while moment <= begins + AHEAD:
        people = _people(by_level, moment) if moment < begins + AHEAD else set()
        for person in [*begun]:
            if person not in people:
                yield _final(person, begun.pop(person), moment)
        for person in people:
            begun.setdefault(person, moment)
        moment += GRID


def _people(by_level: dict[int, list[Event]], moment: datetime) -> set[str]:
    for level in sorted(by_level, reverse=True):
        found = {who for starts, ends, group in by_level[level] if starts <= moment < ends for who in group}
        if found:
            return found
    return set()


def _final(person: str, starts: datetime, ends: datetime) -> dict[str, Any]:
    email = user(person)["email"]
    period = {"shift_start": starts.isoformat(), "shift_end": ends.isoformat()}
    return {"user_pk": person, "user_email": email, "user_username": f"user-{person}", **period}


def _events(shift: Shift, zone: ZoneInfo, begins: datetime, ends: datetime) -> Iterator[Event]:
    """Yields the events of a shift that touch the period, in the order of their local starts."""
    for local, group in _starts(shift, ends.replace(tzinfo=None) + timedelta(days=2)):
        since, until = (each.replace(tzinfo=zone).astimezone(UTC) for each in (local, local + shift.duration))
        if until > begins and since < ends:
            yield since, until, group


def _starts(shift: Shift, until: datetime) -> Iterator[tuple[datetime, tuple[str, ...]]]:
    if not shift.days:
        number, step = 0, shift.interval * LENGTHS[shift.frequency]
        while shift.start + number * step < until:
            yield shift.start + number * step, shift.groups[number % len(shift.groups)]
            number += 1
        return
    sunday = shift.start - timedelta(days=(shift.start.weekday() + 1) % 7)
    local, counted = shift.start, 0
    while local < until:
        if local.weekday() in shift.days:
            week = (local - sunday).days // 7
            if shift.frequency == "daily":
                yield local, shift.groups[counted % len(shift.groups)]
            elif week % shift.interval == 0:
                yield local, shift.groups[week // shift.interval % len(shift.groups)]
            counted += 1
        local += timedelta(days=1)


def _answer(schedule: Schedule) -> dict[str, Any]:
    marks = [each["id"] for each in _shifts(schedule)]
    name = f"Rota {schedule.number}"
    return {"id": f"S{schedule.number}", "name": name, "type": "calendar", "time_zone": schedule.zone, "shifts": marks}


def _shifts(schedule: Schedule) -> list[dict[str, Any]]:
    found = [
        {
            "id": f"O{schedule.number}-{number}", "name": f"Shift {number}", "type": "rolling_users",
            "level": each.level, "start": each.start.isoformat(), "duration": int(each.duration.total_seconds()),
            "frequency": each.frequency, "interval": each.interval, "week_start": "SU",
            "by_day": [DAYS[day] for day in each.days] or None,
            "rolling_users": [list(group) for group in each.groups[1:] + each.groups[:1]],
            "start_rotation_from_user_index": len(each.groups) - 1,
        }
        for number, each in enumerate(schedule.shifts)
    ]  # fmt: skip
    if schedule.override is not None:
        start, duration, person = schedule.override
        found.append(
            {"id": f"O{schedule.number}-x", "type": "override", "start": start.isoformat(),
             "duration": int(duration.total_seconds()), "users": [person]}
        )  # fmt: skip
    return found


def _schedule(random: Random, number: int, at: datetime) -> Schedule:
    zone = random.choice(WITH_CHANGES + WITHOUT)
    shifts = tuple(_shift(random, at, level, has_hours=zone in WITHOUT) for level in range(random.randint(1, 3)))
    local = (at + timedelta(days=random.randint(2, 50))).replace(tzinfo=None, hour=10, minute=0)
    override = (local, timedelta(hours=random.randint(1, 8)), random.choice(PEOPLE))
    return Schedule(number, zone, shifts, override if random.random() < 0.5 else None)


def _shift(random: Random, at: datetime, level: int, *, has_hours: bool) -> Shift:
    day = (at - timedelta(days=random.randint(1, 300))).date()
    start = datetime(day.year, day.month, day.day, random.choice([0, 8, 9, 17, 22]))
    size = random.randint(1, 4)
    groups = tuple(tuple(random.sample(PEOPLE, random.randint(1, 2))) for _ in range(size))
    hours, interval = timedelta(hours=1), random.randint(1, 2)
    working = tuple(sorted(random.sample(range(7), random.randint(1, 5))))
    match random.randint(0, 6 if has_hours else 5):
        case 0:
            return Shift(start, "weekly", interval, interval * LENGTHS["weekly"], groups, level)
        case 1:
            return Shift(start, "daily", interval, interval * LENGTHS["daily"], groups, level)
        case 2:
            return Shift(start, "weekly", interval, random.randint(2, 14) * hours, groups, level, working)
        case 3:
            return Shift(start, "daily", 1, random.randint(2, 14) * hours, groups, level, working)
        case 4:
            return Shift(start, "daily", interval, random.randint(2, 23) * hours, groups, level)
        case 5:
            return Shift(start, "weekly", interval, random.randint(20, 100) * hours, groups, level)
        case _:
            return Shift(start, "hourly", 12, 12 * hours, groups, level)
