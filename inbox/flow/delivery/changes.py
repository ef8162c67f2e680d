"""Publishes deliveries that changed with their destination, and rechecks the alerts among them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import fallback_checks
from inbox.models.deliveries.results import StatusChange
from inbox.runtime.queue import QueueName


def publish_changes(done: AfterCommit, status_changes: Iterable[StatusChange]) -> None:
    """Publishes deliveries that changed with their destination, and schedules fallback checks of the alerts among them."""
    deliveries = list(status_changes)
    for delivery in deliveries:
        done.publish_delivery(delivery)
    recheck_alerts([delivery.id for delivery in deliveries], done)


def recheck_alerts(delivery_ids: Collection[UUID], done: AfterCommit) -> None:
    """Checks at once the alerts among these deliveries, because they may no longer be in transit."""
    if delivery_ids and fallback_checks.schedule(delivery_ids):
        done.wake(QueueName.TIMERS)
