"""A step with people that reached nobody: the next step follows at once (specification 23.13)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from inbox.domain.deliveries.notification_plan import NotificationPlan, count_taken, last_step, steps_start
from inbox.domain.incidents.incident import Incident, replace_fast
from inbox.domain.incidents.state_machine import OPEN
from inbox.domain.routing.profiles import Step

NOBODY_PAGED = "incident.nobody_paged"
"""The kind of timer after a step with people that reached nobody. It is due at once, and takes the next step."""


def hasten(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    """Makes the next step of the same round due now; returns the incident.

    Later steps keep their distance to it. An incident that is not open stays unchanged, and so does the last step of a
    round: the next round begins at its time.
    """
    taken = count_taken(plan, incident)
    if incident.state is not OPEN or not 0 < taken < len(plan.steps):
        return incident
    following = plan.steps[taken]
    if following.round != plan.steps[taken - 1].round:
        return incident
    return taken_at(plan, incident, following, now)


def next_accepting(plan: NotificationPlan, incident: Incident) -> Step | None:
    """Returns the next step that accepts the severity, also of the next round; None if there is none."""
    return next((step for step in plan.steps[count_taken(plan, incident) :] if step.accepts(incident.severity)), None)


def without_wait(plan: NotificationPlan, incident: Incident, step: Step, now: datetime) -> NotificationPlan:
    """Returns the plan with a delay after which the first step that accepts the severity is due now."""
    return replace(plan, delay=now - step.after - incident.opened_at)


def taken_at(plan: NotificationPlan, incident: Incident, step: Step, now: datetime) -> Incident:
    """Makes a step after the first ones due now, if it is due later; returns the incident."""
    start, last = now - step.after, last_step(incident)
    if last is None or steps_start(plan, incident) <= start:
        return incident
    return replace_fast(incident, held_until=start + timedelta(minutes=last.first_minutes))
