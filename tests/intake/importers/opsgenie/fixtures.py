"""Answers of the API of Opsgenie for drawn schedules, after its API description."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from inbox.intake.importers.opsgenie import paths
from tests.intake.importers.rotas import DAY, WEEK, Rota, Rotation, rendered

PEOPLE = tuple(f"user{number}@acme.example" for number in range(12))

_TYPES = {"hour": "hourly", "day": "daily", "week": "weekly"}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def answers(rotas: Sequence[Rota] = (), at: datetime | None = None, **more: Any) -> dict[str, Any]:
    """The answers of all addresses. `more` are those of the collections by name."""
    found: dict[str, Any] = {
        paths.INTEGRATIONS: {"data": more.get("integrations", [])},
        paths.HEARTBEATS: {"data": {"heartbeats": more.get("heartbeats", [])}},
        f"{paths.USERS}?limit=100": {"data": [user(each) for each in PEOPLE]},
        f"{paths.SCHEDULES}?expand=rotation": {"data": [schedule(each) for each in rotas]},
        paths.ESCALATIONS: {"data": more.get("escalations", [])},
        paths.TEAMS: {"data": more.get("teams", [])},
    }
    for rota in rotas:
        mark = f"s{rota.number}"
        found[paths.overrides(mark)] = {"data": [override(each, rota) for each in rota.overrides]}
        if at is not None:
            found[f"{paths.timeline(mark)}?interval=3"] = timeline(rota, at)
    return found


def user(email: str) -> dict[str, Any]:
    return {"id": f"id-{email}", "username": email, "fullName": email.partition("@")[0].title()}


def participant(email: str) -> dict[str, Any]:
    return {"type": "user", "id": f"id-{email}", "username": email} if email else {"type": "none"}


def schedule(rota: Rota) -> dict[str, Any]:
    rotations = [rotation(each, number) for number, each in enumerate(rota.rotations)]
    return {"id": f"s{rota.number}", "name": f"Rota {rota.number}", "timezone": rota.zone, "rotations": rotations}


def rotation(drawn: Rotation, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": f"r{number}",
        "name": f"Rotation {number}",
        "startDate": f"{drawn.start:%Y-%m-%dT%H:%M:%SZ}",
        "type": _TYPES[drawn.unit],
        "length": drawn.every,
        "participants": [participant(each) for each in drawn.members],
    }
    if len(drawn.spans) == 7:
        start, length = drawn.spans[0]
        end = (start + length) % DAY
        only = {"startHour": start // 60, "startMin": start % 60, "endHour": end // 60, "endMin": end % 60}
        found["timeRestriction"] = {"type": "time-of-day", "restriction": only}
    elif drawn.spans:
        pairs = [_pair(*span) for span in drawn.spans]
        found["timeRestriction"] = {"type": "weekday-and-time-of-day", "restrictions": pairs}
    return found


def override(drawn: Any, rota: Rota) -> dict[str, Any]:
    return {
        "alias": "a",
        "user": participant(drawn.person),
        "startDate": f"{drawn.starts_at:%Y-%m-%dT%H:%M:%SZ}",
        "endDate": f"{drawn.ends_at:%Y-%m-%dT%H:%M:%SZ}",
        "rotations": [{"id": f"r{number}"} for number in range(len(rota.rotations))],
    }


def timeline(rota: Rota, at: datetime) -> dict[str, Any]:
    periods = [
        {"startDate": starts.isoformat(), "endDate": ends.isoformat(), "recipient": participant(person)}
        for starts, ends, person in rendered(rota, at)
    ]
    return {"data": {"finalTimeline": {"rotations": [{"id": "r0", "periods": periods}]}}}


def _pair(start: int, length: int) -> dict[str, Any]:
    end = (start + length) % WEEK
    return {
        "startDay": _DAYS[start // DAY], "startHour": start % DAY // 60, "startMin": start % 60,
        "endDay": _DAYS[end // DAY], "endHour": end % DAY // 60, "endMin": end % 60,
    }  # fmt: skip
