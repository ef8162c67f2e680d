"""Watching over alarms: which of them must be looked at, and when, lest nobody hears of what is broken."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from inbox import settings
from inbox.domain.fallback import ALARMS, GRACE
from inbox.domain.notices import Cause
from inbox.domain.severity import Severity
from inbox.flow.notices.recipients import PendingNotice, RecipientDecision
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import fallback_checks
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.deliveries.recipients import NewNotice
from inbox.models.timers import TimerSpec
from inbox.queue import QueueName

UNREACHABLE = frozenset({Cause.DISABLED, Cause.STOPPED})
"""The causes for which a destination cannot hear an alarm that it would be sent."""


def timers_for(
    one: PendingNotice, notice: NewNotice, decisions: Sequence[RecipientDecision], now: datetime
) -> list[TimerSpec]:
    """The timer that an alarm needs: at once when nobody can hear it, in two minutes when it is critical, else none.

    None either where there is nobody to fall back to, and of an act that was undone.
    """
    if (
        one.reason not in ALARMS
        or one.traits.undone
        or (one.plan.fallback_destination_id is None and not settings.current().mails)
    ):
        return []
    causes = {decision.cause for decision in decisions}
    if causes <= UNREACHABLE and (causes or not _has_later_recipient(one)):
        return [TimerSpec(CHECK, notice.id, notice.workspace_id, now)]
    if one.then.severity is Severity.CRITICAL and Cause.NOTIFY in causes:
        return [TimerSpec(CHECK, notice.id, notice.workspace_id, now + GRACE)]
    return []


def delivered(notice_ids: Collection[UUID]) -> None:
    """A receiver took these alarms: they are watched no longer."""
    if notice_ids:
        fallback_checks.cancel(notice_ids)


def recheck(delivery_ids: Collection[UUID], done: AfterCommit) -> None:
    """These may not be on their way any more: of the alarms among them it is asked at once whether anybody heard."""
    if delivery_ids and fallback_checks.schedule(delivery_ids):
        done.wake(QueueName.TIMERS)


def _has_later_recipient(one: PendingNotice) -> bool:
    """Whether a later step of the plan names somebody."""
    later = one.plan.steps[one.then.steps_taken :]
    return any(step.destination_ids and step.accepts(one.then.severity) for step in later)
