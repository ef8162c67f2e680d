"""The delivery thread of a worker. Open calls to slow receivers delay no other job, and no delivery."""

from __future__ import annotations

import time

from inbox.config import settings
from inbox.flow.delivery.deliver import deliver
from inbox.flow.delivery.senders import Clock, SenderPool
from inbox.runtime import outages, queue
from inbox.runtime.queue import QueueName
from jobs.faults import log_fault
from jobs.woken_thread import WokenThread

PASS_ON_SECONDS = 0.25
"""The time after which a worker without a free slot passes on a wake-up that came back to it."""


class DeliveryThread(WokenThread):
    """A thread that sends due deliveries until none is left, with its own database connections."""

    name = "deliveries"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._senders: SenderPool | None = None
        self._passed_on_at = float("-inf")

    def wake(self) -> None:
        """Sends due deliveries. Returns at once. Without a free slot, another worker is woken."""
        super().wake()
        senders = self._senders
        if senders is not None and not senders.free_slots:
            self._pass_on()

    def work(self) -> None:
        """Sends due deliveries, and records their results."""
        queue.job_queues().acknowledge(QueueName.DELIVERY)  # before the look: a later wake-up is a new one
        try:
            self._senders = SenderPool(settings.current().delivery_concurrency, self._clock)
            deliver(self._clock, is_stopping=self.is_stopping, senders=self._senders)
            if not self.is_stopping():  # otherwise the database was perhaps not used
                outages.postgres.record_success()
        except Exception as fault:  # noqa: BLE001  the leases end, and the sweep wakes a worker
            log_fault(fault, "deliveries failed", QueueName.DELIVERY.value)
        finally:
            self._senders = None

    def leave_wake_up(self) -> None:
        """Leaves the wake-up to another worker."""
        queue.job_queues().pass_on(QueueName.DELIVERY)

    def _pass_on(self) -> None:
        """Wakes another worker. The longest waiting one gets the wake-up; only where all others are busy it comes back."""
        now, queues = time.monotonic(), queue.job_queues()
        if now - self._passed_on_at > PASS_ON_SECONDS:
            queues.pass_on(QueueName.DELIVERY)
        else:
            queues.acknowledge(QueueName.DELIVERY)
            queues.wake_later(QueueName.DELIVERY, PASS_ON_SECONDS)
        self._passed_on_at = now
