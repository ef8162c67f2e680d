"""Undo of an act: the act's stored changes, and the incident without them unless later acts touched them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.domain.incidents.incident import Actor, Incident
from inbox.domain.incidents.last_step import LastStep
from inbox.domain.incidents.state_machine import Reason, State
from inbox.domain.values.severity import Severity

WINDOW = timedelta(seconds=10)
"""The time in which an act can be undone."""

MOMENTS = frozenset({"acknowledged_at", "snoozed_until", "resolved_at", "opened_at", "held_until"})
PEOPLE = frozenset({"silenced_by", "acknowledged_by"})
STATES = frozenset({"state", "state_before"})
COUNTS = frozenset({"reopen_count", "flapping", "steps_taken", "renotified"})
REVERTED_FIELDS = tuple(sorted(MOMENTS | PEOPLE | STATES | COUNTS | {"severity", "resolved_by", "flips", "last_step"}))
"""The fields that acts change. Counts of events (`event_count`, `last_seen_at`) and records of notices are never reverted."""

Change = Mapping[str, Any]
"""JSON: `[before, after]` for each changed field, by its name."""


def change(before: Incident, after: Incident) -> dict[str, Any]:
    """Returns the fields that an act changed."""
    pairs = {name: [_encoded(getattr(before, name)), _encoded(getattr(after, name))] for name in REVERTED_FIELDS}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def reverted(incident: Incident, changed: Change) -> Incident | None:
    """Returns the incident with the values from before the act; None when one of them has changed since the act.

    Repeats counted since the act stay counted and do not prevent the undo.
    """
    act_changes = {name: pair for name, pair in changed.items() if name in REVERTED_FIELDS}
    if any(_encoded(getattr(incident, name)) != after for name, (_, after) in act_changes.items()):
        return None
    return incident._replace(**{name: _read(name, before) for name, (before, _) in act_changes.items()})


def correction_reason(state: State, previous_state: State) -> Reason:
    """Returns the reason of the notice to destinations that were notified of the act.

    It is `resolved` when the undo resolves the incident again, `reopened` when it reopens it, and `updated` otherwise.
    """
    if (state is State.RESOLVED) == (previous_state is State.RESOLVED):
        return Reason.UPDATED
    return Reason.RESOLVED if state is State.RESOLVED else Reason.REOPENED


def fields(changed: Change) -> tuple[str, ...]:
    """Returns the API names of the fields that the act changed and a person can set."""
    return tuple(_FIELDS[name] for name in sorted(changed) if name in _FIELDS)


_FIELDS = {
    "assignee_id": "assigneeId",
    "severity": "severity",
    "snoozed_until": "snoozedUntil",
    "state": "state",
    "tags": "tags",
    "title": "title",
}


def _encoded(value: Any) -> Any:
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat()
        case UUID():
            return str(value)
        case Actor():
            return value.record()
        case tuple():
            return [_encoded(each) for each in value]
        case str():
            return str(value)
        case _:
            return value


def _read(name: str, value: Any) -> Any:
    if value is None or name in COUNTS:
        return value
    if name in MOMENTS:
        return datetime.fromisoformat(value)
    if name in PEOPLE:
        return UUID(value)
    if name in STATES:
        return State(value)
    if name == "severity":
        return Severity(value)
    if name == "resolved_by":
        return Actor(**value)
    if name == "last_step":
        return LastStep(*value)
    return tuple(datetime.fromisoformat(each) for each in value)
