"""The sweep: sends lost wake-ups for due rows again, ends alerts, and trims the change feed.

PostgreSQL has the due rows; Redis may lose their wake-ups.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.database.base import db
from inbox.flow.ingest import alert_expiry
from inbox.models.deliveries import claims as delivery_claims
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.events import queue as event_queue
from inbox.models.incidents import timers
from inbox.models.instance import maintenance
from inbox.models.oncall import calendars, slack
from inbox.models.routing import previews
from inbox.runtime.queue import QueueName, job_queues

FEED_RETENTION = timedelta(minutes=10)
MAX_REMOVALS = 20


def sweep(now: datetime) -> list[QueueName]:
    """Sends a wake-up for each queue with due work; returns these queues.

    1. The process takes the sweep lock, or returns if another process sweeps.
    2. It looks for events to route, deliveries, timers, mails, previews and calendars that are due.
    3. It wakes their queues.
    4. It ends pushed alerts that were not repeated.
    5. It removes old entries of the change feed.

    Any process may call it at any time.
    """
    with db.atomic():
        if not maintenance.try_sweep_lock():
            return []
        needed = _needed(now)
    for queue_name in needed:
        job_queues().wake(queue_name)
    alert_expiry.expire(now)
    _clear_feed(now)
    return needed


def _needed(now: datetime) -> list[QueueName]:
    waiting = {
        QueueName.ROUTING: bool(event_queue.shards_with_work()),
        QueueName.DELIVERY: bool(delivery_claims.due_destinations(now)),
        QueueName.TIMERS: timers.any_due(now),
        QueueName.MAIL: Mail.any_due(now),
        QueueName.PREVIEW: previews.any_claimable(now),
        QueueName.ONCALL: calendars.any_due(now) or slack.any_due(now),
    }
    return [queue_name for queue_name, is_needed in waiting.items() if is_needed]


def _clear_feed(now: datetime) -> None:
    for _ in range(MAX_REMOVALS):
        with db.atomic():
            if not maintenance.remove_changes(now - FEED_RETENTION):
                return
