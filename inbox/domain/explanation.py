"""Why somebody was told, and why not, in words a person reads without knowing the code (decision 8)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inbox.domain.moves import Act, Reason
from inbox.domain.notices import Because, Cause
from inbox.domain.occurrence import Disposition

NOBODY = "The default route names no destination, so nobody was told."

_OF_EVENT: Mapping[Disposition, str] = MappingProxyType(
    {
        Disposition.PENDING: "It is accepted and waits to be routed.",
        Disposition.LOGGED: "It was kept and nothing more.",
        Disposition.OPENED: "It opened the incident.",
        Disposition.UPDATED: "It was counted; a repeat is told only of an open incident, after a quiet while.",
        Disposition.RESOLVED: "It resolved the incident.",
        Disposition.UNMATCHED: "It was to resolve an incident, and none was unresolved.",
        Disposition.SUPPRESSED: "A rule waits for more events like it before an incident opens.",
        Disposition.NOTIFIED: "It was told without an incident.",
        Disposition.DROPPED: "It was set aside and kept as a record.",
    }
)

_OF_DECISION: Mapping[str, str] = MappingProxyType(
    {
        Cause.SENT_TO: "It is sent there.",
        Cause.BELOW_MIN_SEVERITY: "The incident is less severe than this destination wants.",
        Cause.QUIET_HOURS: "It is held until the quiet hours end.",
        Cause.UPDATES_OFF: "This destination wants to hear only when something breaks.",
        Cause.NOT_TOLD: "This destination heard nothing of the incident before, so it is not told this either.",
        Cause.DISABLED: "The destination was disabled: it is skipped, and not sent later.",
        Cause.STOPPED: "Its receiver refuses: it is held until the destination resumes.",
        Cause.THROTTLED: "It is more than this destination takes: it is held.",
        Cause.SILENCED: "A silence covers the incident.",
        Cause.FLAPPING: "The incident keeps opening and resolving.",
        Cause.MAILED: "No destination could take it: it is mailed to the owners.",
    }
)


_OF_FALLBACK: Mapping[str, str] = MappingProxyType(
    {
        Because.NO_DESTINATION: "Nobody else could be told: no destination is enabled.",
        Because.ALL_STOPPED: "Nobody else could be told: all destinations are stopped.",
        Because.GIVEN_UP: "Nobody else could be told: all deliveries of the alarm were given up.",
        Because.UNHEARD: "Nobody took the alarm within two minutes, and it is critical.",
    }
)


def of_event(disposition: str, act: str | None, reason: str | None) -> str:
    """What an event did to its incident, and whether that was told."""
    known = Disposition(disposition)
    if act == Act.TRIGGER_SILENCED:
        return "It opened the incident under a silence, so nobody was told."
    if act == Act.TRIGGER_SNOOZED:
        return "It opened the incident, which a rule puts off for a while, so nobody was told yet."
    if reason == Reason.FLAPPING:
        return "It made the incident open or resolve once too often: that it keeps doing so was told instead."
    if known is Disposition.OPENED and reason == Reason.REOPENED:
        return "It opened the incident again: it came within the reopen window."
    if known is Disposition.UPDATED and act == Act.TRIGGER_HIGHER:
        return "It is more severe than the incident had been."
    if known is Disposition.UPDATED and reason == Reason.REOCCURRED:
        return "It came after the incident had been quiet for a while, which was told."
    return _OF_EVENT[known]


def of_fallback(because: str) -> str:
    """Why there is a fallback."""
    return _OF_FALLBACK[because]


def of_decision(decision: str) -> str:
    """Why a destination is sent a notice or is not; `decision` may carry an id after a colon."""
    return _OF_DECISION[decision.partition(":")[0]]
