"""The job of the queue `mail`."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.database.base import db
from inbox.flow.mail_outbox import send_due
from inbox.runtime.queue import SLICE_SECONDS, QueueName, job_queues


def run() -> None:
    """Send due mails (specification 13.5)."""
    job_queues().acknowledge(QueueName.MAIL)
    with db.connection_context():
        send_due(lambda: datetime.now(UTC), run_seconds=SLICE_SECONDS)
