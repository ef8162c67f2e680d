"""The job of the queue `delivery`."""

from __future__ import annotations

from datetime import UTC, datetime

from jobs.delivery_thread import DeliveryThread

thread = DeliveryThread(lambda: datetime.now(UTC))
"""The delivery thread of this process. Its worker ends it."""


def run() -> None:
    """Let the thread send due deliveries (specification 9.5). The job does not wait for it."""
    thread.wake()
