"""What an event does to the incident of its fingerprint: opens, repeats, worsens, reopens or resolves it.

Specification 3.3.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain import flapping
from inbox.domain.enums import FastStrEnum
from inbox.domain.incident import (
    CLEARED,
    Actor,
    Escalation,
    Incident,
    record_state_change,
    reopen_values,
    replace_fast,
    resolve_values,
)
from inbox.domain.severity import Severity
from inbox.domain.state_machine import (
    INITIAL_TRANSITIONS,
    OPEN,
    RECOVER,
    RESOLVED,
    SILENCED,
    SNOOZED,
    TRANSITIONS,
    TRIGGER,
    Act,
    NoticeCondition,
    Reason,
)


class Disposition(FastStrEnum):
    """What became of an event (specification 4.9)."""

    PENDING = "pending"
    """Accepted and not routed yet."""

    LOGGED = "logged"
    """Stored only: its severity, or the rule that decided, wants no incident."""

    OPENED = "opened"
    """It opened an incident, or reopened one."""

    UPDATED = "updated"
    """It was counted to an unresolved incident, whether that was told or not."""

    RESOLVED = "resolved"
    """It resolved an incident."""

    UNMATCHED = "unmatched"
    """It was to resolve an incident, and none was unresolved."""

    WAITING = "waiting"
    """A rule waits for more events like it before an incident opens."""

    NOTIFIED = "notified"
    """It was told without an incident."""

    DROPPED = "dropped"
    """A rule threw it away; it is kept as a record."""


OPENED, UPDATED, ALWAYS = Disposition.OPENED, Disposition.UPDATED, NoticeCondition.ALWAYS
"""By names of their own, as in `moves`."""


class ReopenPolicy(NamedTuple):
    """How long is long: after `reoccur_quiet` a repeat is told, within `reopen_window` (0: never) it is reopened."""

    reoccur_quiet: timedelta = timedelta(minutes=15)
    reopen_window: timedelta = timedelta(minutes=60)

    @classmethod
    def of_minutes(cls, reoccur_quiet: int, reopen_window: int) -> ReopenPolicy:
        """From a workspace's `reoccurQuietMinutes` and `reopenWindowMinutes`."""
        return cls(timedelta(minutes=reoccur_quiet), timedelta(minutes=reopen_window))


class EventEffect(NamedTuple):
    """What an event means to the incident of its fingerprint. `at` is when it was received.

    `since` is when the first of those was received that a rule held back until now, which `counts` with it. An event is
    counted to one incident, however many it resolves.
    """

    severity: Severity
    at: datetime
    recovers: bool = False
    by: Actor | None = None
    since: datetime | None = None
    counts: int = 1


class EventTransition(NamedTuple):
    """What an event did. `incident` is `None` when there is none; `is_new` wants a new row, and `follows` says that it
    is related to the resolved one that was given."""

    disposition: Disposition
    act: Act
    incident: Incident | None = None
    reason: Reason | None = None
    escalation: Escalation | None = None
    is_new: bool = False
    follows: bool = False


def on_event(
    incident: Incident | None,
    event: EventEffect,
    now: datetime,
    policy: ReopenPolicy,
    *,
    silenced_by: UUID | None = None,
    snooze: timedelta | None = None,
) -> EventTransition:
    """What an event that is routed to an incident does, given the newest incident of its fingerprint.

    `silenced_by` is a silence that matches a new or reopened incident, `snooze` for how long a rule puts such a one off.
    Later events take the outcome's incident.
    """
    before = incident
    if incident is not None and incident.flapping and flapping.is_over(incident.flips, event.at):
        incident = replace_fast(incident, flapping=False)
    if event.recovers:
        return _recover(incident, event, now)
    if incident is None or incident.state is RESOLVED:
        return _open(incident, event, policy, _initial_state(now, silenced_by, snooze))
    if event.severity is not incident.severity and event.severity.rank > incident.severity.rank:
        return _escalate(incident, event)
    return _repeat(incident if before is None else before, event, policy)


def _repeat(incident: Incident, event: EventEffect, policy: ReopenPolicy) -> EventTransition:
    """A repeat never ends flapping: its timer does, which also notifies that the incident is still open."""
    move = TRANSITIONS[incident.state, TRIGGER]
    told = move.only is ALWAYS or _notifies(incident, event, policy)
    seen = replace_fast(incident, **_seen(incident, event))
    return EventTransition(UPDATED, TRIGGER, seen, move.notice if told else None)


