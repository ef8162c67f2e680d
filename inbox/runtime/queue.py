"""Wake-ups of workers through Redis and RQ. PostgreSQL stores the work; the sweep sends lost wake-ups again."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import StrEnum

import structlog
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from inbox.runtime import metrics, outages, redis_client

log = structlog.get_logger(__name__)

WAKEUP = "inbox:wakeup:{queue}"
WAKEUP_MS = 2_000
GATHER = "inbox:gather:{queue}"
"""The key that exists for `GATHER_MS` after a worker began to look for events."""

GATHER_MS = 25
"""Events that arrive within this time of a look are routed together by the next one. A look costs more than an event."""

LATER_THREAD = "later wake-up"
"""The name of threads of `wake_later`."""

SCHEDULER_LAST_RUN = "inbox:scheduler:last_run"
BREAK_AFTER, BREAK_SECONDS = 3, 2.0


class QueueName(StrEnum):
    """The kinds of work. Each is an RQ queue of that name with the job `jobs.<name>.run`."""

    ROUTING = "routing"
    DELIVERY = "delivery"
    TIMERS = "timers"
    SWEEP = "sweep"
    PURGE = "purge"
    MAIL = "mail"
    PREVIEW = "preview"
    ONCALL = "oncall"


class JsonJob(Job):
    """A job with JSON arguments and no pickles, so that write access to Redis does not allow execution of code.

    RQ takes a serializer, but rq-scheduler has no such option: https://github.com/rq/rq-scheduler/issues/252
    """

    @classmethod
    def create(cls, *args, **kwargs):  # type: ignore[no-untyped-def]
        return super().create(*args, **{**kwargs, "serializer": JSONSerializer})

    @classmethod
    def fetch(cls, id, connection=None, serializer=None):  # type: ignore[no-untyped-def]
        return super().fetch(id, connection=connection, serializer=JSONSerializer)


class JobQueues:
    """Sends wake-ups through one Redis connection pool. When Redis is unavailable it gives up at once, and the sweep
    enqueues instead."""

    def __init__(self, redis_url: str) -> None:
        self.redis: Redis = redis_client.connect(
            redis_url,
            socket_timeout=0.25,
            socket_connect_timeout=0.25,
            retry=Retry(NoBackoff(), 0),
            max_connections=64,
        )
        self._failures = 0
        self._closed_until = 0.0

    def pool_usage(self) -> tuple[int, int, int]:
        """Connections of the pool: in use, idle, and the maximum."""
        pool = self.redis.connection_pool
        counts = {labels["db.client.connection.state"]: count for count, labels in pool.get_connection_count()}
        return counts["used"], counts["idle"], pool.max_connections

    def wake(self, queue: QueueName) -> bool:
        """Enqueue a wake-up unless one is pending; False when Redis did not accept it."""
        if time.monotonic() < self._closed_until:
            return False
        try:
            if self._is_first(queue):
                self._enqueue(queue)
            self._failures = 0
            outages.redis.record_success()
            return True
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)
            return False

    def wake_at(self, queue: QueueName, moment: datetime) -> bool:
        """Enqueue a wake-up at `moment`, rounded up to a whole second. Two calls for one second enqueue one job."""
        from rq_scheduler import Scheduler

        if time.monotonic() < self._closed_until:
            return False
        second = math.ceil(moment.timestamp())
        job_id, scheduler = f"{queue}-{second}", Scheduler(queue.value, connection=self.redis, job_class=JsonJob)
        try:
            if job_id not in scheduler:  # a look-up is one command; incidents of one second have timers in one job
                scheduler.enqueue_at(
                    datetime.fromtimestamp(second, UTC).replace(tzinfo=None),
                    f"jobs.{queue}.run",
                    job_id=job_id,
                    job_result_ttl=0,
                    timeout=JOB_SECONDS[queue],
                )
            return True
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)
            return False

    def acknowledge(self, queue: QueueName) -> None:
        """Acknowledge the wake-up, so that the next `wake` enqueues again. A worker calls it before it reads the
        due rows."""
        try:
            with self.redis.pipeline(transaction=False) as pipeline:
                pipeline.delete(WAKEUP.format(queue=queue))
                if queue is QueueName.ROUTING:
                    pipeline.set(GATHER.format(queue=queue), b"1", px=GATHER_MS)
                pipeline.execute()
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)

    def pass_on(self, queue: QueueName) -> None:
        """Enqueue a wake-up for another worker, also when this process took one that it has not acknowledged."""
        self.acknowledge(queue)
        self.wake(queue)

    def seconds_to_gather(self, queue: QueueName) -> float:
        """Return how long a wake-up should wait, so that the next look finds several events; 0 after a pause."""
        if time.monotonic() < self._closed_until:
            return 0.0
        try:
            return max(0, int(self.redis.pttl(GATHER.format(queue=queue)))) / 1000
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)
            return 0.0

    def wake_later(self, queue: QueueName, seconds: float) -> None:
        """Enqueue a wake-up after this time, without waiting for it. A process that ends meanwhile leaves it to the sweep."""
        timer = threading.Timer(seconds, self.wake, (queue,))
        timer.name, timer.daemon = LATER_THREAD, True
        timer.start()

    def is_pending(self, queue: QueueName) -> bool:
        """Return whether a wake-up is enqueued that no worker has started. True also when Redis does not respond."""
        if time.monotonic() < self._closed_until:
            return True
        try:
            return bool(self.redis.llen(Queue(queue.value, connection=self.redis).key))
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)
            return True

    def publish(self, channel: str, payload: bytes) -> bool:
        """Publish to the current subscribers; False when Redis did not accept it."""
        if time.monotonic() < self._closed_until:
            return False
        try:
            self.redis.publish(channel, payload)
            self._failures = 0
            outages.redis.record_success()
            return True
        except (RedisError, OSError) as fault:
            self._on_failure(channel, fault)
            return False

    def _is_first(self, queue: QueueName) -> bool:
        """Mark a wake-up as pending; True when none was."""
        return bool(self.redis.set(WAKEUP.format(queue=queue), b"1", nx=True, px=WAKEUP_MS))

    def _enqueue(self, queue: QueueName) -> None:
        with self.redis.pipeline() as pipeline:  # one round trip; RQ alone makes three
            Queue(queue.value, connection=self.redis, serializer=JSONSerializer).enqueue(
                f"jobs.{queue}.run",
                job_timeout=JOB_SECONDS[queue],
                result_ttl=0,
                failure_ttl=3600,
                pipeline=pipeline,
            )
            pipeline.execute()

    def _on_failure(self, queue: str, fault: Exception) -> None:
        self._failures += 1
        metrics.WAKEUPS_FAILED.inc()
        if self._failures >= BREAK_AFTER:
            self._closed_until = time.monotonic() + BREAK_SECONDS
        log.debug("wake-up not sent", queue=str(queue), fault=type(fault).__name__)
        outages.redis.record_failure(fault)


JOB_SECONDS: dict[QueueName, int] = {
    QueueName.ROUTING: 60,
    QueueName.DELIVERY: 60,
    QueueName.TIMERS: 60,
    QueueName.SWEEP: 60,
    QueueName.PURGE: 3600,
    QueueName.MAIL: 180,
    QueueName.PREVIEW: 3600,
    QueueName.ONCALL: 60,
}

SLICE_SECONDS = 2.0
"""The longest time that a resumable job may keep a worker from its other queues."""

_queues: JobQueues | None = None


def use(queues: JobQueues) -> None:
    """Set the queues of the process; called by `bootstrap.configure`."""
    global _queues
    _queues = queues


def job_queues() -> JobQueues:
    """Return the queues of the process. Raises `RuntimeError` before `use`."""
    if _queues is None:
        raise RuntimeError("the queues are used before they are configured")
    return _queues


_worker_queues: Sequence[QueueName] = ()


def set_worker_queues(queues: Sequence[QueueName]) -> None:
    """Set the queues that this process serves; called by its worker."""
    global _worker_queues
    _worker_queues = tuple(queues)


def worker_queues() -> Sequence[QueueName]:
    """Return the queues that this process serves; empty in a process that is no worker."""
    return _worker_queues


_alive_report: Callable[[], None] | None = None


def set_alive_report(act: Callable[[], None] | None) -> None:
    """Set the function that reports that this process is alive; called by its worker."""
    global _alive_report
    _alive_report = act


def report_alive() -> None:
    """Report during a long job that its worker is alive. It does nothing in a process that is no worker."""
    if _alive_report is not None:
        _alive_report()


_is_shutting_down = False


def request_shutdown() -> None:
    """Ask long jobs of this process to end soon. A signal handler may call it."""
    global _is_shutting_down
    _is_shutting_down = True


def is_shutting_down() -> bool:
    """Return whether this process was asked to end."""
    return _is_shutting_down
