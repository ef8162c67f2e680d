"""A step with people that reached nobody: the next step follows at once (specification 23.13)."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.domain.deliveries.notification_plan import NotificationPlan, count_taken, last_step, steps_start
from inbox.domain.incidents.incident import Incident, replace_fast
from inbox.domain.incidents.state_machine import OPEN

NOBODY_PAGED = "incident.nobody_paged"
"""The kind of timer after a step with people that reached nobody. It is due at once, and takes the next step."""


def hasten(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    """Makes the next step of the same round due now; returns the incident.

    Later steps keep their distance to it. An incident that is not open stays unchanged, and so does the last step of a
    round: the next round begins at its time.
    """
    last, taken = last_step(incident), count_taken(plan, incident)
    if incident.state is not OPEN or last is None or not 0 < taken < len(plan.steps):
        return incident
    following = plan.steps[taken]
    start = now - following.after
    if following.round != plan.steps[taken - 1].round or steps_start(plan, incident) <= start:
        return incident
    return replace_fast(incident, held_until=start + timedelta(minutes=last.first_minutes))
