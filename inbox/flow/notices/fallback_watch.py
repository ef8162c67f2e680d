"""Decides which alerts need a fallback check, and when, so that an alert without a recipient is noticed."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from inbox import settings
from inbox.domain.fallback import ALERTS, GRACE
from inbox.domain.notices import Cause
from inbox.domain.notification_plan import count_taken
from inbox.domain.severity import Severity
from inbox.domain.suppression import suppression_cause
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import fallback_checks
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.timers import TimerSpec
from inbox.queue import QueueName

UNREACHABLE = frozenset({Cause.DISABLED, Cause.STOPPED})
"""The causes for which a destination cannot receive an alert."""


def timers_for(one: IncidentNotice, now: datetime) -> list[TimerSpec]:
    """The timer of an alert: at once without a reachable destination, in two minutes when critical, else none.

    There is none either for an undone act, for an alert that is withheld while its incident flaps, or without a fallback
    destination and a mail server.
    """
    if (
        one.reason not in ALERTS
        or one.traits.undone
        or suppression_cause(one.then, one.reason) == Cause.FLAPPING
        or (one.plan.fallback_destination_id is None and not settings.current().can_send_mail)
    ):
        return []
    if reaches_nobody(one):
        return [TimerSpec(CHECK, one.id, one.workspace_id, now)]
    if one.then.severity is Severity.CRITICAL and Cause.NOTIFY in _causes(one):
        return [TimerSpec(CHECK, one.id, one.workspace_id, now + GRACE)]
    return []


def reaches_nobody(one: IncidentNotice) -> bool:
    """Whether the notice is an alert that no destination can receive now, and no later step has a destination."""
    causes = _causes(one)
    return one.reason in ALERTS and causes <= UNREACHABLE and (bool(causes) or not _has_later_recipient(one))


def _causes(one: IncidentNotice) -> set[str]:
    """What was decided for the destinations, without phones: a push service may accept what nobody sees."""
    return {decision.cause for decision in one.recipients if not decision.recipient.is_phone}


def delivered(notice_ids: Collection[UUID]) -> None:
    """Cancel the checks of alerts that a receiver accepted."""
    if notice_ids:
        fallback_checks.cancel(notice_ids)


def recheck(delivery_ids: Collection[UUID], done: AfterCommit) -> None:
    """Check at once the alerts among these deliveries, which may no longer be in transit."""
    if delivery_ids and fallback_checks.schedule(delivery_ids):
        done.wake(QueueName.TIMERS)


def _has_later_recipient(one: IncidentNotice) -> bool:
    """Whether a later step of the plan has destinations."""
    later = one.plan.steps[count_taken(one.plan, one.then) :]
    return any(step.destination_ids and step.accepts(one.then.severity) for step in later)
