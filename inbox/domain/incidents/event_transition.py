"""The effect of an event on the incident of its fingerprint: open, repeat, escalate, reopen or resolve.

Specification 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain.incidents import flapping
from inbox.domain.incidents.incident import (
    CLEARED,
    Actor,
    Escalation,
    Incident,
    record_state_change,
    reopen_values,
    replace_fast,
    resolve_values,
)
from inbox.domain.incidents.state_machine import (
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
from inbox.domain.values.enums import FastStrEnum
from inbox.domain.values.severity import Severity


class Disposition(FastStrEnum):
    """The outcome of routing for an event (specification 4.9)."""

    PENDING = "pending"
    """The event is accepted and not routed yet."""

    LOGGED = "logged"
    """The event is only stored: its severity or the deciding rule opens no incident."""

    OPENED = "opened"
    """The event opened or reopened an incident."""

    UPDATED = "updated"
    """The event was counted on an unresolved incident, with or without a notice."""

    RESOLVED = "resolved"
    """The event resolved an incident."""

    UNMATCHED = "unmatched"
    """The event is a recovery, and no matching incident was unresolved."""

    WAITING = "waiting"
    """A rule waits for more matching events before an incident opens."""

    NOTIFIED = "notified"
    """A notice was sent for the event without an incident."""

    DROPPED = "dropped"
    """A rule dropped the event. Its record is stored."""


OPENED, UPDATED, ALWAYS = Disposition.OPENED, Disposition.UPDATED, NoticeCondition.ALWAYS
"""Module constants, for the same reason as in `state_machine`."""


class ReopenPolicy(NamedTuple):
    """The windows for repeats and reopening.

    A repeat after `reoccur_quiet` without events causes a notice. An event within `reopen_window` after the end reopens
    the incident (0: never).
    """

    reoccur_quiet: timedelta = timedelta(minutes=15)
    reopen_window: timedelta = timedelta(minutes=60)

    @classmethod
    def of_minutes(cls, reoccur_quiet: int, reopen_window: int) -> ReopenPolicy:
        """Returns the policy of a workspace's `reoccurQuietMinutes` and `reopenWindowMinutes`."""
        return cls(timedelta(minutes=reoccur_quiet), timedelta(minutes=reopen_window))

    def for_same_alarm(self) -> ReopenPolicy:
        """Returns the policy for an event with the time of a known alarm, such as with another body.

        It did not occur again, so a quiet period before it causes no notice.
        """
        return self._replace(reoccur_quiet=timedelta.max) if self.reoccur_quiet else self

    def for_repeat(self) -> ReopenPolicy:
        """Returns the policy for a repeat: it is the same alarm, so it reopens its incident however late it comes."""
        return self._replace(reopen_window=timedelta.max) if self.reopen_window else self


class EventEffect(NamedTuple):
    """The values of an event for the incident of its fingerprint. `at` is the time of receipt.

    `since` is the time of receipt of the first event that the rule's `openAfter` counted. `counts` is the number of
    these events, including this one. An event is counted on one incident, even when it resolves several. `others_fire`:
    the recovery ends one alert, and other alerts of the incident still fire.
    """

    severity: Severity
    at: datetime
    recovers: bool = False
    by: Actor | None = None
    since: datetime | None = None
    counts: int = 1
    others_fire: bool = False


class EventTransition(NamedTuple):
    """The result of an event. `incident` is `None` when there is none.

    `is_new` requires a new row. `follows` relates the new incident to the resolved incident that the caller passed.
    """

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
    """Returns the transition that a routed event causes, from the newest incident of its fingerprint.

    `silenced_by` is a silence that matches a new or reopened incident. `snooze` is the time for which a rule snoozes
    such an incident. The caller passes the resulting incident for later events.
    """
    before = incident
    if incident is not None and incident.flapping and flapping.is_over(incident.flips, event.at):
        incident = replace_fast(incident, flapping=False, flips=())
    if event.others_fire and before is not None:
        ended = replace_fast(before, **_counted_values(before, event))
        return EventTransition(UPDATED, Act.ALERT_ENDS, ended)
    if event.recovers:
        return _recover(incident, event, now)
    if incident is None or incident.state is RESOLVED:
        act, values = _initial_state(now, silenced_by, snooze)
        return _open(incident, event, policy, act, values, now)
    if event.severity is not incident.severity and event.severity.rank > incident.severity.rank:
        return _escalate(incident, event)
    return _repeat(incident if before is None else before, event, policy)


def _repeat(incident: Incident, event: EventEffect, policy: ReopenPolicy) -> EventTransition:
    """Returns the transition of a repeat.

    A repeat never ends flapping. The flapping timer does, and it also notifies that the incident is still open.
    """
    transition = TRANSITIONS[incident.state, TRIGGER]
    notifies = transition.condition is ALWAYS or _notifies(incident, event, policy)
    counted = replace_fast(incident, **_counted_values(incident, event))
    return EventTransition(UPDATED, TRIGGER, counted, transition.notice if notifies else None)


