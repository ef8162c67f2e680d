"""What is said of an incident and told to nobody, and why: a silence covers it, or it keeps opening and resolving."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Actor, Incident, replace_fast
from inbox.domain.notices import UPDATES, Cause
from inbox.domain.state_machine import OPEN, RESOLVED, SILENCED, Reason

WHILE_FLAPPING = frozenset({Reason.OPENED, Reason.REOPENED, Reason.RESOLVED, Reason.REOCCURRED})
"""What is withheld of what flaps (specification 3.7). A severity that rises, and what people do, is told."""

OPENINGS = frozenset({Reason.OPENED, Reason.REOPENED})

HOLDING = frozenset({OPEN, RESOLVED})
"""The states in which what breaks waits for the end of what its plan holds."""

NO_ALARMS = UPDATES | {Reason.FALLBACK}
"""What does not say that something broke, or is broken still."""


def suppression_cause(then: Incident, reason: Reason, *, by_person: bool = False) -> str | None:
    """Why nobody is told, of an incident as it stood when that was said; None when it is told.

    Under a silence only what people change is told. The end of what it covered is told too: it is then resolved, and
    covered no more.
    """
    if then.state is SILENCED and reason is not Reason.UPDATED and not by_person:
        return silenced_cause(then.silenced_by)
    if then.flapping and reason in WHILE_FLAPPING and not _is_worse(then, reason):
        return Cause.FLAPPING
    return None


def passes_silence(reason: Reason, by: Actor | None, *, undone: bool) -> bool:
    """Whether a person did it, which is told under a silence, too. A reopening is not: the silence covers what opens."""
    return by is not None and by.type == "user" and (reason is not Reason.REOPENED or undone)


def _is_worse(then: Incident, reason: Reason) -> bool:
    """Whether it opens worse than anybody was told since it flaps: that is a severity which rises, too."""
    known = then.told_severity
    return reason in OPENINGS and (known is None or then.severity.rank > known.rank)


def silenced_cause(silence_id: UUID | None) -> str:
    """The cause of what a silence keeps from everybody: `silenced:sil_…`."""
    return f"{Cause.SILENCED}:{'' if silence_id is None else ids.encode(Prefix.SILENCE, silence_id)}"


def mark_notified(
    then: Incident, reason: Reason, now: datetime, *, by_person: bool = False, undone: bool = False
) -> Incident | None:
    """The incident once a notice of it is owed at `now`, with when it was told that it is broken.

    None: it is held. Nothing that is broken is told of it yet, because its plan waits (`delaySeconds`, or a first step that
    is later); what is told at the end of that tells all of it. What a person does to one that is acknowledged, snoozed or
    silenced does not wait for that. An act that is `undone` leaves when it was told as it was.
    """
    if reason in NO_ALARMS or undone:
        return then
    if not then.steps_taken and then.state in HOLDING:
        return None
    is_alert = suppression_cause(then, reason, by_person=by_person) is None
    return replace_fast(then, told_at=now, told_severity=then.severity) if is_alert else then
