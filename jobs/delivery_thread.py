"""The delivery thread of a worker. Open calls to slow receivers delay no other job, and no delivery."""

from __future__ import annotations

import threading
import time

from inbox.config import settings
from inbox.flow.delivery.deliver import deliver
from inbox.flow.delivery.senders import Clock, SenderPool
from inbox.runtime import outages, queue
from inbox.runtime.queue import QueueName
from jobs.faults import log_fault

PASS_ON_SECONDS = 0.25
"""The time after which a worker without a free slot passes on a wake-up that came back to it."""


class DeliveryThread:
    """A thread that sends due deliveries until none is left, with its own database connections.

    A wake-up starts it. Later wake-ups make it look again before it ends.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._senders: SenderPool | None = None
        self._is_woken = self._is_running = self._is_ending = False
        self._passed_on_at = float("-inf")

    def wake(self) -> None:
        """Send due deliveries. Returns at once. Without a free slot, another worker is woken."""
        with self._lock:
            self._is_woken = True
            if not self._is_running:
                thread = threading.Thread(target=self._run, name="deliveries", daemon=True)
                thread.start()  # raises without memory or a free process id; the next wake-up tries again
                self._thread, self._is_running = thread, True
            is_full = self._senders is not None and not self._senders.free_slots
        if is_full:
            self._pass_on()

    def wait(self) -> None:
        """Wait until nothing is left to send."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def end(self) -> None:
        """Claim nothing more, and wait until the results of open calls are recorded."""
        self._is_ending = True
        self.wait()

    def _run(self) -> None:
        while self._takes_wake_up():
            queue.job_queues().acknowledge(QueueName.DELIVERY)  # before the look: a later wake-up is a new one
            try:
                self._senders = SenderPool(settings.current().delivery_concurrency, self._clock)
                deliver(self._clock, is_stopping=self._is_stopping, senders=self._senders)
                if not self._is_stopping():  # otherwise the database was perhaps not used
                    outages.postgres.record_success()
            except Exception as fault:  # noqa: BLE001  the leases end, and the sweep wakes a worker
                log_fault(fault, "deliveries failed", QueueName.DELIVERY.value)
            finally:
                self._senders = None

    def _takes_wake_up(self) -> bool:
        """Return whether to look for deliveries: there was a wake-up since the last look. Otherwise the thread ends.

        A wake-up that comes when the process ends is left to another worker.
        """
        with self._lock:
            is_woken, self._is_woken = self._is_woken, False
            self._is_running = is_woken and not self._is_stopping()
            is_running = self._is_running
        if is_woken and not is_running:
            queue.job_queues().pass_on(QueueName.DELIVERY)
        return is_running

    def _is_stopping(self) -> bool:
        return self._is_ending or queue.is_shutting_down()

    def _pass_on(self) -> None:
        """Wake another worker. The longest waiting one gets the wake-up; only where all others are busy it comes back."""
        now, queues = time.monotonic(), queue.job_queues()
        if now - self._passed_on_at > PASS_ON_SECONDS:
            queues.pass_on(QueueName.DELIVERY)
        else:
            queues.acknowledge(QueueName.DELIVERY)
            queues.wake_later(QueueName.DELIVERY, PASS_ON_SECONDS)
        self._passed_on_at = now
