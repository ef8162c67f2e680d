"""The preview of a schedule before it is saved: shifts of the next four weeks, before and after (specification 23.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.oncall.comparison import changed_periods
from inbox.domain.oncall.problems import GAPS_AHEAD, Problem, problems
from inbox.domain.oncall.schedule import OnCallSchedule as Computable
from inbox.domain.oncall.shifts import Shift, TooManyShifts, shifts
from inbox.domain.values.refusals import Fault, TooCostly, ValidationFailed, collect_faults
from inbox.domain.values.wallclock import Period
from inbox.flow.oncall import computed
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.oncall import calendars, schedules
from inbox.services.oncall.calendars import ReadCalendar

AHEAD = timedelta(days=28)
"""The period of a preview."""

TOO_MUCH = "Its shifts of 28 days are too many, or too much to compute. Choose longer turns, or fewer windows."

UNKNOWN = "No such schedule in this workspace."


@dataclass(frozen=True, slots=True)
class Preview:
    """The shifts from `start` until `end` before and after an edit. A new schedule has none before."""

    start: datetime
    end: datetime
    layers: Sequence[Mapping[str, Any]]
    before: Sequence[Shift]
    after: Sequence[Shift]
    changes: Sequence[Period]
    problems: Sequence[Problem]
    unmatched: Sequence[str] = ()


def preview(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Preview:
    """Return the preview of an edit of `schedule_id`, or of a new schedule. Raises `ValidationFailed`."""
    schedule = check(workspace_id, fields)
    edited = OnCallSchedule(
        id=schedule.id if schedule else new_id(now),
        workspace_id=workspace_id,
        timezone=fields["timezone"],
        layers=schedules.edited_layers(schedule, fields, now),
    )
    calendar = _calendar(workspace_id, schedule, fields, now)
    before = _shifts(_computed(schedule, now), now) if schedule else []
    made = _computed(edited, now) if calendar is None else _following(edited, calendar, now)
    after = _shifts(made, now)
    return Preview(
        now,
        now + AHEAD,
        edited.layers,
        before,
        after,
        changed_periods(before, after),
        problems(made, now),
        calendar.unmatched if calendar else (),
    )


def _calendar(
    workspace_id: UUID, schedule: OnCallSchedule | None, fields: Mapping[str, Any], now: datetime
) -> ReadCalendar | None:
    """Return the calendar that the schedule would follow, read now."""
    given = fields.get(schedules.CALENDAR)
    keeps = schedules.CALENDAR not in fields and schedule and calendars.of_schedule(schedule.id)
    if given is None and not keeps:
        return None
    return calendars.read(workspace_id, schedule, given, fields["timezone"], now)


def _following(edited: OnCallSchedule, calendar: ReadCalendar, now: datetime) -> Computable:
    edited.layers, stored = [], edited.layers
    made = _computed(edited, now)
    edited.layers = stored
    overrides = [each for each in made.overrides if not each.is_of_calendar]
    return replace(made, overrides=(*(computed.of_calendar(edited.id, *each) for each in calendar.shifts), *overrides))


def _computed(row: OnCallSchedule, now: datetime) -> Computable:
    return computed.current([row], now, now + GAPS_AHEAD + timedelta(days=1))[row.id]


def check(workspace_id: UUID, fields: Mapping[str, Any]) -> OnCallSchedule | None:
    """Check the valid fields as a schedule that is saved; return the edited one. Raises `ValidationFailed`."""
    schedule_id, faults = fields.get("schedule_id"), list[Fault]()
    own = schedules.existing([workspace_id]).where(OnCallSchedule.id == schedule_id)
    schedule: OnCallSchedule | None = own.first() if schedule_id else None
    if schedule_id and schedule is None:
        faults.append(Fault("/scheduleId", UNKNOWN))
    with collect_faults(faults):
        schedules.check(workspace_id, fields, schedule)
    if faults:
        raise ValidationFailed(errors=faults)
    return schedule


def _shifts(made: Computable, now: datetime) -> list[Shift]:
    """Return the shifts of the period. Raises `TooCostly`."""
    try:
        return shifts(made, now, now + AHEAD)
    except TooManyShifts:
        raise TooCostly(TOO_MUCH) from None
