"""The job of the queue `oncall`. A thread of its own reads external calendars and calls Slack, because they may be slow."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

from inbox.flow.oncall.calendar_reading import read_due
from inbox.flow.oncall.slack_sync import sync_due
from inbox.runtime import queue
from inbox.runtime.queue import QueueName
from jobs.faults import log_fault


class OutsideThread:
    """A thread that works until nothing is due. A wake-up starts it, or makes it look again before it ends."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_woken = self._is_running = self._is_ending = False

    def wake(self) -> None:
        """Read due calendars, and bring Slack in step. Returns at once."""
        with self._lock:
            self._is_woken = True
            if not self._is_running and not self._is_stopping():
                thread = threading.Thread(target=self._run, name="oncall", daemon=True)
                thread.start()
                self._thread, self._is_running = thread, True

    def wait(self) -> None:
        """Wait until nothing is due."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def end(self) -> None:
        """Begin no further reading, and wait for the present one."""
        self._is_ending = True
        self.wait()

    def _run(self) -> None:
        while self._takes_wake_up():
            try:
                sync_due(self._clock, self._is_stopping)
                read_due(self._clock, self._is_stopping)
            except Exception as fault:  # noqa: BLE001  the lease ends, and the sweep wakes a worker
                log_fault(fault, "reading calendars or calling Slack failed", QueueName.ONCALL.value)

    def _takes_wake_up(self) -> bool:
        with self._lock:
            self._is_running, self._is_woken = self._is_woken and not self._is_stopping(), False
            return self._is_running

    def _is_stopping(self) -> bool:
        return self._is_ending or queue.is_shutting_down()


thread = OutsideThread(lambda: datetime.now(UTC))
"""The thread of this process. Its worker ends it."""


def run() -> None:
    """Let the thread do what is due (specification 23.20, 23.23). The job does not wait for it."""
    queue.job_queues().acknowledge(QueueName.ONCALL)
    thread.wake()
