"""Sentences for previews: the recipients of a notice, and the result of a rule for an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inbox.domain.deliveries.notices import Cause
from inbox.domain.explaining import formatting
from inbox.domain.explaining.event_text import clauses
from inbox.domain.explaining.recipient_text import DestinationDecision, TextContext, skip_reason
from inbox.domain.incidents.state_machine import Reason

_IMMEDIATE = frozenset({Cause.NOTIFY, Cause.MAILED})

_REASON_TEXT: Mapping[Reason, str] = {
    Reason.OPENED: "The incident opens.",
    Reason.REOPENED: "The incident reopens.",
    Reason.RESOLVED: "The incident is resolved.",
    Reason.RENOTIFY: "Reminder: the incident is still open.",
    Reason.FALLBACK: "No other destination could be notified.",
    Reason.INFORMATIONAL: "Information only, no incident.",
}


def of_destination(one: DestinationDecision, context: TextContext) -> str:
    """Returns the decision for a destination, and its cause: `Pager would be notified.`"""
    match one.cause:
        case Cause.NOTIFY:
            return f"{one.name} would be notified."
        case Cause.MAILED:
            return "The owners would be notified by email."
        case Cause.QUIET_HOURS:
            until = f", at {context.clock(one.until)}" if one.until else ""
            return f"{one.name} would be notified after the quiet hours{until}."
        case Cause.DIGEST:
            return (
                f"{one.name} would be notified with the digest{f' of {context.clock(one.until)}' if one.until else ''}."
            )
        case Cause.STOPPED:
            return f"{one.name} would be notified when it resumes; it is stopped now."
        case Cause.DISABLED:
            return f"{one.name} would not be notified: it is disabled."
        case Cause.SILENCED:
            return f"{one.name} would not be notified: a silence covers it."
        case _:
            return f"{one.name} would not be notified: {skip_reason(one, context)}."


def of_notice(reason: Reason, decisions: Sequence[DestinationDecision], context: TextContext) -> str:
    """Returns the content of a notice, and its recipients: immediate, deferred and skipped."""
    what = (
        f"Step {context.step} is due."
        if context.step is not None and reason is Reason.ESCALATED
        else _REASON_TEXT.get(reason, "")
    )
    if not decisions:
        return f"{what} Nobody would be notified: no destination is set.".strip()
    now = [one.name for one in decisions if one.cause in _IMMEDIATE]
    later = [one.name for one in decisions if one.cause in (Cause.QUIET_HOURS, Cause.DIGEST, Cause.STOPPED)]
    others = [one.name for one in decisions if one.cause not in _IMMEDIATE and one.name not in later]
    parts = {"Notified": now, "Notified later": later, "Not notified": others}
    return " ".join([what, *(f"{word}: {formatting.names(names)}." for word, names in parts.items() if names)]).strip()


def of_rule(name: str, result: str, clause_records: Sequence[Mapping[str, Any]]) -> str:
    """Returns the result of a rule for one event; `found` are all clauses of its match."""
    matched_clauses = ", ".join(clauses([each for each in clause_records if each["matched"]])) or "any event"
    failed_clauses = ", ".join(clauses([each for each in clause_records if not each["matched"]]))
    match result:
        case "decided":
            return f'Rule "{name}" matches and decides: {matched_clauses}.'
        case "matched":
            return f'Rule "{name}" matches and continues to the next rule: {matched_clauses}.'
        case "no_match":
            return f'Rule "{name}" does not match. Not met: {failed_clauses or "one of its clauses"}.'
        case _:
            return f'Rule "{name}" {_RESULT_TEXT[result]}.'


_RESULT_TEXT: Mapping[str, str] = {
    "other_source": "applies to other sources only",
    "outside_hours": "is not active at this time",
    "not_evaluated": "is not evaluated: an earlier rule decided",
    "disabled": "is disabled",
    "too_costly": "costs too much for this event; compare fewer values with body, tags and metadata, or use simpler patterns",
    "invalid": "cannot be evaluated; see the server log",
}


def of_preview(events: int, matched: int, changed: int, notices: tuple[int, int]) -> str:
    """Returns the totals of a preview of rules.

    For example: `412 of 25,400 events match. 12 events would have a different outcome. …`
    """
    before, after = notices
    verb = "matches" if events == 1 else "match"
    return (
        f"{matched:,} of {events:,} {_events(events)} {verb}. {changed:,} {_events(changed)} would have a different outcome."
        f" Notifications: {after:,} instead of {before:,}."
    )


def of_evaluation(name: str, matched: int, preempted: int) -> str:
    """Returns the number of events that a rule matches, and how many of them an earlier rule decides."""
    sentence = f'Rule "{name}" matches {matched:,} {_events(matched)}'
    return f"{sentence}; an earlier rule decides {preempted:,} of them." if preempted else f"{sentence}."


def of_silence(count: int, *, complete: bool) -> str:
    """Returns the number of incidents that a silence would cover now."""
    least = "" if complete else "at least "
    return f"The silence would cover {least}{count:,} unresolved {'incident' if count == 1 else 'incidents'} now."


def _events(number: int) -> str:
    return "event" if number == 1 else "events"
