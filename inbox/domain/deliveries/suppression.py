"""The causes for which a stored notice is sent to nobody: a silence covers the incident, or the incident flaps."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.domain.deliveries.notices import UPDATES, Cause
from inbox.domain.incidents.incident import OF_PEOPLE, Actor, Incident, replace_fast
from inbox.domain.incidents.state_machine import OPEN, RESOLVED, SILENCED, Reason
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

WHILE_FLAPPING = frozenset({Reason.OPENED, Reason.REOPENED, Reason.RESOLVED, Reason.REOCCURRED})
"""The reasons withheld during flapping (specification 3.7). A raised severity and acts of people cause notices."""

OPENINGS = frozenset({Reason.OPENED, Reason.REOPENED})

DELAYED_STATES = frozenset({OPEN, RESOLVED})
"""The states in which alerts wait for the end of the plan's delay."""

NON_ALERTS = UPDATES | {Reason.FALLBACK}
"""The reasons that are no alerts: updates and the fallback."""


def suppression_cause(then: Incident, reason: Reason, *, by_person: bool = False) -> str | None:
    """Returns the cause that withholds a notice, from the incident at its time; None when it is sent.

    Under a silence only the changes of people are sent. The end of a silenced incident is sent as well, because a
    resolved incident is no longer silenced.
    """
    if then.state is SILENCED and reason is not Reason.UPDATED and not by_person:
        return silenced_cause(then.silenced_by)
    if then.flapping and reason in WHILE_FLAPPING and not _exceeds_notified_severity(then, reason):
        return Cause.FLAPPING
    return None


def passes_silence(reason: Reason, by: Actor | None, *, undone: bool) -> bool:
    """Returns whether a person caused the notice, so that it is sent under a silence.

    A reopening is withheld unless it is an undo, because the silence covers the incident.
    """
    return by is not None and by.type in OF_PEOPLE and (reason is not Reason.REOPENED or undone)


def _exceeds_notified_severity(then: Incident, reason: Reason) -> bool:
    """Returns whether the incident opens above the highest notified severity, or without an earlier notice."""
    notified_severity = then.notified_severity
    return reason in OPENINGS and (notified_severity is None or then.severity.rank > notified_severity.rank)


def silenced_cause(silence_id: UUID | None) -> str:
    """Returns the cause of a notice that a silence withholds: `silenced:sil_…`."""
    return f"{Cause.SILENCED}:{'' if silence_id is None else ids.encode(Prefix.SILENCE, silence_id)}"


def mark_notified(
    then: Incident, reason: Reason, now: datetime, *, by_person: bool = False, undone: bool = False
) -> Incident | None:
    """Sets `notified_at` and `notified_severity` if a notice follows at `now`; returns the incident. None: the notice waits.

    1. Updates, fallbacks and undone acts leave both values unchanged.
    2. A notice waits while the plan delays the first one (`delaySeconds`, or a later first step). The notice at the end
       of the delay covers everything. Acts of people on an acknowledged, snoozed or silenced incident do not wait.
       After an earlier notice, `flapping` does not wait: flapping withholds the notice at the end of the delay.
    3. A suppressed notice leaves both values unchanged.
    4. While the incident flaps, `notified_severity` is the highest one, so that no lower opening is sent.
    """
    if reason in NON_ALERTS or undone:
        return then
    is_announced = reason is Reason.FLAPPING and then.notified_at is not None
    if not then.steps_taken and then.state in DELAYED_STATES and not is_announced:
        return None
    if suppression_cause(then, reason, by_person=by_person) is not None:
        return then
    former = then.notified_severity
    is_lower = then.flapping and former is not None and former.rank > then.severity.rank
    return replace_fast(then, notified_at=now, notified_severity=former if is_lower else then.severity)
