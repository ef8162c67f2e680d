"""What an event does to the incident of its fingerprint: opens, repeats, worsens, reopens or resolves it.

Specification 3.3.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain import flapping
from inbox.domain.incident import FRESH, Actor, Escalation, Incident, changed, flipped, opened_again, over
from inbox.domain.moves import (
    BIRTHS,
    MOVES,
    OPEN,
    RECOVER,
    RESOLVED,
    SILENCED,
    SNOOZED,
    TRIGGER,
    Act,
    Condition,
    Reason,
)
from inbox.domain.severity import Severity
from inbox.domain.word import Word


class Disposition(Word):
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


OPENED, UPDATED, ALWAYS = Disposition.OPENED, Disposition.UPDATED, Condition.ALWAYS
"""By names of their own, as in `moves`."""


class Policy(NamedTuple):
    """How long is long: after `reoccur_quiet` a repeat is told, within `reopen_window` (0: never) it is reopened."""

    reoccur_quiet: timedelta = timedelta(minutes=15)
    reopen_window: timedelta = timedelta(minutes=60)

    @classmethod
    def of_minutes(cls, reoccur_quiet: int, reopen_window: int) -> Policy:
        """From a workspace's `reoccurQuietMinutes` and `reopenWindowMinutes`."""
        return cls(timedelta(minutes=reoccur_quiet), timedelta(minutes=reopen_window))


class Occurrence(NamedTuple):
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


class Outcome(NamedTuple):
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
    event: Occurrence,
    now: datetime,
    policy: Policy,
    *,
    silenced_by: UUID | None = None,
    snooze: timedelta | None = None,
) -> Outcome:
    """What an event that is routed to an incident does, given the newest incident of its fingerprint.

    `silenced_by` is a silence that matches a new or reopened incident, `snooze` for how long a rule puts such a one off.
    Later events take the outcome's incident.
    """
    before = incident
    if incident is not None and incident.flapping and flapping.is_over(incident.flips, event.at):
        incident = changed(incident, flapping=False)
    if event.recovers:
        return _recover(incident, event, now)
    if incident is None or incident.state is RESOLVED:
        return _open(incident, event, policy, _beginning(now, silenced_by, snooze))
    if event.severity is not incident.severity and event.severity.rank > incident.severity.rank:
        return _worsen(incident, event)
    return _repeat(incident if before is None else before, event, policy)


def _repeat(incident: Incident, event: Occurrence, policy: Policy) -> Outcome:
    """A repeat never ends flapping: its timer does, which also notifies that the incident is still open."""
    move = MOVES[incident.state, TRIGGER]
    told = move.only is ALWAYS or _is_news(incident, event, policy)
    seen = changed(incident, **_seen(incident, event))
    return Outcome(UPDATED, TRIGGER, seen, move.notice if told else None)


def _is_news(incident: Incident, event: Occurrence, policy: Policy) -> bool:
    """Whether a repeat comes after a quiet while. One that had to wait to be routed is none any more when it was received
    before the incident was last told: of a backlog of repeats one is told, not each. With a quiet while of zero each
    repeat is notified, whether it waited or not."""
    if not policy.reoccur_quiet:
        return True
    was_quiet = event.at - incident.last_seen_at >= policy.reoccur_quiet
    return was_quiet and (incident.told_at is None or event.at >= incident.told_at)


def _recover(incident: Incident | None, event: Occurrence, now: datetime) -> Outcome:
    move = MOVES.get((incident.state, RECOVER)) if incident else None
    if incident is None or move is None:
        return Outcome(Disposition.UNMATCHED, Act.RECOVER)
    flips, reason = flipped(incident, RESOLVED, event.at, move.notice)
    ended = changed(incident, state=RESOLVED, **over(now, event.by), **_seen(incident, event), **flips)
    return Outcome(Disposition.RESOLVED, RECOVER, ended, reason)


class _Beginning(NamedTuple):
    """In which state something opens at `now`, under a silence or put off, and what that state needs."""

    act: Act
    now: datetime
    values: dict[str, Any]


def _beginning(now: datetime, silenced_by: UUID | None, snooze: timedelta | None) -> _Beginning:
    until = None if snooze is None else now + snooze
    awake = OPEN if until is None else SNOOZED
    if silenced_by is not None:
        kept = {"state": SILENCED, "state_before": awake, "silenced_by": silenced_by, "snoozed_until": until}
        return _Beginning(Act.TRIGGER_SILENCED, now, kept)
    return _Beginning(TRIGGER if until is None else Act.TRIGGER_SNOOZED, now, {"state": awake, "snoozed_until": until})


def _open(incident: Incident | None, event: Occurrence, policy: Policy, beginning: _Beginning) -> Outcome:
    if incident is not None and reopens(incident, event, policy):
        return _open_again(incident, event, beginning)
    values, reason = beginning.values, BIRTHS[beginning.act].notice
    if incident is not None:
        flips, reason = flipped(incident, values["state"], event.at, reason)
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
    return Outcome(OPENED, beginning.act, opened, reason, is_new=True, follows=incident is not None)


def reopens(incident: Incident, event: Occurrence, policy: Policy) -> bool:
    """Whether an event opens a resolved incident again: it ended so short a time ago that it is the same trouble.

    What an event ended did so when that was received.
    """
    ended_by_event = incident.resolved_by is not None and incident.resolved_by.type == "event"
    ended_at = incident.last_seen_at if ended_by_event else incident.resolved_at or incident.last_seen_at
    return bool(policy.reopen_window) and event.at - ended_at <= policy.reopen_window


def _open_again(incident: Incident, event: Occurrence, beginning: _Beginning) -> Outcome:
    notice = MOVES[RESOLVED, beginning.act].notice
    flips, reason = flipped(incident, beginning.values["state"], event.at, notice)
    values = {**_seen(incident, event), **opened_again(incident, beginning.now), **beginning.values, **flips}
    again = changed(incident, severity=event.severity, **values)
    return Outcome(OPENED, beginning.act, again, reason)


def _worsen(incident: Incident, event: Occurrence) -> Outcome:
    move = MOVES[incident.state, Act.TRIGGER_HIGHER]
    worse = changed(incident, severity=event.severity, **_seen(incident, event), **FRESH)
    escalation = Escalation("severity", incident.severity, event.severity)
    if incident.state is SILENCED:
        # What is kept would itself have opened: whoever took the lesser trouble has not taken this one.
        worse = changed(worse, state_before=OPEN)
    else:
        worse = changed(worse, state=OPEN)
    return Outcome(Disposition.UPDATED, Act.TRIGGER_HIGHER, worse, move.notice, escalation)


def _seen(incident: Incident, event: Occurrence) -> dict[str, Any]:
    return {
        "event_count": incident.event_count + event.counts,
        "last_severity": event.severity,
        "last_seen_at": max(event.at, incident.last_seen_at),
    }