def _notifies(incident: Incident, event: EventEffect, policy: ReopenPolicy) -> bool:
    """Whether a repeat comes after a quiet while. One that had to wait to be routed is none any more when it was received
    before the incident was last told: of a backlog of repeats one is told, not each. With a quiet while of zero each
    repeat is notified, whether it waited or not."""
    if not policy.reoccur_quiet:
        return True
    was_quiet = event.at - incident.last_seen_at >= policy.reoccur_quiet
    return was_quiet and (incident.told_at is None or event.at >= incident.told_at)


def _recover(incident: Incident | None, event: EventEffect, now: datetime) -> EventTransition:
    move = TRANSITIONS.get((incident.state, RECOVER)) if incident else None
    if incident is None or move is None:
        return EventTransition(Disposition.UNMATCHED, Act.RECOVER)
    flips, reason = record_state_change(incident, RESOLVED, event.at, move.notice)
    ended = replace_fast(incident, state=RESOLVED, **resolve_values(now, event.by), **_seen(incident, event), **flips)
    return EventTransition(Disposition.RESOLVED, RECOVER, ended, reason)


class _InitialState(NamedTuple):
    """In which state something opens at `now`, under a silence or put off, and what that state needs."""

    act: Act
    now: datetime
    values: dict[str, Any]


def _initial_state(now: datetime, silenced_by: UUID | None, snooze: timedelta | None) -> _InitialState:
    until = None if snooze is None else now + snooze
    awake = OPEN if until is None else SNOOZED
    if silenced_by is not None:
        kept = {"state": SILENCED, "state_before": awake, "silenced_by": silenced_by, "snoozed_until": until}
        return _InitialState(Act.TRIGGER_SILENCED, now, kept)
    return _InitialState(
        TRIGGER if until is None else Act.TRIGGER_SNOOZED, now, {"state": awake, "snoozed_until": until}
    )


def _open(
    incident: Incident | None, event: EventEffect, policy: ReopenPolicy, beginning: _InitialState
) -> EventTransition:
    if incident is not None and reopens(incident, event, policy):
        return _reopen(incident, event, beginning)
    values, reason = beginning.values, INITIAL_TRANSITIONS[beginning.act].notice
    if incident is not None:
        flips, reason = record_state_change(incident, values["state"], event.at, reason)
        values |= flips | {"told_severity": incident.told_severity}
    opened = Incident(
        severity=event.severity,
        last_severity=event.severity,
        first_seen_at=event.since or event.at,
        last_seen_at=event.at,
        opened_at=beginning.now,
        event_count=event.counts,
        **values,
    )
    return EventTransition(OPENED, beginning.act, opened, reason, is_new=True, follows=incident is not None)


def reopens(incident: Incident, event: EventEffect, policy: ReopenPolicy) -> bool:
    """Whether an event opens a resolved incident again: it ended so short a time ago that it is the same trouble.

    What an event ended did so when that was received.
    """
    ended_by_event = incident.resolved_by is not None and incident.resolved_by.type == "event"
    ended_at = incident.last_seen_at if ended_by_event else incident.resolved_at or incident.last_seen_at
    return bool(policy.reopen_window) and event.at - ended_at <= policy.reopen_window


def _reopen(incident: Incident, event: EventEffect, beginning: _InitialState) -> EventTransition:
    notice = TRANSITIONS[RESOLVED, beginning.act].notice
    flips, reason = record_state_change(incident, beginning.values["state"], event.at, notice)
    values = {**_seen(incident, event), **reopen_values(incident, beginning.now), **beginning.values, **flips}
    again = replace_fast(incident, severity=event.severity, **values)
    return EventTransition(OPENED, beginning.act, again, reason)


def _escalate(incident: Incident, event: EventEffect) -> EventTransition:
    move = TRANSITIONS[incident.state, Act.TRIGGER_HIGHER]
    worse = replace_fast(incident, severity=event.severity, **_seen(incident, event), **CLEARED)
    escalation = Escalation("severity", incident.severity, event.severity)
    if incident.state is SILENCED:
        # What is kept would itself have opened: whoever took the lesser trouble has not taken this one.
        worse = replace_fast(worse, state_before=OPEN)
    else:
        worse = replace_fast(worse, state=OPEN)
    return EventTransition(Disposition.UPDATED, Act.TRIGGER_HIGHER, worse, move.notice, escalation)


def _seen(incident: Incident, event: EventEffect) -> dict[str, Any]:
    return {
        "event_count": incident.event_count + event.counts,
        "last_severity": event.severity,
        "last_seen_at": max(event.at, incident.last_seen_at),
    }
