"""Turns the tables into entries: each event and each act of a person with its time."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ops.demo.company import DAYS
from ops.demo.problems import NOTES, PROBLEMS, ROUTINE, Problem, Routine
from ops.demo.story import STORIES, Line, Story

SEED = 8097
"""The history has the same problems at each run, at times of the same days before its end."""

LATEST = timedelta(hours=3)
"""The pause of recurring problems and clock times before the end, which is the present of the story."""

SEVERITIES = frozenset({"CRITICAL", "ERROR", "WARNING", "INFO", "SUCCESS", "DEBUG"})
UNITS = {"d": "days", "h": "hours", "m": "minutes"}


class Sent(NamedTuple):
    """An event of a source."""

    at: datetime
    source: str
    event: dict[str, Any]


class Acted(NamedTuple):
    """An act of a person on the unresolved or last incident of a dedup key."""

    at: datetime
    act: str
    key: str
    by: str
    text: str = ""
    until: datetime | None = None


class Called(NamedTuple):
    """A change of the configuration. It is called with its time."""

    at: datetime
    change: Callable[[datetime], None]


Entry = Sent | Acted | Called


def entries(now: datetime, timezone: str) -> list[Entry]:
    """Returns all entries of the history that ends now, in the order of time. The hours are in the time zone."""
    chance = random.Random(SEED)
    zone = ZoneInfo(timezone)
    begins, ends = now - timedelta(days=DAYS), now - LATEST
    found = [entry for story in STORIES for entry in _of_story(story, now, zone)]
    for day in range(DAYS, -1, -1):
        midnight = (now.astimezone(zone) - timedelta(days=day)).replace(hour=0, minute=0, second=0, microsecond=0)
        for problem in PROBLEMS:
            for _ in range(_times(problem.per_day, chance)):
                lines = list(_of_problem(problem, _moment(midnight, problem.hours, chance), chance))
                found += lines if begins <= lines[0].at and lines[-1].at <= ends else []
        for routine in ROUTINE:
            for _ in range(_times(routine.per_day, chance)):
                found.append(routine_event(routine, _moment(midnight, routine.hours, chance), chance))
    return sorted((one for one in found if begins <= one.at <= now), key=lambda one: one.at)


def opening_event(problem: Problem, at: datetime, chance: random.Random) -> Sent:
    """Returns one event of a problem."""
    event = {
        "title": problem.title, "severity": problem.severity,
        "resource": problem.resource, "type": problem.type, "dedupKey": problem.key, "tags": list(problem.tags),
        "metadata": {**problem.metadata, "region": "eu-1", "node": f"node-{chance.randint(1, 4)}"},
    }  # fmt: skip
    return Sent(at, problem.source, event)


def recovery_event(problem: Problem, at: datetime) -> Sent:
    """Returns the event that ends a problem."""
    event = {
        "title": "Over: " + problem.title, "severity": "SUCCESS", "resource": problem.resource,
        "type": problem.type, "dedupKey": problem.key, "metadata": problem.metadata,
    }  # fmt: skip
    return Sent(at, problem.source, event)


def routine_event(routine: Routine, at: datetime, chance: random.Random) -> Sent:
    """Returns one event of the routine."""
    event = {
        "title": routine.title.format(n=chance.randint(102, 980)), "severity": routine.severity,
        "resource": routine.resource, "type": routine.type, "metadata": routine.metadata,
    }  # fmt: skip
    return Sent(at, routine.source, event)


def _times(a_day: float, chance: random.Random) -> int:
    return int(a_day + chance.random())


def _moment(midnight: datetime, hours: tuple[int, int], chance: random.Random) -> datetime:
    return midnight + timedelta(seconds=chance.randint(hours[0] * 3_600, hours[1] * 3_600 - 1))


def _of_problem(problem: Problem, at: datetime, chance: random.Random) -> Iterator[Entry]:
    """Yields the events of one occurrence, its acknowledgement, its end and its note."""
    lasts = timedelta(minutes=chance.randint(*problem.lasts))
    repeats = chance.randint(*problem.repeats)
    spread = min(lasts, timedelta(minutes=14)) / (repeats + 1)
    for number in range(repeats):
        yield opening_event(problem, at + number * spread, chance)
    by = chance.choice(("mira", "theo"))
    over = at + lasts
    attended = chance.random() < problem.acknowledged
    if attended:
        yield Acted(at + lasts * chance.uniform(0.15, 0.7), "acknowledge", problem.key, by)
    if problem.recovers:
        yield recovery_event(problem, over)
    else:
        yield Acted(over, "resolve", problem.key, by)
    if attended and problem.key in NOTES and chance.random() < 0.45:
        yield Acted(over + timedelta(minutes=3), "note", problem.key, by, NOTES[problem.key])


def _of_story(story: Story, now: datetime, zone: ZoneInfo) -> Iterator[Entry]:
    for line in story.lines:
        at = _time(line[0], now, zone)
        if line[1] in SEVERITIES:
            yield Sent(at, story.source, _event(story, line))
        else:
            until = at + _duration(line[3]) if line[1] == "snooze" else None
            yield Acted(at, line[1], story.key, line[2], line[3] if len(line) > 3 else "", until)


def _event(story: Story, line: Line) -> dict[str, Any]:
    event: dict[str, Any] = {
        "title": line[2], "severity": line[1], "resource": story.resource, "type": story.type, "dedupKey": story.key,
        "tags": list(story.tags), "metadata": story.metadata,
    }  # fmt: skip
    if len(line) > 3:
        event["body"] = line[3]
    return {**event, "url": story.url} if story.url else event


def _time(text: str, now: datetime, zone: ZoneInfo) -> datetime:
    if ":" not in text:
        return now - _duration(text)
    hour, minute = map(int, text.split(":"))
    at = now.astimezone(zone).replace(hour=hour, minute=minute, second=0, microsecond=0)
    while at > now - LATEST:
        at -= timedelta(days=1)
    return at


def _duration(text: str) -> timedelta:
    return timedelta(**{UNITS[unit]: int(number) for number, unit in re.findall(r"(\d+)([dhm])", text)})
