"""The job of the queue `oncall`. A thread of its own reads external calendars and calls Slack, because they may be slow."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.flow.oncall.calendar_reading import read_due
from inbox.flow.oncall.slack_sync import sync_due
from inbox.runtime import queue
from inbox.runtime.queue import QueueName
from jobs.faults import log_fault
from jobs.woken_thread import WokenThread


class OutsideThread(WokenThread):
    """The thread that reads due calendars, and brings Slack in step."""

    name = "oncall"

    def work(self) -> None:
        """Reads due calendars, and calls Slack where people have changed."""
        try:
            sync_due(self._clock, self.is_stopping)
            read_due(self._clock, self.is_stopping)
        except Exception as fault:  # noqa: BLE001  the lease ends, and the sweep wakes a worker
            log_fault(fault, "reading calendars or calling Slack failed", QueueName.ONCALL.value)


thread = OutsideThread(lambda: datetime.now(UTC))
"""The thread of this process. Its worker ends it."""


def run() -> None:
    """Let the thread do what is due (specification 23.20, 23.23). The job does not wait for it."""
    queue.job_queues().acknowledge(QueueName.ONCALL)
    thread.wake()
