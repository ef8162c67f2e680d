"""The on-call schedule of the sample workspace: four people by day and by night, an override, and a gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.problems import key
from inbox.domain.oncall.shifts import who
from inbox.domain.values.wallclock import to_local, to_utc
from inbox.domain.workspaces.roles import Role
from inbox.flow.oncall import computed, problem_watch
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.services.oncall import overrides, schedules
from inbox.services.oncall.editors import Editor
from inbox.services.people import preferences

NAME = "Web shop"
WORKDAYS, WEEKEND = ["mon", "tue", "wed", "thu", "fri"], ["sat", "sun"]

LAYERS: tuple[tuple[str, tuple[str, ...], tuple[tuple[list[str], str, str], ...]], ...] = (
    ("Office hours", ("mira", "nils", "theo", "ines"), ((WORKDAYS, "08:00", "18:00"),)),
    (
        "Nights and weekends",
        ("theo", "ines", "mira", "nils"),
        ((WORKDAYS, "18:00", "08:00"), (WEEKEND, "08:00", "22:00"), (["sun"], "22:00", "08:00")),
    ),
)
"""The layers: name, people in the order of their weeks, and hours. Nobody is on call from Saturday 22:00 until Sunday 8:00."""


def create(workspace_id: UUID, timezone: str, accounts: Mapping[str, User], at: datetime) -> OnCallSchedule:
    """Creates the schedule at the beginning of the history, whose log the timers write. `accounts` are people by name."""
    begins = to_local(at, ZoneInfo(timezone))
    monday = datetime.combine(begins.date() - timedelta(days=begins.weekday()), time(8))
    fields = {
        "name": NAME,
        "description": "Who answers for the shop, its payments and its servers.",
        "timezone": timezone,
        "layers": [
            _layer(name, [accounts[each].id for each in people], hours, monday) for name, people, hours in LAYERS
        ],
    }
    # Nobody is mailed about shifts, nor about the gap. The owner is a real person, who takes no turns.
    for name, account in accounts.items():
        if name != "owner":
            preferences.edit(account.id, {"shiftNoticeMinutes": []}, expected_rev=None)
    made = schedules.create(workspace_id, fields, now=at)
    known = sorted({key(each) for each in problem_watch.of_schedules([made], at)[made.id]})
    OnCallSchedule.update(known_problems=known).where(OnCallSchedule.id == made.id).execute()
    return made


def cover(schedule: OnCallSchedule, accounts: Mapping[str, User], at: datetime) -> None:
    """Mira or Theo covers four hours of the next day, from noon on, for somebody else."""
    zone = ZoneInfo(schedule.timezone)
    noon = datetime.combine(to_local(at, zone).date() + timedelta(days=1), time(12))
    starts_at = to_utc(noon, zone)
    made = computed.current([schedule], at, starts_at + timedelta(days=1))[schedule.id]
    present = {each.user_id for each in who(made, starts_at)}
    person = next(accounts[name] for name in ("mira", "theo") if accounts[name].id not in present)
    fields: dict[str, Any] = {
        "kind": "replace", "starts_at": starts_at, "ends_at": starts_at + timedelta(hours=4), "user_ids": [person.id],
        "instead_of": None, "layer_ids": [], "reason": "Dentist",
    }  # fmt: skip
    overrides.create(schedule, fields, by=Editor(person.id, Role.MEMBER), now=at)


def _layer(
    name: str, people: Sequence[UUID], hours: Sequence[tuple[list[str], str, str]], start: datetime
) -> dict[str, Any]:
    windows = [{"days": days, "start": begins, "end": ends} for days, begins, ends in hours]
    return {
        "name": name, "level": 1, "timezone": None, "start": start, "unit": "week", "every": 1,
        "members": [[each] for each in people], "windows": windows, "from_": None, "until": None, "counts": "all",
    }  # fmt: skip
