"""How an incident climbs the ladder of its plan: from its first step, one at a time, with rests in between.

Specification 6.7.
"""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

from inbox.domain.incident import Incident, changed
from inbox.domain.moves import OPEN, RESOLVED
from inbox.domain.plan import Plan, ladder_start


def follow(plan: Plan, before: Incident | None, after: Incident, now: datetime) -> Incident:
    """What an act made of an incident, with its ladder: call it on every move, before it is told and written.

    One that opens or reopens begins anew. While it is acknowledged, snoozed or silenced the ladder rests; open again,
    it goes on so that the next step comes as long after as it came after the step before.
    """
    if before is None or (before.state is RESOLVED and after.state is not RESOLVED):
        return _begun(plan, after, now)
    if after.state is OPEN and before.state is not OPEN:
        return _resumed(plan, after, now)
    return after


def climbed(plan: Plan, incident: Incident, now: datetime) -> Incident:
    """With the next step behind it, if that is due: for `incident.hold` and `incident.step`; else as it is.

    Steps of one time are one. What was passed are `plan.steps[before.steps_taken:after.steps_taken]`; steps that do not
    want its severity are passed in silence, but of those that do one at most, however late it is.
    """
    if incident.state is not OPEN:
        return incident
    start, taken = ladder_start(plan, incident), incident.steps_taken
    for after, rung in groupby(plan.steps[taken:], key=lambda step: step.after):
        if start + after > now:
            break
        steps = list(rung)
        taken += len(steps)
        if any(step.wants(incident.severity) for step in steps):
            return changed(incident, steps_taken=taken, held_until=max(start, now - after))
    return changed(incident, steps_taken=taken)


def _begun(plan: Plan, incident: Incident, now: datetime) -> Incident:
    start = incident.opened_at + plan.hold
    if len(plan.steps) == 1 and start <= now and incident.state is OPEN and plan.steps[0].wants(incident.severity):
        return changed(incident, steps_taken=1, renotified=0, held_until=now)  # what most do, and there may be many
    return climbed(plan, changed(incident, steps_taken=0, renotified=0, held_until=start), now)


def _resumed(plan: Plan, incident: Incident, now: datetime) -> Incident:
    if not incident.steps_taken:
        return climbed(plan, incident, now)
    behind = plan.steps[: incident.steps_taken][-1].after
    start = max(ladder_start(plan, incident), now - behind)
    return changed(incident, held_until=start, told_at=incident.told_at and now)
