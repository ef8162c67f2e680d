"""How an incident climbs the ladder of its plan: from its first step, one at a time, with rests in between.

Specification 6.7.
"""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

from inbox.domain.incident import Incident, replace_fast
from inbox.domain.notification_plan import NotificationPlan, steps_start
from inbox.domain.state_machine import OPEN, RESOLVED


def start_or_resume(plan: NotificationPlan, before: Incident | None, after: Incident, now: datetime) -> Incident:
    """What an act made of an incident, with its ladder: call it on every move, before it is told and written.

    One that opens or reopens begins anew. While it is acknowledged, snoozed or silenced the ladder rests; open again,
    it goes on so that the next step comes as long after as it came after the step before.
    """
    if before is None or (before.state is RESOLVED and after.state is not RESOLVED):
        return _started(plan, after, now)
    if after.state is OPEN and before.state is not OPEN:
        return _resumed(plan, after, now)
    return after


def advance(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    """With the next step behind it, if that is due: for `incident.delay` and `incident.step`; else as it is.

    Steps of one time are one. What was passed are `plan.steps[before.steps_taken:after.steps_taken]`; steps that do not
    want its severity are passed in silence, but of those that do one at most, however late it is.
    """
    if incident.state is not OPEN:
        return incident
    start, steps_taken = steps_start(plan, incident), incident.steps_taken
    for after, step_group in groupby(plan.steps[steps_taken:], key=lambda step: step.after):
        if start + after > now:
            break
        steps = list(step_group)
        steps_taken += len(steps)
        if any(step.accepts(incident.severity) for step in steps):
            return replace_fast(incident, steps_taken=steps_taken, held_until=max(start, now - after))
    return replace_fast(incident, steps_taken=steps_taken)


def _started(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    start = incident.opened_at + plan.delay
    if len(plan.steps) == 1 and start <= now and incident.state is OPEN and plan.steps[0].accepts(incident.severity):
        return replace_fast(
            incident, steps_taken=1, renotified=0, held_until=now
        )  # what most do, and there may be many
    return advance(plan, replace_fast(incident, steps_taken=0, renotified=0, held_until=start), now)


def _resumed(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    if not incident.steps_taken:
        return advance(plan, incident, now)
    behind = plan.steps[: incident.steps_taken][-1].after
    start = max(steps_start(plan, incident), now - behind)
    return replace_fast(incident, held_until=start, told_at=incident.told_at and now)
