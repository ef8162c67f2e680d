"""What an event does to the incident of its fingerprint: opens, repeats, worsens, reopens or resolves it (decision 9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from inbox.domain.incident import FRESH, Actor, Escalation, Incident, opened_again, over
from inbox.domain.moves import BIRTHS, MOVES, Act, Condition, Reason, State
from inbox.domain.severity import Severity


class Disposition(StrEnum):
    """What became of an event (decision 7)."""

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

    SUPPRESSED = "suppressed"
    """A rule waits for more events like it before an incident opens."""

    NOTIFIED = "notified"
    """It was told without an incident."""

    DROPPED = "dropped"
    """A rule threw it away; it is kept as a record."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How long is long: after `reoccur_quiet` a repeat is told, within `reopen_window` (0: never) it is reopened."""

    reoccur_quiet: timedelta = timedelta(minutes=15)
    reopen_window: timedelta = timedelta(minutes=60)

    @classmethod
    def of_minutes(cls, reoccur_quiet: int, reopen_window: int) -> Policy:
        """From a workspace's `reoccurQuietMinutes` and `reopenWindowMinutes`."""
        return cls(timedelta(minutes=reoccur_quiet), timedelta(minutes=reopen_window))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What an event means to the incident of its fingerprint. `at` is when it was received."""

    severity: Severity
    at: datetime
    recovers: bool = False
    by: Actor | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
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
    incident: Incident | None, event: Occurrence, now: datetime, policy: Policy, *, silenced_by: UUID | None = None
) -> Outcome:
    """What an event that is routed to an incident does, given the newest incident of its fingerprint.

    `silenced_by` is a silence that matches a new or reopened incident. Later events take the outcome's incident.
    """
    if event.recovers:
        return _recover(incident, event, now)
    if incident is None:
        return _open(event, now, silenced_by, follows=False)
    if incident.state is State.RESOLVED:
        return _open_again(incident, event, now, policy, silenced_by)
    if event.severity.rank > incident.severity.rank:
        return _worsen(incident, event)
    seen = replace(
        incident,
        event_count=incident.event_count + 1,
        last_severity=event.severity,
        last_seen_at=max(event.at, incident.last_seen_at),
    )
    move = MOVES[incident.state, Act.TRIGGER]
    told = move.only is Condition.ALWAYS or event.at - incident.last_seen_at >= policy.reoccur_quiet
    return Outcome(Disposition.UPDATED, Act.TRIGGER, seen, move.notice if told else None)


def _recover(incident: Incident | None, event: Occurrence, now: datetime) -> Outcome:
    move = MOVES.get((incident.state, Act.RECOVER)) if incident else None
    if incident is None or move is None:
        return Outcome(Disposition.UNMATCHED, Act.RECOVER)
    ended = replace(incident, state=State.RESOLVED, **over(now, event.by), **_seen(incident, event))
    return Outcome(Disposition.RESOLVED, Act.RECOVER, ended, move.notice)


def _open(event: Occurrence, now: datetime, silenced_by: UUID | None, *, follows: bool) -> Outcome:
    act = Act.TRIGGER if silenced_by is None else Act.TRIGGER_SILENCED
    move = BIRTHS[act]
    opened = Incident(
        state=State.OPEN if silenced_by is None else State.SILENCED,
        severity=event.severity,
        last_severity=event.severity,
        first_seen_at=event.at,
        last_seen_at=event.at,
        opened_at=now,
        state_before=None if silenced_by is None else State.OPEN,
        silenced_by=silenced_by,
    )
    return Outcome(Disposition.OPENED, act, opened, move.notice, is_new=True, follows=follows)


def _open_again(
    incident: Incident, event: Occurrence, now: datetime, policy: Policy, silenced_by: UUID | None
) -> Outcome:
    over_for = event.at - (incident.resolved_at or incident.last_seen_at)
    if not policy.reopen_window or over_for > policy.reopen_window:
        return _open(event, now, silenced_by, follows=True)
    act = Act.TRIGGER if silenced_by is None else Act.TRIGGER_SILENCED
    move = MOVES[State.RESOLVED, act]
    again = replace(
        incident,
        state=State.OPEN if silenced_by is None else State.SILENCED,
        state_before=None if silenced_by is None else State.OPEN,
        silenced_by=silenced_by,
        severity=event.severity,
        **_seen(incident, event),
        **opened_again(incident, now),
    )
    return Outcome(Disposition.OPENED, act, again, move.notice)


def _worsen(incident: Incident, event: Occurrence) -> Outcome:
    move = MOVES[incident.state, Act.TRIGGER_HIGHER]
    worse = replace(incident, severity=event.severity, **_seen(incident, event), **FRESH)
    if incident.state is State.SILENCED:
        # What is kept would itself have opened: whoever took the lesser trouble has not taken this one.
        return Outcome(Disposition.UPDATED, Act.TRIGGER_HIGHER, replace(worse, state_before=State.OPEN))
    escalation = Escalation("severity", incident.severity, event.severity)
    opened = replace(worse, state=State.OPEN)
    return Outcome(Disposition.UPDATED, Act.TRIGGER_HIGHER, opened, move.notice, escalation)


def _seen(incident: Incident, event: Occurrence) -> dict[str, Any]:
    return {
        "event_count": incident.event_count + 1,
        "last_severity": event.severity,
        "last_seen_at": max(event.at, incident.last_seen_at),
    }
