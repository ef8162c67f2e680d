"""The sweep: rings again for whatever waits in PostgreSQL and Redis may have forgotten; clears the feed behind it."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.models import maintenance, timers
from inbox.models.deliveries import claims as delivery_claims
from inbox.models.events import queue as event_queue
from inbox.models.sql.base import db
from inbox.models.tables import previews
from inbox.models.tables.mail import Mail
from inbox.queue import QueueName, job_queues

FEED_RETENTION = timedelta(minutes=10)
MAX_REMOVALS = 20


def sweep(now: datetime) -> list[QueueName]:
    """Look for events to route, deliveries, timers and mails that are due, and ring for each; answers what was rung.

    Any process may call it at any time; while one sweeps, others have nothing to do.
    """
    with db.atomic():
        if not maintenance.try_sweep_lock():
            return []
        needed = _needed(now)
    for queue_name in needed:
        job_queues().wake(queue_name)
    _clear_feed(now)
    return needed


def _needed(now: datetime) -> list[QueueName]:
    waiting = {
        QueueName.ROUTING: bool(event_queue.shards_with_work()),
        QueueName.DELIVERY: bool(delivery_claims.due_destinations(now)),
        QueueName.TIMERS: timers.any_due(now),
        QueueName.MAIL: Mail.any_due(now),
        QueueName.PREVIEW: previews.any_claimable(now),
    }
    return [queue_name for queue_name, is_needed in waiting.items() if is_needed]


def _clear_feed(now: datetime) -> None:
    for _ in range(MAX_REMOVALS):
        with db.atomic():
            if not maintenance.remove_changes(now - FEED_RETENTION):
                return
