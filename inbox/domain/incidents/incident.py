"""The acts of people and timers on an incident: an act in, changed values and a notice out (specification 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain.incidents import flapping
from inbox.domain.incidents.alerts import NO_ALERTS, AlertCounts
from inbox.domain.incidents.last_step import LastStep
from inbox.domain.incidents.silence_end import is_known
from inbox.domain.incidents.state_machine import (
    INITIAL_TRANSITIONS,
    TRANSITIONS,
    UNRESOLVED,
    Act,
    NoChange,
    NoticeCondition,
    Reason,
    State,
    Transition,
    TransitionRefused,
    lookup,
)
from inbox.domain.values.severity import Severity

__all__ = [
    "CLEARED", "INITIAL_TRANSITIONS", "NO_ARGUMENTS", "TRANSITIONS", "UNRESOLVED", "Act", "ActArguments", "Actor",
    "ActorType", "Escalation", "Incident", "NoChange", "NoticeCondition", "Reason", "State", "Transition",
    "TransitionRefused", "Transitioned", "apply_act", "lookup", "record_state_change", "reopen_values", "replace_fast",
    "resolve_values",
]  # fmt: skip

SNOOZE_LIMIT = timedelta(days=30)
"""The longest snooze. The caller refuses a longer one before `apply_act` (specification 3.4)."""

EVENT_ACTS = frozenset(
    {Act.TRIGGER, Act.TRIGGER_HIGHER, Act.TRIGGER_SILENCED, Act.TRIGGER_SNOOZED, Act.NOTIFY, Act.RECOVER}
) | {Act.JOIN, Act.ALERT_ENDS}
"""The acts that only an event causes."""

STATE_CHANGING_ACTS = frozenset({Act.RESOLVE, Act.AUTO_RESOLVE, Act.REOPEN})
"""The acts that change between open and resolved without an event."""

CLEARING_ACTS = frozenset({Act.UNACKNOWLEDGE, Act.ACK_TIMEOUT, Act.SNOOZE_ENDS, Act.UNSNOOZE})
"""The acts that end an acknowledgement or a snooze, and change nothing else."""

CLEARED: dict[str, Any] = {"acknowledged_at": None, "acknowledged_by": None, "snoozed_until": None}
"""The values of an incident without acknowledgement and snooze."""


class ActorType(StrEnum):
    """The kind of an actor."""

    USER = "user"
    """A person."""

    EVENT = "event"
    """An event of a source."""

    TIMER = "timer"
    """A timer of the service."""

    SILENCE = "silence"
    """The beginning or the end of a silence."""

    MONITOR = "monitor"
    """A heartbeat monitor."""

    DESTINATION = "destination"
    """An action link in a message."""

    SYSTEM = "system"
    """The service itself."""


OF_PEOPLE = frozenset({ActorType.USER, ActorType.DESTINATION})
"""The actors that represent a person: signed in, or with an action link."""


class Actor(NamedTuple):
    """The actor of a change: `type` is an `ActorType`, `id` a TypeID or empty."""

    type: str
    id: str = ""
    name: str = ""

    def record(self) -> dict[str, str]:
        """Returns the actor as JSON: `{type, id, name}`."""
        return {"type": self.type, "id": self.id, "name": self.name}


class Escalation(NamedTuple):
    """A raised value. `kind` is `severity` (names of severities) or `step` (numbers of the profile's steps, from 1)."""

    kind: str
    before: str | int
    after: str | int

    def record(self) -> dict[str, Any]:
        """Returns the escalation as JSON: `data.escalation {kind, from, to}`."""
        return {"kind": self.kind, "from": self.before, "to": self.after}


class Incident(NamedTuple):
    """The values of an incident that transitions change. Its title, source and other descriptions are not among them.

    `severity` is the highest since the incident last opened, `last_severity` the newest event's. `state_before` is the
    state before a silence. Seen times are times of receipt. `flips` are the latest changes between open and resolved.
    `steps_taken` and `renotified` count due steps and reminders since the incident last opened. `held_until` is the time
    of the first step, from which the others are timed (`notification_plan`). The last notice that alerted people had
    `notified_severity`.
    """

    state: State
    severity: Severity
    last_severity: Severity
    first_seen_at: datetime
    last_seen_at: datetime
    opened_at: datetime
    event_count: int = 1
    reopen_count: int = 0
    state_before: State | None = None
    silenced_by: UUID | None = None
    acknowledged_at: datetime | None = None
    acknowledged_by: UUID | None = None
    snoozed_until: datetime | None = None
    resolved_at: datetime | None = None
    resolved_by: Actor | None = None
    flapping: bool = False
    flips: tuple[datetime, ...] = ()
    steps_taken: int = 0
    renotified: int = 0
    notified_at: datetime | None = None
    held_until: datetime | None = None
    notified_severity: Severity | None = None
    last_step: LastStep | None = None
    alerts: AlertCounts = NO_ALERTS


_FIELD_INDEXES = {name: place for place, name in enumerate(Incident._fields)}


def replace_fast(incident: Incident, **values: Any) -> Incident:
    """Does the same as `_replace`, but faster: every event changes an incident at least once."""
    after = [*incident]
    for name, value in values.items():
        after[_FIELD_INDEXES[name]] = value
    return Incident._make(after)


class Transitioned(NamedTuple):
    """A completed act: the changed incident and the notice that follows, if any."""

    act: Act
    incident: Incident
    reason: Reason | None = None
    escalation: Escalation | None = None


@dataclass(frozen=True, slots=True)
class ActArguments:
    """The arguments of an act; each act reads its own.

    `by` is the actor who resolves, and `person` is the user who acknowledges. `until` is the end of a snooze (later
    than `now`). `silence` is the silence that begins, and `severity` is an edited severity. `steps` are the previous
    step of the profile and the due one. `has_unsent`: a held alert was skipped because of the silence that ends.
    """

    by: Actor | None = None
    person: UUID | None = None
    until: datetime | None = None
    silence: UUID | None = None
    severity: Severity | None = None
    steps: tuple[int, int] | None = None
    has_unsent: bool = False


NO_ARGUMENTS = ActArguments()


def apply_act(
    incident: Incident, act: Act, now: datetime, arguments: ActArguments = NO_ARGUMENTS
) -> Transitioned | NoChange | TransitionRefused:
    """Applies one act other than an event (`event_transition.on_event` applies events). The caller writes the result."""
    if act in EVENT_ACTS or (act is Act.SNOOZE and arguments.until is None):
        raise ValueError(f"{act} goes through event_transition.on_event, or lacks its time")
    transition = lookup(incident.state, act)
    if not isinstance(transition, Transition):
        return transition
    if act is Act.RENOTIFY_DUE:
        return Transitioned(act, replace_fast(incident, renotified=incident.renotified + 1), transition.notice)
    if act is Act.SILENCE_ENDS:
        return _unsilenced(incident, now, has_unsent=arguments.has_unsent)
    if act is Act.FLAPPING_ENDS:
        return _flapping_ended(incident, transition, now)
    if act is Act.SNOOZE and arguments.until == incident.snoozed_until:
        return NoChange()
    state, reason = transition.to or incident.state, transition.notice
    changes = _changes(incident, act, now, arguments)
    if act in STATE_CHANGING_ACTS:
        flips, reason = record_state_change(incident, state, now, reason)
        changes = {**changes, **flips}
    after = replace_fast(incident, state=state, **changes)
    return Transitioned(act, after, reason, _escalation(incident, after, act, arguments.steps))


def _changes(incident: Incident, act: Act, now: datetime, arguments: ActArguments) -> dict[str, Any]:
    match act:
        case Act.ACKNOWLEDGE:
            return CLEARED | {"acknowledged_at": now, "acknowledged_by": arguments.person}
        case Act.SNOOZE:
            return {"snoozed_until": arguments.until}
        case Act.SILENCE_BEGINS:
            return {"state_before": incident.state, "silenced_by": arguments.silence}
        case Act.RESOLVE | Act.AUTO_RESOLVE:
            return resolve_values(now, arguments.by)
        case Act.REOPEN:
            return reopen_values(incident, now)
        case Act.EDIT | Act.EDIT_HIGHER if arguments.severity:
            return {"severity": arguments.severity}
        case Act.MEMBER_LEFT:
            return _released(incident)
        case _:
            return CLEARED if act in CLEARING_ACTS else {}


def _escalation(before: Incident, after: Incident, act: Act, steps: tuple[int, int] | None) -> Escalation | None:
    if act is Act.EDIT_HIGHER:
        return Escalation("severity", before.severity, after.severity)
    return Escalation("step", *steps) if steps else None


def _released(incident: Incident) -> dict[str, Any]:
    """Returns the changes after the person who acknowledged the incident left. Under a silence they are news at its end."""
    released: dict[str, Any] = {"acknowledged_at": None, "acknowledged_by": None}
    is_silenced = incident.state_before is State.ACKNOWLEDGED
    return released | ({"state_before": State.OPEN, "notified_severity": None} if is_silenced else {})


def _unsilenced(incident: Incident, now: datetime, *, has_unsent: bool) -> Transitioned:
    previous = incident.state_before or State.OPEN
    after = replace_fast(incident, state=previous, state_before=None, silenced_by=None)
    is_news = has_unsent or not is_known(incident)
    if previous is State.SNOOZED and incident.snoozed_until is not None and incident.snoozed_until <= now:
        after, is_news = replace_fast(after, state=State.OPEN, **CLEARED), True
    reason = Reason.SILENCE_EXPIRED if after.state is State.OPEN and is_news else None
    return Transitioned(Act.SILENCE_ENDS, after, reason)


def _flapping_ended(incident: Incident, transition: Transition, now: datetime) -> Transitioned | NoChange:
    if not incident.flapping or not flapping.is_over(incident.flips, now):
        return NoChange()
    is_first = transition.condition is NoticeCondition.FIRST and incident.notified_at is None
    reason = Reason.OPENED if is_first else transition.notice
    return Transitioned(Act.FLAPPING_ENDS, replace_fast(incident, flapping=False, flips=()), reason)


def record_state_change(
    before: Incident, state: State, at: datetime, notice: Reason | None
) -> tuple[dict[str, Any], Reason | None]:
    """Returns the changes, except `state`, of one more change between open and resolved, and the reason of its notice.

    The reason is `flapping` when flapping begins. Under a silence the start of flapping causes no notice. While the
    incident flaps, `suppression.suppression_cause` withholds notices.
    """
    flips, is_flapping, begins = flapping.record_change(before.flips, at, flapping=before.flapping)
    notifies = begins and notice is not None and State.SILENCED not in (before.state, state)
    return {"flips": flips, "flapping": is_flapping}, Reason.FLAPPING if notifies else notice


def resolve_values(now: datetime, by: Actor | None) -> dict[str, Any]:
    """Returns the changes, except the state, of a resolution. The acknowledgement remains for statistics."""
    return {"resolved_at": now, "resolved_by": by, "snoozed_until": None, "silenced_by": None, "state_before": None}


def reopen_values(incident: Incident, now: datetime) -> dict[str, Any]:
    """Returns the changes, except the state, when a resolved incident reopens: its profile restarts."""
    reopened = {"opened_at": now, "reopen_count": incident.reopen_count + 1, "resolved_at": None, "resolved_by": None}
    return CLEARED | reopened | {"steps_taken": 0, "last_step": None, "renotified": 0, "held_until": None}
