"""The periodic jobs of the service, and rq-scheduler with three faults corrected.

The original class ends on one broken job or after a few seconds without Redis. It loses periodic jobs when Redis is
emptied, and releases locks of other instances. This class does none of these.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import LockError, RedisError
from redis.lock import Lock
from redis.retry import Retry

from inbox.runtime import metrics, outages, redis_client
from inbox.runtime.queue import JOB_SECONDS, SCHEDULER_LAST_RUN, JsonJob, QueueName
from jobs import startup

warnings.filterwarnings("ignore", module="rq_scheduler")

from rq_scheduler import Scheduler

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """A job that the scheduler starts at an interval in seconds."""

    id: str
    function: str
    seconds: int
    queue: QueueName


PERIODIC_JOBS = (
    PeriodicJob("clock-sweep", "jobs.sweep.run", 5, QueueName.SWEEP),
    PeriodicJob("clock-purge", "jobs.purge.run", 3600, QueueName.PURGE),
)

LOCK_SECONDS = 5
BATCH = 500
ENSURE_SECONDS = 1.0
"""The interval at which missing periodic jobs are scheduled."""


class InboxScheduler(Scheduler):
    """The scheduler. Any number may run; the holder of the lock enqueues due jobs, and another takes over in 5 s."""

    def __init__(
        self, connection: Redis, *, periodic_jobs: Sequence[PeriodicJob] = PERIODIC_JOBS, interval: float = 0.25
    ) -> None:
        super().__init__(QueueName.SWEEP.value, connection=connection, job_class=JsonJob, interval=interval)
        self.periodic_jobs = {periodic_job.id: periodic_job for periodic_job in periodic_jobs}
        self._lock = Lock(connection, self.scheduler_lock_key, timeout=LOCK_SECONDS)
        self._stopping = threading.Event()
        self._reported_at = self._ensured_at = 0.0

    def stop(self, *_: Any) -> None:
        """End after the current round, because a signal between two commands would lose a job."""
        self._stopping.set()

    def acquire_lock(self) -> bool:
        """Extend or take the lock, and keep it between rounds, because versions that took turns would undo intervals."""
        with suppress(LockError):  # not taken yet, or lost
            return self._lock.reacquire()
        is_taken = self._lock.acquire(blocking=False)
        if is_taken:
            log.info("scheduler holds the lock")
        return is_taken

    def remove_lock(self) -> None:
        """Release the lock if this instance holds it, because it may have expired and belong to another one."""
        with suppress(LockError):
            self._lock.release()

    def enqueue_jobs(self) -> list[bytes]:
        """Enqueue one batch of due jobs. An unreadable job is dropped, because it must not block the others."""
        due: list[bytes] = self.connection.zrangebyscore(self.scheduled_jobs_key, 0, time.time(), start=0, num=BATCH)
        for position, job_id in enumerate(due):
            if position % 50 == 49 and not self.acquire_lock():
                break  # this process was suspended for longer than the lock lasts: another one continues
            try:
                self.enqueue_job(self.job_class.fetch(job_id.decode(), connection=self.connection))
            except RedisError:
                raise
            except Exception as fault:  # noqa: BLE001
                log.error("scheduled job dropped", job=job_id.decode("ascii", "replace"), fault=type(fault).__name__)
                self.connection.zrem(self.scheduled_jobs_key, job_id)
        return due

    def enqueue_job(self, job: Any) -> None:
        """Enqueue a job, unless a periodic job still waits in its queue. An unknown periodic job is dropped."""
        if not job.meta.get("interval"):
            super().enqueue_job(job)
            return
        periodic_job = self.periodic_jobs.get(job.id)
        if periodic_job is None:
            self.connection.zrem(self.scheduled_jobs_key, job.id)
            job.delete()
        elif self.connection.lpos(self.get_queue_for_job(job).key, job.id) is None:
            super().enqueue_job(job)
        else:
            self.connection.zadd(self.scheduled_jobs_key, {job.id: time.time() + periodic_job.seconds})

    def ensure_scheduled(self, *, replace: bool = False) -> None:
        """Schedule missing periodic jobs, or all of them: an earlier version may have other intervals.

        A job that is due later than after its interval counts as missing: a clock was ahead.
        """
        for periodic_job in self.periodic_jobs.values():
            now, due = time.time(), self.connection.zscore(self.scheduled_jobs_key, periodic_job.id)
            is_scheduled = due is not None and due <= now + periodic_job.seconds
            if replace or not is_scheduled or not self.job_class.exists(periodic_job.id, connection=self.connection):
                self.schedule(
                    datetime.fromtimestamp(min(due or now, now + periodic_job.seconds), UTC).replace(tzinfo=None),
                    periodic_job.function,
                    interval=periodic_job.seconds,
                    id=periodic_job.id,
                    queue_name=periodic_job.queue.value,
                    result_ttl=periodic_job.seconds * 3 + 60,
                    timeout=JOB_SECONDS[periodic_job.queue],
                )

    def run(self, burst: bool = False) -> None:
        """Run rounds until `stop`; without Redis, wait for it. `burst` ends after one round.

        1. The instance takes or extends the lock.
        2. It schedules missing periodic jobs, once a second.
        3. It enqueues due jobs.
        4. It counts the round.
        """
        replace, wait = True, 0.0
        while not self._stopping.is_set():
            wait = self._interval
            try:
                holds = self.acquire_lock()
                outages.redis.record_success()
                if holds:
                    if replace or time.monotonic() - self._ensured_at >= ENSURE_SECONDS:
                        self.ensure_scheduled(replace=replace)
                        replace, self._ensured_at = False, time.monotonic()
                    if len(self.enqueue_jobs()) >= BATCH:
                        wait = 0.0
                    self._count_round()
            except RedisError as fault:
                outages.redis.record_failure(fault)
                wait = 1.0
            if burst:
                return
            self._stopping.wait(wait)
        try:
            self.remove_lock()
        except RedisError:
            log.warning("scheduler lock not released")

    def _count_round(self) -> None:
        """Count the round in the metrics; once a second, also write its time to Redis for all hosts."""
        metrics.SCHEDULER_ROUNDS.inc()
        now = time.time()
        if now - self._reported_at >= 1:
            self.connection.set(SCHEDULER_LAST_RUN, now)
            self._reported_at = now


def main() -> int:
    """Run `bin/scheduler`."""
    settings = startup.read_settings()
    if settings is None:
        return startup.UNUSABLE_SETTINGS
    startup.start(settings, "scheduler", uses_tables=False)
    never = Retry(NoBackoff(), 0)
    redis = redis_client.connect(settings.redis_url, socket_timeout=5, socket_connect_timeout=2, retry=never)
    scheduler = InboxScheduler(redis)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, scheduler.stop)
    scheduler.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
