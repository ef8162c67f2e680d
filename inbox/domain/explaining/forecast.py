"""Sentences for the state of an incident and for its upcoming changes (specification 7.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from inbox.domain.deliveries import notification_plan
from inbox.domain.explaining import formatting, notice_text
from inbox.domain.explaining.recipient_text import SilenceRef
from inbox.domain.incidents.state_machine import State
from inbox.domain.values import number_text


class UpcomingKind(StrEnum):
    """The next change of an incident, if no event arrives and no person acts."""

    DELAY_ENDS = "delay_ends"
    """The delay of the routing profile ends: the first notification is sent."""

    STEP = "step"
    """The next step of the routing profile is due."""

    RENOTIFY = "renotify"
    """A reminder is due, since the incident is still open."""

    ACK_TIMEOUT = "ack_timeout"
    """The acknowledgement expires."""

    AUTO_RESOLVE = "auto_resolve"
    """The incident is resolved automatically."""

    FLAPPING_ENDS = "flapping_ends"
    """Flapping ends."""

    JOINED = "joined"
    """A notice names the alerts that joined the incident."""

    SNOOZE_ENDS = "snooze_ends"
    """The snooze ends: the incident opens again."""

    SILENCE_ENDS = "silence_ends"
    """The silence that covers the incident ends."""

    QUIET_HOURS_END = "quiet_hours_end"
    """Quiet hours end: deferred notifications are sent."""

    DIGEST = "digest"
    """A digest is due: the notices that wait for it are sent."""

    FALLBACK = "fallback"
    """The fallback destination is notified, if no destination accepted the alert."""


KINDS: Mapping[str, UpcomingKind] = {
    notification_plan.DELAY: UpcomingKind.DELAY_ENDS,
    notification_plan.STEP: UpcomingKind.STEP,
    notification_plan.RENOTIFY: UpcomingKind.RENOTIFY,
    notification_plan.ACK_TIMEOUT: UpcomingKind.ACK_TIMEOUT,
    notification_plan.AUTO_RESOLVE: UpcomingKind.AUTO_RESOLVE,
    notification_plan.FLAPPING_END: UpcomingKind.FLAPPING_ENDS,
    notification_plan.JOINED: UpcomingKind.JOINED,
}
"""The kind of upcoming change for each kind of timer in a plan."""


NO_DESTINATION = "Nobody is notified: no destination is set for this incident. Add one to the default route or a rule."


@dataclass(frozen=True, slots=True)
class Upcoming:
    """One upcoming change. `recipient_names` are the names of the recipients that are already determined.

    `step` is the number of the step. `reminder_counts` are the number of the reminder and the total. `only_worse` means
    that the incident is flapping: its opening notifies only at a higher severity than before. `state` is the state in
    which flapping ends.
    """

    kind: UpcomingKind
    at: datetime
    recipient_names: Sequence[str] = ()
    step: int = 0
    reminder_counts: tuple[int, int] = (0, 0)
    silence: SilenceRef | None = None
    only_worse: bool = False
    state: State | None = None

    @property
    def sentence(self) -> str:
        """The sentence of the change, which stands beside its time: `Reminder 1 of 6 to Pager, unless acknowledged.`"""
        return formatting.sentence(self._event_text())

    def _event_text(self) -> str:  # noqa: C901  a table: one sentence for each kind
        who = formatting.names(self.recipient_names)
        match self.kind:
            case UpcomingKind.DELAY_ENDS:
                severity_condition = " and more severe than notified before" if self.only_worse else ""
                return f"first notification to {who}, if the incident is still open{severity_condition}"
            case UpcomingKind.STEP:
                return f"step {self.step} notifies {who}, unless acknowledged"
            case UpcomingKind.RENOTIFY:
                return f"reminder {self.reminder_counts[0]} of {self.reminder_counts[1]} to {who}, unless acknowledged"
            case UpcomingKind.ACK_TIMEOUT:
                return "the acknowledgement expires and a reminder is sent, unless the incident is resolved"
            case UpcomingKind.AUTO_RESOLVE:
                return "the incident is resolved automatically, if no event arrives"
            case UpcomingKind.FLAPPING_ENDS:
                return f"flapping ends if nothing changes; {self._when_flapping_ends(who)}normal notifications resume"
            case UpcomingKind.JOINED:
                return "a notification names the alerts that joined, if the incident is not resolved"
            case UpcomingKind.SNOOZE_ENDS:
                return "the snooze ends; the incident opens again and a notification is sent"
            case UpcomingKind.SILENCE_ENDS:
                return f"{self.silence or 'the silence'} ends; a notification is sent if the incident is open then and not known"
            case UpcomingKind.QUIET_HOURS_END:
                return f"the quiet hours end; {who} {_is(self.recipient_names)} notified of the state at that time"
            case UpcomingKind.DIGEST:
                return f"the next digest; {who} {_is(self.recipient_names)} notified of the incident"
            case UpcomingKind.FALLBACK:
                return f"fallback to {who}, if no destination accepted the alert"

    def _when_flapping_ends(self, who: str) -> str:
        if not self.recipient_names or self.state not in (State.OPEN, State.RESOLVED):
            return ""
        return f"{who} {_is(self.recipient_names)} notified that the incident is {self.state}, and "


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) < 2 else "are"


class IncidentStatus(NamedTuple):
    """The state of an incident for its sentences; `by` is the person who acknowledged it.

    `wait` is the delay of its routing profile `profile` before the first notification; None if no delay is running.
    `has_destination` means that its route names a destination.
    """

    state: State
    flapping: bool = False
    wait: timedelta | None = None
    profile: str | None = None
    by: str | None = None
    until: datetime | None = None
    silence: SilenceRef | None = None
    has_destination: bool = True


def status_text(status: IncidentStatus) -> str:
    """Returns whether notifications of the incident are sent now, and the cause if they are not."""
    sentences = [_of_state(status)]
    if status.flapping:
        sentences.append(_of_flapping(status))
    if not status.has_destination and status.state is not State.RESOLVED:
        sentences.append(NO_DESTINATION)
    return " ".join(sentences)


def _of_state(status: IncidentStatus) -> str:
    match status.state:
        case State.OPEN if status.wait is not None:
            who = f'"{status.profile}"' if status.profile else "its routing profile"
            return f"Open; {who} waits {number_text.duration_text(status.wait)} before the first notification."
        case State.OPEN:
            return "Open, not acknowledged."
        case State.ACKNOWLEDGED:
            return f"Acknowledged by {status.by or 'someone'}: repeats do not notify, a higher severity does."
        case State.SNOOZED:
            until = "" if status.until is None else f" until {formatting.instant(status.until)}"
            return f"Snoozed{until}: no notification before that, unless the severity rises."
        case State.SILENCED:
            return formatting.sentence(
                f"{status.silence or 'a silence'} covers the incident: no notification until the silence ends"
            )
        case State.RESOLVED:
            return "Resolved."


def _of_flapping(status: IncidentStatus) -> str:
    """Returns a text for the notifications that flapping suppresses, and for the ones still sent."""
    match status.state:
        case State.SILENCED:
            return f"{notice_text.FLAPPING}."
        case State.OPEN if status.wait is None:
            return f"{_FLAPS} Still sent: a higher severity, escalation steps, reminders."
        case State.RESOLVED:
            return f"{_FLAPS} A notification is sent then, if the incident stays resolved."
        case _:
            return f"{_FLAPS} Still sent: a higher severity."


_FLAPS = "Flapping: open/resolve notifications are paused until it is stable for 30 minutes."
