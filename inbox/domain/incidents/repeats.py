"""The effect of a repeat on the incident of its event: the sender reports the same alarm again (specification 3.3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from inbox.domain.incidents.incident import ActorType, Incident
from inbox.domain.incidents.state_machine import RESOLVED
from inbox.domain.values.enums import FastStrEnum

STILL_REPORTED_AFTER = timedelta(minutes=5)
"""The time for which a sender may still report an alarm that was resolved, before a repeat reopens the incident."""


class RepeatEffect(FastStrEnum):
    """The effect of a repeat."""

    SEEN = "seen"
    """The incident is unresolved: the repeat counts as a sign of life."""

    NOTED = "noted"
    """The incident was resolved a moment ago: the timeline says that the sender still reports the alarm."""

    REOPENS = "reopens"
    """The sender reports the alarm although it was resolved."""

    NOTHING = "nothing"
    """The repeat came before the incident was resolved, or the timeline names an earlier one."""


def effect_of(incident: Incident, at: datetime) -> RepeatEffect:
    """Returns the effect of a repeat that was received at this time."""
    if incident.state is not RESOLVED:
        return RepeatEffect.SEEN
    ended_at = incident.resolved_at or incident.last_seen_at
    if at <= ended_at:
        return RepeatEffect.NOTHING
    by_timer = incident.resolved_by is not None and incident.resolved_by.type == ActorType.TIMER
    if by_timer or at - ended_at > STILL_REPORTED_AFTER:
        return RepeatEffect.REOPENS
    return RepeatEffect.NOTED if incident.last_seen_at <= ended_at else RepeatEffect.NOTHING


def seen_values(incident: Incident, at: datetime) -> dict[str, Any]:
    """Returns the change of an incident whose alarm was reported again. `autoResolveMinutes` counts from it."""
    return {"last_seen_at": max(at, incident.last_seen_at)}