def _notifies(incident: Incident, event: EventEffect, policy: ReopenPolicy) -> bool:
    """Returns whether a repeat arrived after a quiet period and causes a notice.

    A repeat received before the last notice causes none, so that a backlog of repeats causes one notice. With a quiet
    period of zero every repeat causes a notice, even from a backlog.
    """
    if not policy.reoccur_quiet:
        return True
    was_quiet = event.at - incident.last_seen_at >= policy.reoccur_quiet
    return was_quiet and (incident.notified_at is None or event.at >= incident.notified_at)


def _recover(incident: Incident | None, event: EventEffect, now: datetime) -> EventTransition:
    transition = TRANSITIONS.get((incident.state, RECOVER)) if incident else None
    if incident is None or transition is None:
        return EventTransition(Disposition.UNMATCHED, Act.RECOVER)
    flips, reason = record_state_change(incident, RESOLVED, event.at, transition.notice)
    resolved = replace_fast(
        incident, state=RESOLVED, **resolve_values(now, event.by), **_counted_values(incident, event), **flips
    )
    return EventTransition(Disposition.RESOLVED, RECOVER, resolved, reason)


def _initial_state(now: datetime, silenced_by: UUID | None, snooze: timedelta | None) -> tuple[Act, dict[str, Any]]:
    """Returns the act that opens the incident and its first values, with or without a silence or a snooze."""
    until = None if snooze is None else now + snooze
    state_without_silence = OPEN if until is None else SNOOZED
    if silenced_by is not None:
        silenced_values = {
            "state": SILENCED,
            "state_before": state_without_silence,
            "silenced_by": silenced_by,
            "snoozed_until": until,
        }
        return Act.TRIGGER_SILENCED, silenced_values
    return TRIGGER if until is None else Act.TRIGGER_SNOOZED, {"state": state_without_silence, "snoozed_until": until}


def _open(
    incident: Incident | None, event: EventEffect, policy: ReopenPolicy, act: Act, values: dict[str, Any], now: datetime
) -> EventTransition:
    if incident is not None and reopens(incident, event, policy):
        return _reopen(incident, event, act, values, now)
    reason = INITIAL_TRANSITIONS[act].notice
    if incident is not None:
        flips, reason = record_state_change(incident, values["state"], event.at, reason)
        values |= flips | {"notified_severity": incident.notified_severity}
    opened = Incident(
        severity=event.severity,
        last_severity=event.severity,
        first_seen_at=event.since or event.at,
        last_seen_at=event.at,
        opened_at=now,
        event_count=event.counts,
        **values,
    )
    return EventTransition(OPENED, act, opened, reason, is_new=True, follows=incident is not None)


def reopens(incident: Incident, event: EventEffect, policy: ReopenPolicy) -> bool:
    """Returns whether an event reopens a resolved incident: the incident ended within the reopen window.

    When an event resolved the incident, the incident ended at the receipt of that event.
    """
    ended_by_event = incident.resolved_by is not None and incident.resolved_by.type == "event"
    ended_at = incident.last_seen_at if ended_by_event else incident.resolved_at or incident.last_seen_at
    return bool(policy.reopen_window) and event.at - ended_at <= policy.reopen_window


def _reopen(incident: Incident, event: EventEffect, act: Act, values: dict[str, Any], now: datetime) -> EventTransition:
    notice = TRANSITIONS[RESOLVED, act].notice
    flips, reason = record_state_change(incident, values["state"], event.at, notice)
    values = {**_counted_values(incident, event), **reopen_values(incident, now), **values, **flips}
    reopened = replace_fast(incident, severity=event.severity, **values)
    return EventTransition(OPENED, act, reopened, reason)


def _escalate(incident: Incident, event: EventEffect) -> EventTransition:
    transition = TRANSITIONS[incident.state, Act.TRIGGER_HIGHER]
    escalated = replace_fast(incident, severity=event.severity, **_counted_values(incident, event), **CLEARED)
    escalation = Escalation("severity", incident.severity, event.severity)
    if incident.state is SILENCED:
        # The stored state becomes open, too: an acknowledgement or snooze does not cover a higher severity.
        escalated = replace_fast(escalated, state_before=OPEN)
    else:
        escalated = replace_fast(escalated, state=OPEN)
    return EventTransition(Disposition.UPDATED, Act.TRIGGER_HIGHER, escalated, transition.notice, escalation)


def _counted_values(incident: Incident, event: EventEffect) -> dict[str, Any]:
    return {
        "event_count": incident.event_count + event.counts,
        "last_severity": event.severity,
        "last_seen_at": max(event.at, incident.last_seen_at),
    }


def entry_kind(outcome: EventTransition) -> str | None:
    """Returns the kind of the timeline entry; None for a repeat that is only counted."""
    if outcome.disposition is OPENED:
        return "opened" if outcome.is_new else "reopened"
    if outcome.act is TRIGGER:
        return "reoccurred" if outcome.reason is not None else None
    return _KINDS.get(outcome.act)


_KINDS: Mapping[Act, str] = {
    Act.RECOVER: "resolved",
    Act.TRIGGER_HIGHER: "escalated",
    Act.ALERT_ENDS: "alert_ended",
}
