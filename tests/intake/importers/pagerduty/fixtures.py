"""Answers of the REST API of PagerDuty for drawn schedules, after its API description."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from inbox.intake.importers.pagerduty import paths
from tests.intake.importers.rotas import DAY, LENGTHS, Rota, Rotation, rendered

PEOPLE = tuple(f"P{number:02}" for number in range(12))


def answers(rotas: Sequence[Rota] = (), at: datetime | None = None, **more: Any) -> dict[str, Any]:
    """The answers of all addresses, with schedules and users on two pages."""
    half = len(rotas) // 2
    listed = [{"id": f"S{rota.number}", "name": f"Rota {rota.number}"} for rota in rotas]
    first_users, users, first, policies, services = (
        f"{each}?{paths.COLLECTIONS[each]}limit=100&offset={offset}"
        for each, offset in (
            (paths.USERS, 0), (paths.USERS, 100), (paths.SCHEDULES, 0), (paths.POLICIES, 0), (paths.SERVICES, 0)
        )
    )  # fmt: skip
    found: dict[str, Any] = {
        first_users: {"users": [user(each) for each in PEOPLE[:6]], "more": True, "offset": 0, "limit": 100},
        users: {"users": [user(each) for each in PEOPLE[6:]], "more": False, "offset": 100, "limit": 100},
        first: {"schedules": listed[:half], "more": True, "offset": 0, "limit": 100},
        first.replace("offset=0", "offset=100"): {"schedules": listed[half:], "more": False, "offset": 100},
        policies: {"escalation_policies": more.get("policies", []), "more": False},
        services: {"services": more.get("services", []), "more": False},
    }
    for rota in rotas:
        found[f"{paths.schedule(f'S{rota.number}')}?since=x"] = {"schedule": schedule(rota, at)}
        found[f"{paths.overrides(f'S{rota.number}')}?since=x"] = {
            "overrides": [
                {"start": each.starts_at.isoformat(), "end": each.ends_at.isoformat(), "user": reference(each.person)}
                for each in rota.overrides
            ]
        }
    return found


def user(mark: str) -> dict[str, Any]:
    return {"id": mark, "name": f"Person {mark}", "email": f"{mark.lower()}@acme.example"}


def reference(mark: str) -> dict[str, Any]:
    return {"id": mark, "type": "user_reference", "summary": f"Person {mark}"}


def schedule(rota: Rota, at: datetime | None) -> dict[str, Any]:
    highest_first = sorted(rota.rotations, key=lambda rotation: -rotation.level)
    found: dict[str, Any] = {
        "id": f"S{rota.number}",
        "time_zone": rota.zone,
        "schedule_layers": [layer(each) for each in highest_first],
    }
    if at is not None:
        entries = [
            {"start": starts.isoformat(), "end": ends.isoformat(), "user": reference(person)}
            for starts, ends, person in rendered(rota, at)
        ]
        found["final_schedule"] = {"rendered_schedule_entries": entries}
    return found


def layer(drawn: Rotation) -> dict[str, Any]:
    return {
        "name": f"Layer {drawn.level}",
        "start": drawn.start.isoformat(),
        "end": None,
        "rotation_virtual_start": drawn.start.isoformat(),
        "rotation_turn_length_seconds": int(drawn.every * LENGTHS[drawn.unit].total_seconds()),
        "users": [{"user": reference(each)} for each in drawn.members],
        "restrictions": restrictions(drawn.spans),
    }


def restrictions(spans: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    if len(spans) == 7:
        start, length = spans[0]
        clock = f"{start // 60:02}:{start % 60:02}:00"
        return [{"type": "daily_restriction", "start_time_of_day": clock, "duration_seconds": length * 60}]
    return [
        {
            "type": "weekly_restriction",
            "start_day_of_week": start // DAY + 1,
            "start_time_of_day": f"{start % DAY // 60:02}:{start % DAY % 60:02}:00",
            "duration_seconds": length * 60,
        }
        for start, length in spans
    ]
