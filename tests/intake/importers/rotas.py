"""Random schedules of other tools, and an oracle of who is on call by them, half hour by half hour.

The oracle calculates no turn from a formula of the product: it looks at the latest time that clocks have shown, and
divides the local time since the start by the length of a turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

GRID = timedelta(minutes=30)
AHEAD = timedelta(days=61)
DAY, WEEK = 1_440, 10_080
SPRING, AUTUMN = datetime(2027, 3, 3, 10, 15, tzinfo=UTC), datetime(2026, 10, 5, 7, 45, tzinfo=UTC)
"""Times of reading before a change of clocks in Europe and America."""

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata", "UTC", "America/Sao_Paulo")
LENGTHS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}


@dataclass(frozen=True)
class Rotation:
    """People who take turns. `spans` are minutes since Monday and lengths; none: always."""

    start: datetime
    """In UTC."""

    unit: str
    every: int
    members: tuple[str, ...]
    """A person by turn; an empty text for nobody."""

    level: int = 1
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Override:
    starts_at: datetime
    ends_at: datetime
    person: str


@dataclass(frozen=True)
class Rota:
    number: int
    zone: str
    rotations: tuple[Rotation, ...]
    overrides: tuple[Override, ...] = ()


@dataclass
class _Clock:
    """The latest local time that clocks have shown, so that an hour that occurs twice counts once."""

    zone: ZoneInfo
    latest: datetime = field(default=datetime.min)

    def show(self, moment: datetime) -> datetime:
        self.latest = max(self.latest, moment.astimezone(self.zone).replace(tzinfo=None))
        return self.latest


def rotas(count: int, at: datetime, people: Sequence[str], *, levels: int, has_nobody: bool) -> list[Rota]:
    """Draws schedules; the same for the same arguments."""
    draw = Random(f"{count} {at} {levels}")
    return [_rota(draw, number, at, people, levels, has_nobody) for number in range(count)]


def rendered(rota: Rota, at: datetime) -> Iterator[tuple[datetime, datetime, str]]:
    """Yields the shifts of each person from a day before `at` on."""
    begun: dict[str, datetime] = {}
    start = at.replace(minute=0, second=0, microsecond=0) - timedelta(days=1)
    clock, moment = _Clock(ZoneInfo(rota.zone)), start
    while moment < start + AHEAD + timedelta(days=1):
        people = _on_call(rota, moment, clock.show(moment))
        for person in [*begun]:
            if person not in people:
                yield begun.pop(person), moment, person
        for person in people:
            begun.setdefault(person, moment)
        moment += GRID
    yield from ((since, moment, person) for person, since in begun.items())


def _on_call(rota: Rota, moment: datetime, local: datetime) -> frozenset[str]:
    for override in reversed(rota.overrides):
        if override.starts_at <= moment < override.ends_at:
            return frozenset({override.person})
    levels: dict[int, set[str]] = {}
    for rotation in rota.rotations:
        person = _person(rotation, moment, local, rota.zone)
        if person:
            levels.setdefault(rotation.level, set()).add(person)
    return frozenset(levels[max(levels)]) if levels else frozenset()


def _person(rotation: Rotation, moment: datetime, local: datetime, zone: str) -> str:
    begins = rotation.start.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    if moment < rotation.start or not _is_open(rotation.spans, local):
        return ""
    turn = (local - begins) // (rotation.every * LENGTHS[rotation.unit])
    return rotation.members[turn % len(rotation.members)]


def _is_open(spans: Sequence[tuple[int, int]], local: datetime) -> bool:
    minute = local.weekday() * DAY + local.hour * 60 + local.minute
    return not spans or any((minute - start) % WEEK < length for start, length in spans)


def _rota(draw: Random, number: int, at: datetime, people: Sequence[str], levels: int, has_nobody: bool) -> Rota:
    zone = draw.choice(ZONES)
    rotations = tuple(
        _rotation(draw, at, people, ZoneInfo(zone), min(level, levels), has_nobody)
        for level in range(1, draw.randint(1, 3) + 1)
    )
    starts = sorted(at.replace(minute=0) + timedelta(hours=draw.randint(2, 1_300)) for _ in range(draw.randint(0, 3)))
    overrides = tuple(
        Override(each, each + timedelta(hours=draw.randint(1, 30)), draw.choice(people)) for each in starts
    )
    return Rota(number, zone, rotations, overrides)


def _rotation(
    draw: Random, at: datetime, people: Sequence[str], zone: ZoneInfo, level: int, has_nobody: bool
) -> Rotation:
    unit = draw.choice(["hour", "day", "week", "week"])
    every = draw.choice([6, 8, 12]) if unit == "hour" else draw.randint(1, 4)
    day = (at - timedelta(days=draw.randint(-20, 700))).date()
    hour = draw.choice([0, 8, 9, 17, 23])
    local = datetime(day.year, day.month, day.day, hour, draw.choice([0, 30]))
    members = tuple(draw.choice([*people, ""] if has_nobody else people) for _ in range(draw.randint(1, 6)))
    start = local.replace(tzinfo=zone).astimezone(UTC)
    return Rotation(start, unit, every, members or ("",), level, _spans(draw))


def _spans(draw: Random) -> tuple[tuple[int, int], ...]:
    hour = 60
    match draw.randint(0, 4):
        case 0:  # the same hours each day, also over midnight
            start, length = draw.randint(0, 47) * 30, draw.randint(2, 40) * 30
            return tuple((day * DAY + start, length) for day in range(7))
        case 1:  # working hours
            return tuple((day * DAY + 9 * hour, 8 * hour) for day in range(5))
        case 2:  # a weekend as one span
            return ((4 * DAY + 17 * hour, 64 * hour),)
        case _:
            return ()
