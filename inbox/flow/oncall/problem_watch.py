"""Tells administrators of new problems of a schedule, once (specification 23.6)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from inbox.domain.oncall.problem_text import sentences
from inbox.domain.oncall.problems import GAPS_AHEAD, Problem, ProblemKind, key, problems
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow import mail_outbox
from inbox.flow.notices.create import workspace_url
from inbox.flow.oncall import computed, problems_of_use
from inbox.flow.unit_of_work import AfterCommit
from inbox.mail import templates
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import Reschedule
from inbox.models.oncall import calendars, slack
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people import members
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName

EVERY = timedelta(days=1)
"""The time between two checks of an unchanged schedule."""


def check(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Stores the problems of a schedule, and mails its administrators when there are others than before.

    A problem that goes on, or that ends, is not mailed, nor that the schedule is unused. A mail and the stored problems
    are written in one transaction.
    """
    own = OnCallSchedule.select().where(OnCallSchedule.id == timer.subject_id, OnCallSchedule.deleted_at.is_null())
    schedule: OnCallSchedule | None = own.for_update("FOR NO KEY UPDATE").first()
    if schedule is None:
        return None
    found = of_schedules([schedule], now)[schedule.id]
    known, keys = set(schedule.known_problems), sorted({key(each) for each in found})
    if known != set(keys):
        OnCallSchedule.update(known_problems=keys).where(OnCallSchedule.id == schedule.id).execute()
    if new := [each for each in found if key(each) not in known and each.kind is not ProblemKind.UNUSED]:
        _mail(schedule, new, now, done)
    done.wake(QueueName.TIMERS, now + EVERY)
    return Reschedule(now + EVERY)


def of_schedules(rows: Sequence[OnCallSchedule], now: datetime) -> dict[object, list[Problem]]:
    """Returns the problems of these schedules, by id."""
    made = computed.current(rows, now, now + GAPS_AHEAD + timedelta(days=1))
    use = problems_of_use.of_schedules(rows, now)
    outside = _outside(rows)
    return {row.id: [*outside[row.id], *problems(made[row.id], now), *use[row.id]] for row in rows}


def _outside(rows: Sequence[OnCallSchedule]) -> dict[object, list[Problem]]:
    """Returns the problems of external calendars and of Slack."""
    schedule_ids = [row.id for row in rows]
    found: dict[object, list[Problem]] = {each: [] for each in schedule_ids}
    for calendar in calendars.of_schedules(schedule_ids).values():
        if calendar.failing_since:
            found[calendar.schedule_id].append(Problem(ProblemKind.CALENDAR_UNREADABLE, calendar.failing_since))
        if calendar.unmatched:
            found[calendar.schedule_id].append(Problem(ProblemKind.CALENDAR_UNMATCHED))
    for each in slack.of_schedules(schedule_ids).values():
        if each.failing_since:
            found[each.schedule_id].append(Problem(ProblemKind.SLACK_FAILING, each.failing_since))
    return found


def _mail(schedule: OnCallSchedule, new: Sequence[Problem], now: datetime, done: AfterCommit) -> None:
    people = computed.names(schedule.workspace_id, {each.user_id for each in new if each.user_id})
    layers = {layer.id: layer.name for layer in computed.layers_of(schedule.__data__)}
    workspace = Workspace.get_by_id(schedule.workspace_id)
    lines = sentences(new, ZoneInfo(schedule.timezone), {**people, **layers})
    link = f"{workspace_url(workspace.slug)}/on-call/{ids.encode(Prefix.SCHEDULE, schedule.id)}"
    for name, address in members.administrators(schedule.workspace_id):
        mail = templates.fill(
            "schedule_problems",
            name=name,
            workspace=workspace.name,
            schedule=schedule.name,
            problems="\n".join(lines),
            link=link,
        )
        mail_outbox.enqueue(done, mail, address, now)
