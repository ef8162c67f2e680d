"""Writes the log of who is on call, at each handoff and after each change (specification 23.10)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.oncall.handoffs import Handoff, handoffs
from inbox.domain.oncall.shifts import MAX_RANGE, Shift, TooManyShifts, upcoming, who
from inbox.flow.oncall import channel_notices, computed, shift_mails
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import Reschedule, TimerSpec
from inbox.models.oncall import log, slack
from inbox.models.oncall.schedules import OnCallSchedule, computed_otherwise, existing_ids
from inbox.runtime import time_zones
from inbox.runtime.queue import QueueName

CHANGE = "oncall.change"
"""The kind of timer that is due at the next handoff of a schedule, and after each change of it."""

PROBLEMS = "oncall.problems"
"""The kind of timer that looks for problems of a schedule (`problem_watch`)."""

PROBLEMS_DELAY = timedelta(minutes=10)
"""The time after a change in which an administrator may mend what it broke."""

AHEAD = timedelta(days=1)
"""The time after which a schedule is computed again without a handoff, because time zones may have changed."""


def set_due(workspace_id: UUID, schedule_ids: Collection[UUID], now: datetime, done: AfterCommit) -> None:
    """Sets the timers of changed schedules to now."""
    later = now + PROBLEMS_DELAY
    due = ((CHANGE, now), (PROBLEMS, later))
    timers.set_many([TimerSpec(kind, each, workspace_id, at) for each in schedule_ids for kind, at in due])
    done.wake(QueueName.TIMERS)
    done.wake(QueueName.TIMERS, at=later)


def set_all_due(workspace_id: UUID, now: datetime, done: AfterCommit) -> None:
    """Sets the timers of all schedules of a workspace to now, because its people have changed."""
    schedule_ids = existing_ids(workspace_id)
    if schedule_ids:
        set_due(workspace_id, schedule_ids, now, done)


def apply_zone_rules(now: datetime) -> int:
    """Sets the timers of schedules to now that were computed with other rules of time zones; returns their number.

    A worker calls it once, because a running process never reads other rules (specification 23.10).
    """
    with work() as done:
        others = computed_otherwise(time_zones.digest())
        timers.set_many([TimerSpec(CHANGE, schedule_id, workspace_id, now) for schedule_id, workspace_id in others])
        done.wake(QueueName.TIMERS)
    return len(others)


def write_log(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Writes the handoffs since the last run with their own times, however late it is, and returns the next one.

    1. The schedule is locked. The log of a deleted one ends when it was deleted.
    2. Handoffs from the last run until now are written, with the versions of their time.
    3. When other people are on call than before, streams get a reference, the channel of the schedule a notice, and Slack
       is looked at.
    4. People are told of their shifts.
    5. The timer is due again at the next handoff or mail, or after a day.
    """
    schedule = _locked(timer.subject_id)
    if schedule is None:
        return None
    before, until = log.present(schedule.id), schedule.deleted_at or now
    past, following = _handoffs(schedule, before, until, now)
    for handoff in past:
        log.end(schedule.id, handoff.end, handoff.at)
        log.begin(schedule.workspace_id, schedule.id, handoff.begin, handoff.at)
    if schedule.deleted_at is not None:
        log.end(schedule.id, log.present(schedule.id), until)
        return None
    if log.present(schedule.id) != before:
        channel_notices.send(schedule, before, past[-1].at, now, done)
        done.publish_change("schedule", schedule.id, schedule.workspace_id, rev=schedule.rev)
        if slack.set_due(schedule.id, now):
            done.wake(QueueName.ONCALL)
    following = min(following, shift_mails.tell(schedule, log.present(schedule.id) - before, now, done) or following)
    computed_until = {"logged_until": now, "zone_digest": time_zones.digest()}
    OnCallSchedule.update(computed_until).where(OnCallSchedule.id == schedule.id).execute()
    done.wake(QueueName.TIMERS, following)
    return Reschedule(following)


def _locked(schedule_id: UUID) -> OnCallSchedule | None:
    own = OnCallSchedule.select().where(OnCallSchedule.id == schedule_id)
    found: OnCallSchedule | None = own.for_update("FOR NO KEY UPDATE").first()
    return found


def _handoffs(
    schedule: OnCallSchedule, before: Collection[UUID], until: datetime, now: datetime
) -> tuple[list[Handoff], datetime]:
    """Returns the handoffs since the last run, and the time of the next one.

    If other people than at the last run were on call then, a member has left or returned since: this is now.
    """
    since = max(min(schedule.logged_until or schedule.created_at, now), now - MAX_RANGE)
    past, following = list[Handoff](), now + AHEAD
    for handoff in handoffs(before, _shifts(schedule, since, now)):
        if handoff.at > until:
            following = handoff.at
            break
        past.append(handoff)
    if schedule.logged_until is not None and len(past) == 1 and past[0].at == since:
        past = [past[0]._replace(at=until)]
    return past, following


def _shifts(schedule: OnCallSchedule, since: datetime, now: datetime) -> Iterator[Shift]:
    """Yields the shifts from the last run on. If they are too many to compute, it is the present one alone."""
    made = computed.with_past(schedule, since, now + AHEAD, now)
    try:
        yield from upcoming(made, since, now + AHEAD)
    except TooManyShifts:
        yield Shift(now, now + AHEAD, who(made, now))
