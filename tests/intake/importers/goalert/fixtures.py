"""Answers of the GraphQL API of GoAlert for drawn schedules, after its schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from inbox.intake.importers.goalert import queries
from tests.intake.importers.rotas import DAY, LENGTHS, Override, Rota, Rotation, rendered, rotas

PEOPLE = tuple(f"00000000-0000-4000-8000-{number:012}" for number in range(12))

_TYPES = {"hour": "hourly", "day": "daily", "week": "weekly"}


def draw(count: int, at: datetime) -> list[Rota]:
    """Schedules whose rotations have begun, because an active user is on call before the start, too."""
    return [
        replace(rota, rotations=tuple(_begun(each, at) for each in rota.rotations), overrides=rota.overrides[:1])
        for rota in rotas(count, at, PEOPLE, levels=1, has_nobody=False)
    ]


def answers(drawn: Sequence[Rota] = (), at: datetime | None = None, **more: Any) -> dict[str, Any]:
    """The answers to all queries, with users on two pages."""
    cursor = "after-users"
    now = at or datetime.now().astimezone()
    found: dict[str, Any] = {
        queries.page(queries.USERS, ""): page(queries.USERS, [user(each) for each in PEOPLE[:6]], cursor),
        queries.page(queries.USERS, cursor): page(queries.USERS, [user(each) for each in PEOPLE[6:]]),
        queries.page(queries.ROTATIONS, ""): page(
            queries.ROTATIONS, [rotation(rota, number, now) for rota in drawn for number in range(len(rota.rotations))]
        ),
        queries.page(queries.SCHEDULES, ""): page(queries.SCHEDULES, [schedule(each) for each in drawn]),
        queries.page(queries.OVERRIDES, ""): page(queries.OVERRIDES, more.get("overrides", [])),
        queries.page(queries.POLICIES, ""): page(queries.POLICIES, more.get("policies", [])),
        queries.page(queries.SERVICES, ""): page(queries.SERVICES, more.get("services", [])),
    }
    if at is not None:
        for rota in drawn:
            shifts = [
                {"start": starts.isoformat(), "end": ends.isoformat(), "userID": person}
                for starts, ends, person in rendered(rota, at)
            ]
            found[queries.shifts(f"s{rota.number}", at)] = {"data": {"schedule": {"shifts": shifts}}}
    return found


def page(collection: str, nodes: list[Any], cursor: str = "") -> dict[str, Any]:
    info = {"hasNextPage": bool(cursor), "endCursor": cursor}
    return {"data": {collection: {"nodes": nodes, "pageInfo": info}}}


def user(mark: str) -> dict[str, Any]:
    return {"id": mark, "name": f"Person {mark[-2:]}", "email": f"person{mark[-2:]}@acme.example"}


def rotation(rota: Rota, number: int, at: datetime) -> dict[str, Any]:
    """A rotation whose list of users begins somewhere, with the index of the active one."""
    drawn, zone = rota.rotations[number], ZoneInfo(rota.zone)
    local, begins = (each.astimezone(zone).replace(tzinfo=None) for each in (at, drawn.start))
    turn = (local - begins) // (drawn.every * LENGTHS[drawn.unit])
    by = rota.number % len(drawn.members)
    return {
        "id": f"r{rota.number}-{number}", "timeZone": rota.zone, "start": drawn.start.isoformat(),
        "type": _TYPES[drawn.unit], "shiftLength": drawn.every,
        "userIDs": [*drawn.members[by:], *drawn.members[:by]], "activeUserIndex": (turn - by) % len(drawn.members),
    }  # fmt: skip


def schedule(rota: Rota) -> dict[str, Any]:
    targets = [
        {"target": {"id": f"r{rota.number}-{number}", "type": "rotation", "name": f"Rotation {number}"},
         "rules": list(rules(each))}
        for number, each in enumerate(rota.rotations)
    ]  # fmt: skip
    named = {"id": f"s{rota.number}", "name": f"Rota {rota.number}", "timeZone": rota.zone, "targets": targets}
    return {**named, "temporarySchedules": [temporary(each) for each in rota.overrides]}


def temporary(drawn: Override) -> dict[str, Any]:
    """A temporary schedule with one shift, for an override of everybody."""
    period = {"start": drawn.starts_at.isoformat(), "end": drawn.ends_at.isoformat()}
    return {**period, "shifts": [{**period, "userID": drawn.person}]}


def rules(drawn: Rotation) -> Iterator[dict[str, Any]]:
    """Yields the rules of a rotation: one for each day of a span that lasts longer than a day."""
    if not drawn.spans:
        yield {"start": "00:00", "end": "00:00", "weekdayFilter": [True] * 7}
    for start, length in drawn.spans:
        day, minute, left = start // DAY, start % DAY, length
        while left > 0:
            piece = left if length <= DAY else min(left, DAY - minute)
            end = (minute + piece) % DAY
            chosen = [(weekday - 1) % 7 == day % 7 for weekday in range(7)]
            yield {
                "start": f"{minute // 60:02}:{minute % 60:02}", "end": f"{end // 60:02}:{end % 60:02}",
                "weekdayFilter": chosen,
            }  # fmt: skip
            day, minute, left = day + 1, 0, left - piece


def _begun(drawn: Rotation, at: datetime) -> Rotation:
    return drawn if drawn.start <= at else replace(drawn, start=drawn.start - timedelta(weeks=8))
