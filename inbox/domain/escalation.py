"""Escalation of an incident: starts, pauses, resumes and advances the steps of its notification plan.

Specification 6.7.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import groupby

from inbox.domain.incident import Incident, replace_fast
from inbox.domain.last_step import LastStep
from inbox.domain.notification_plan import (
    NotificationPlan,
    count_taken,
    last_step,
    steps_start,
    whole_minutes,
)
from inbox.domain.state_machine import OPEN, RESOLVED


def start_or_resume(plan: NotificationPlan, before: Incident | None, after: Incident, now: datetime) -> Incident:
    """The incident after an act, with its escalation started or resumed.

    The caller calls it after every transition, before notices are created and rows are written. An incident that opens
    or reopens starts with the first step. While it is acknowledged, snoozed or silenced, escalation pauses. When it is
    open again, the next step follows at its original distance from the step before.
    """
    if before is None or (before.state is RESOLVED and after.state is not RESOLVED):
        return _started(plan, after, now)
    if after.state is OPEN and before.state is not OPEN:
        return _resumed(plan, after, now)
    return after


def advance(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    """The incident with the next due step group taken, for the timers `incident.delay` and `incident.step`.

    1. An incident that is not open stays as it is.
    2. Steps with the same time form one group. Due groups that do not accept the severity are passed without a notice.
    3. At most one accepting group is taken, even when the timer is late.

    The caller notifies `plan.steps[count_taken(plan, before):count_taken(plan, after)]`.
    """
    if incident.state is not OPEN:
        return incident
    start, last, taken = steps_start(plan, incident), last_step(incident), incident.steps_taken
    minutes = 0 if last is None else last.minutes
    for after, step_group in groupby(plan.steps[count_taken(plan, incident) :], key=lambda step: step.after):
        if start + after > now:
            break
        steps, minutes = list(step_group), whole_minutes(after)
        taken += len(steps)
        if any(step.accepts(incident.severity) for step in steps):
            start = max(start, now - after)
            break
    return _progressed(plan, incident, start, taken, minutes)


def _started(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    start, first = incident.opened_at + plan.delay, plan.steps[0]
    is_due = start + first.after <= now and incident.state is OPEN
    fresh = replace_fast(incident, steps_taken=0, last_step=None, renotified=0)
    if len(plan.steps) == 1 and is_due and first.accepts(incident.severity):
        # the common case, without the loop: a batch may open many incidents
        return _progressed(plan, fresh, now - first.after, 1, whole_minutes(first.after))
    return advance(plan, fresh, now)


def _resumed(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    last = last_step(incident)
    if last is None:
        return advance(plan, incident, now)
    start = max(steps_start(plan, incident), now - timedelta(minutes=last.minutes))
    after = _progressed(plan, incident, start, last.number, last.minutes)
    return replace_fast(after, notified_at=incident.notified_at and now)


def _progressed(plan: NotificationPlan, incident: Incident, start: datetime, taken: int, minutes: int) -> Incident:
    """The incident whose steps count from `start`, with so many steps taken, the last one after so many minutes."""
    first = plan.steps[0].after
    last = LastStep(taken, minutes, whole_minutes(first)) if taken else None
    return replace_fast(incident, steps_taken=taken, last_step=last, held_until=start + first)
