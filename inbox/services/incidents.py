"""What people do with incidents beside acts: edit, note, and ask why they were told (decision 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain import explanation
from inbox.domain.incident import Actor
from inbox.domain.notices import Cause
from inbox.domain.redaction import redact
from inbox.domain.refusals import Fault, ValidationFailed
from inbox.domain.severity import Severity
from inbox.flow import incidents
from inbox.flow.again import persistently
from inbox.flow.incidents import Edit
from inbox.flow.notify import incident_url
from inbox.flow.work import work
from inbox.models import board
from inbox.models.events import Event
from inbox.models.incidents import Incident, TimelineEntry
from inbox.models.notices import Notice

__all__ = ["add_note", "counts", "edit", "explained", "incident_url"]

SENT, HELD = frozenset({Cause.SENT_TO}), frozenset({Cause.QUIET_HOURS, Cause.STOPPED})


def edit(incident: Incident, fields: Mapping[str, Any], now: datetime, *, by: Actor, expected_rev: int | None) -> None:
    """Change what is given of `title severity tags assignee_id`.

    Raises `RevMismatch`, `InvalidTransition` when it is resolved, and `ValidationFailed` for an assignee who is no
    member of the workspace: a stranger and nobody are one answer.
    """
    assignee = fields.get("assignee_id")
    if assignee is not None and not board.is_member(incident.workspace_id, assignee):
        raise ValidationFailed(errors=[Fault("/assigneeId", "No member of this workspace.")])
    wanted = Edit(
        title=fields.get("title"),
        severity=fields.get("severity"),
        tags=tuple(fields["tags"]) if "tags" in fields else None,
        assigns="assignee_id" in fields,
        assignee_id=assignee,
    )

    def once() -> None:
        with work() as done:
            incidents.edit(incident.id, wanted, now, done, by=by, expected_rev=expected_rev)

    persistently(once)


def add_note(incident: Incident, text: str, now: datetime, *, by: Actor) -> TimelineEntry:
    """Add a note to the timeline; keys of ours in it are redacted as in an event."""

    def once() -> UUID:
        with work() as done:
            return incidents.note(incident.id, redact(text), now, done, by=by)

    return board.entry(persistently(once))


def counts(workspace_ids: Sequence[UUID]) -> dict[str, Any]:
    """How many unresolved incidents there are: in all, by state, by severity, and of the open ones by severity."""
    found = board.unresolved(workspace_ids)
    by_state = dict.fromkeys(("open", "acknowledged", "snoozed", "silenced"), 0)
    by_severity: dict[str, int] = {str(severity): 0 for severity in reversed(Severity)}
    open_by_severity = dict(by_severity)
    for state, severity, number in found:
        by_state[state] += number
        by_severity[severity] += number
        if state == "open":
            open_by_severity[severity] += number
    return {
        "unresolved": sum(by_state.values()),
        "by_state": by_state,
        "by_severity": by_severity,
        "open_by_severity": open_by_severity,
    }


def explained(incident: Incident, ids: Sequence[UUID]) -> list[dict[str, Any]]:
    """These events and notices of the incident, each with what was decided and why, in the order of `ids`."""
    events = board.events(incident.workspace_id, ids)
    notices = board.notices(incident.workspace_id, ids)
    return [_of_event(events[id]) if id in events else _of_notice(notices[id]) for id in ids]


def _of_event(event: Event) -> dict[str, Any]:
    routing = event.routing or {}
    return {
        "kind": "event",
        "at": event.received_at,
        "event_id": event.id,
        "title": event.title,
        "severity": event.severity,
        "words": explanation.of_event(event.disposition, routing.get("act"), routing.get("reason")),
        "routing": event.routing,
    }


def _of_notice(notice: Notice) -> dict[str, Any]:
    return {
        "kind": "notice",
        "at": notice.created_at,
        "notice_id": notice.id,
        "event_id": notice.event_id,
        "seq": notice.seq,
        "reason": notice.reason,
        "words": _outcome(notice),
        "decisions": [_of_destination(each) for each in notice.decisions],
    }


def _of_destination(decision: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "destination_id": decision["destinationId"],
        "name": decision["name"],
        "decision": decision["decision"],
        "words": explanation.of_decision(decision["decision"]),
        **{name: decision[name] for name in ("until", "because") if name in decision},
    }


def _outcome(notice: Notice) -> str:
    if not notice.decisions:
        return explanation.NOBODY
    if "because" in notice.decisions[0]:
        return explanation.of_fallback(notice.decisions[0]["because"])
    sent, held = (sum(each["decision"] in causes for each in notice.decisions) for causes in (SENT, HELD))
    later = f", and held for {held}" if held else ""
    return f"It is sent to {sent} of {len(notice.decisions)} destinations{later}."
