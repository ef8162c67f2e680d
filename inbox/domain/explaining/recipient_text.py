"""Sentences for the decision on a destination and for the state of its delivery (specification 7.7)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from inbox.domain.deliveries.delivery import REFUSAL_STATUS, Status
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import Cause, SeverityFloor
from inbox.domain.deliveries.pages import ACKNOWLEDGED, NOTIFICATION_RULE
from inbox.domain.deliveries.paid_messages import DAILY_LIMIT
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.explaining import formatting, page_text
from inbox.domain.incidents.state_machine import Reason

NO_RECIPIENT = "Nobody was notified: no destination is set for this incident."


class SilenceRef(NamedTuple):
    """A silence in a sentence: its comment, and its creator (None if the account is closed)."""

    comment: str
    by: str | None

    def __str__(self) -> str:
        return f'silence "{self.comment}"' + (f" by {self.by}" if self.by else "")


class DigestRef(NamedTuple):
    """The delivery of the digest or summary (`word`) that contains a notice: its time, and its outcome."""

    at: datetime
    status: Status
    cause: str | None = None
    settled_at: datetime | None = None
    word: str = "digest"


class DeliveryRef(NamedTuple):
    """The delivery of a notice to one destination; `replayed_at` is the time at which a person's replay succeeded.

    `digest` is the digest of a gathered notice; None once it is purged.
    """

    status: Status
    cause: str | None = None
    due_at: datetime | None = None
    settled_at: datetime | None = None
    replayed_at: datetime | None = None
    digest: DigestRef | None = None

    @property
    def final_status(self) -> Status:
        """The status of the message that contains the notice: the delivery's, or its digest's."""
        if self.status is not Status.GATHERED:
            return self.status
        return Status.SENT if self.digest is None else self.digest.status


@dataclass(frozen=True, slots=True)
class DestinationDecision:
    """A destination of a notice, and its decision. `delivery` is None without a delivery, or after its purge.

    `min_severity` is the least severity that the destination, or its step, accepts. `stop_cause` is the cause for which
    the destination is stopped now; None if it is not.
    """

    name: str
    cause: Cause
    until: datetime | None = None
    fallback_reason: FallbackReason | None = None
    silence: SilenceRef | None = None
    delivery: DeliveryRef | None = None
    min_severity: SeverityFloor | None = None
    stop_cause: str | None = None

    @property
    def is_notified(self) -> bool:
        """Returns whether the destination was notified according to the stored data."""
        if self.delivery is None:
            return self.cause in (Cause.NOTIFY, Cause.MAILED)
        return self.delivery.final_status is Status.SENT or self.delivery.replayed_at is not None

    @property
    def is_pending(self) -> bool:
        """Returns whether the destination can still be notified."""
        return self.delivery is not None and self.delivery.final_status in _PENDING_STATUSES and not self.is_notified


_PENDING_STATUSES = frozenset({Status.PENDING, Status.SENDING, Status.RETRYING, Status.HELD})


class TextContext(NamedTuple):
    """The time of a notice's decision, its incident's severity at that time, and the zone of its times; None: instants.

    `reason` is the reason of the notice. `step` is the step of the routing profile, if the notice is for one step only.
    """

    at: datetime
    severity: str
    zone: ZoneInfo | None
    reason: str = ""
    step: int | None = None

    def clock(self, at: datetime) -> str:
        """Formats a time for a sentence."""
        return formatting.instant(at) if self.zone is None else formatting.clock(at, self.zone, self.at)


def of_notice(decisions: Sequence[DestinationDecision], context: TextContext) -> str:
    """Returns the destinations that were notified, are pending or were not notified, without destinations off the route."""
    addressed = [one for one in decisions if one.cause not in RECEIVER_TEXT]
    if not addressed:
        return NO_RECIPIENT
    causes = {one.cause for one in addressed}
    if len(causes) == 1 and causes <= {Cause.SILENCED, Cause.FLAPPING}:
        return f"Nobody was notified: {skip_reason(addressed[0], context)}."
    notified_names = [one.name for one in addressed if one.is_notified]
    pending_names = [one.name for one in addressed if one.is_pending]
    others = [one.name for one in addressed if not one.is_notified and not one.is_pending]
    fallback_text = [] if addressed[0].fallback_reason is None else [page_text.FALLBACK[addressed[0].fallback_reason]]
    parts = {"Notified": notified_names, "Pending": pending_names, "Not notified": others}
    return " ".join(
        [*fallback_text, *(f"{word}: {formatting.names(found)}." for word, found in parts.items() if found)]
    )


RECEIVER_TEXT = frozenset({Cause.NOT_ROUTED, Cause.NOT_ADDRESSED})
"""The causes for destinations to which a notice is not addressed."""


def of_destination(one: DestinationDecision, context: TextContext) -> str:
    """Returns the decision for a destination, its cause, and the state of its delivery."""
    if one.cause is Cause.MAILED:
        return "The owners were notified by email: no destination could be notified."
    if one.cause in page_text.NOBODY:
        return page_text.NOBODY[one.cause].format(one.name)
    if one.cause is Cause.NEVER_NOTIFIED:
        return f"{one.name} was never notified of this incident, so it gets no updates about it."
    if one.cause not in _DELIVERY_CAUSES:
        return f"{one.name} was not notified: {skip_reason(one, context)}."
    if one.delivery is None:
        return _without_delivery(one, context)
    if one.delivery.replayed_at is not None:
        return f"{one.name} was notified at {context.clock(one.delivery.replayed_at)}, by a replay."
    return _delivery_text(one, one.delivery, context)


_DELIVERY_CAUSES = frozenset({Cause.NOTIFY, Cause.QUIET_HOURS, Cause.DIGEST, Cause.STOPPED})


def skip_reason(one: DestinationDecision, context: TextContext) -> str:
    """Returns the cause for which a destination gets no notice, as part of a sentence without its name."""
    match one.cause:
        case Cause.UPDATES_OFF:
            return f'"Send recovery and state updates" is off for {one.name}'
        case Cause.NOTES_OFF:
            return f'"Send notes" is off for {one.name}'
        case Cause.NEVER_NOTIFIED:
            return "it was never notified of this incident"
        case Cause.SILENCED:
            return f"{one.silence or 'a silence that was deleted since'} covered the incident"
        case Cause.BELOW_MIN_SEVERITY:
            return _below(one.min_severity, context)
        case Cause.NOT_ROUTED:
            what = "event" if context.reason == Reason.INFORMATIONAL else "incident"
            return f"no rule, profile or default route sends this {what} there"
        case Cause.NOT_ADDRESSED:
            return _quiet_hours_text(context)
        case _:
            return _SKIP_REASONS[one.cause]


def _below(floor: SeverityFloor | None, context: TextContext) -> str:
    if floor is None:
        return f"it, or its step, takes only higher severities; this was {context.severity}"
    who = "it" if floor.step is None else f"step {floor.step}"
    return f"{who} takes {floor.severity} and above; this was {context.severity}"


def _quiet_hours_text(context: TextContext) -> str:
    match context.reason:
        case Reason.FALLBACK:
            return "a fallback goes to the fallback destination only"
        case Reason.ESCALATED if context.step is not None:
            return f"only step {context.step} was due, and it is on another step"
        case Reason.INFORMATIONAL:
            return "an event without an incident notifies the first step only"
        case _:
            return "its step of the routing profile was not due yet"


_SKIP_REASONS: Mapping[Cause, str] = {
    Cause.DISABLED: "it was disabled",
    Cause.THROTTLED: "the repeat came too soon after the previous one and was only counted",
    Cause.FLAPPING: "the incident was flapping, and open/resolve notifications were paused",
}


def _without_delivery(one: DestinationDecision, context: TextContext) -> str:
    if one.cause is Cause.NOTIFY:
        return f"{one.name} was notified."
    return f"The notification to {one.name} was held: {_later(one, context)}."


def _later(one: DestinationDecision, context: TextContext) -> str:
    if one.cause is Cause.QUIET_HOURS:
        return f"quiet hours until {context.clock(one.until)}" if one.until else "quiet hours"
    if one.cause is Cause.DIGEST:
        return f"the digest of {context.clock(one.until)}" if one.until else "the next digest"
    return "the destination was stopped"


def _delivery_text(one: DestinationDecision, delivery: DeliveryRef, context: TextContext) -> str:
    match delivery.status:
        case Status.PENDING | Status.SENDING:
            rule_at = delivery.due_at if delivery.cause == NOTIFICATION_RULE else None
            return page_text.coming(one.name, None if rule_at is None else context.clock(rule_at))
        case Status.RETRYING | Status.HELD:
            return _waiting_text(one, delivery, context)
        case Status.SENT:
            at = "" if delivery.settled_at is None else f" at {context.clock(delivery.settled_at)}"
            return f"{one.name} was notified{at}{_SENT_SUFFIX.get(one.cause, '')}."
        case Status.FAILED:
            return _failed(one, delivery)
        case Status.SKIPPED:
            then = "then " if delivery.cause == SkipCause.SUPERSEDED else "and "
            before = f"{_HELD_BY[one.cause]}, {then}" if one.cause in _HELD_BY else ""
            why = _SKIP_TEXT.get(delivery.cause or "", "the notification was skipped")
            return f"{one.name} was not notified: {before}{why}."
        case Status.EXPIRED:
            return f"{one.name} was not notified: it was stopped for more than 24 hours."
        case Status.GATHERED:
            return _gathered_text(one, delivery.digest, context)


def _gathered_text(one: DestinationDecision, digest: DigestRef | None, context: TextContext) -> str:
    """Returns the sentence: `Included in the digest of 18:00 UTC. Chat was notified at 18:00 UTC.`"""
    if digest is None:
        return f"{one.name} was notified with a digest."
    message = DeliveryRef(digest.status, digest.cause, settled_at=digest.settled_at)
    result = _delivery_text(replace(one, cause=Cause.NOTIFY), message, context)
    return f"Included in the {digest.word} of {context.clock(digest.at)}. {result}"


def _failed(one: DestinationDecision, delivery: DeliveryRef) -> str:
    if re.match(REFUSAL_STATUS, delivery.cause or ""):
        return f"{one.name}'s endpoint rejected it ({formatting.failure_text(delivery.cause)}); not retried."
    return f"{one.name} was not notified: all attempts failed{_in_brackets(delivery.cause)}."


def _waiting_text(one: DestinationDecision, delivery: DeliveryRef, context: TextContext) -> str:
    if delivery.status is Status.HELD:
        return _held_text(one, delivery, context)
    next_attempt = "" if delivery.due_at is None else f"; next attempt at {context.clock(delivery.due_at)}"
    failed = f"the last attempt failed{_in_brackets(delivery.cause)}"
    return f"{one.name} is not notified yet: {failed}{next_attempt}."


def _held_text(one: DestinationDecision, delivery: DeliveryRef, context: TextContext) -> str:
    if delivery.cause == Cause.QUIET_HOURS:
        until = max(filter(None, (one.until, delivery.due_at)), default=None)
        end = "" if until is None else f" until {context.clock(until)}"
        return f"{one.name} was not notified: quiet hours{end}."
    if delivery.cause == Cause.DIGEST:
        until = delivery.due_at or one.until
        return (
            f"{one.name} is not notified yet: it waits for the digest{f' of {context.clock(until)}' if until else ''}."
        )
    why = f" ({formatting.receiver_text(one.stop_cause)})" if one.stop_cause else ""
    return f"Not sent: {one.name} is stopped{why}. Fix or test the destination to resume."


def _in_brackets(cause: str | None) -> str:
    return f" ({formatting.failure_text(cause)})" if cause else ""


_HELD_BY: Mapping[Cause, str] = {
    Cause.QUIET_HOURS: "held by quiet hours",
    Cause.DIGEST: "held for a digest",
}

_SENT_SUFFIX: Mapping[Cause, str] = {
    Cause.QUIET_HOURS: ", after the quiet hours",
    Cause.STOPPED: ", when the destination resumed",
}

_SKIP_TEXT: Mapping[str, str] = {
    Cause.DISABLED: "it was disabled before the notification was sent",
    SkipCause.SUPERSEDED: "replaced by a newer notification",
    SkipCause.RESOLVED_MEANWHILE: 'the incident was resolved in the meantime ("Send recovery and state updates" is off)',
    ACKNOWLEDGED: page_text.ENDED,
    DAILY_LIMIT: page_text.LIMITED,
    SkipCause.SILENCED: "a silence covered the incident in the meantime",
}
