"""Publishes deliveries that changed with their destination."""

from __future__ import annotations

from collections.abc import Iterable

from inbox.flow.notices import fallback_watch
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries.results import StatusChange


def publish_changes(done: AfterCommit, status_changes: Iterable[StatusChange]) -> None:
    """Publish deliveries that changed with their destination, and schedule fallback checks of the alerts among them."""
    deliveries = list(status_changes)
    for delivery in deliveries:
        done.publish_delivery(delivery)
    fallback_watch.recheck([delivery.id for delivery in deliveries], done)
