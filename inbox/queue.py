"""Bells: Redis and RQ wake the workers that drain what Postgres remembers; a lost bell is rung again by the sweep."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
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

from inbox import metrics, outages

log = structlog.get_logger(__name__)

WAKEUP = "inbox:wakeup:{bell}"
FORMER_WAKEUP = "inbox:rung:{bell}"
"""The key of version 0028, set and deleted beside the new one. The next version drops it."""
WAKEUP_MS = 2_000
SCHEDULER_LAST_RUN = "inbox:scheduler:last_run"
BREAK_AFTER, BREAK_SECONDS = 3, 5.0


class QueueName(StrEnum):
    """What a worker is woken for; each is an RQ queue of that name and a door `jobs.<name>.run`."""

    ROUTING = "routing"
    DELIVERY = "delivery"
    TIMERS = "timers"
    SWEEP = "sweep"
    PURGE = "purge"
    MAIL = "mail"
    PREVIEW = "preview"


class JsonJob(Job):
    """A job whose arguments are JSON, never pickles: write access to Redis must not be execution of code."""

    @classmethod
    def create(cls, *args, **kwargs):  # type: ignore[no-untyped-def]
        return super().create(*args, **{**kwargs, "serializer": JSONSerializer})

    @classmethod
    def fetch(cls, id, connection=None, serializer=None):  # type: ignore[no-untyped-def]
        return super().fetch(id, connection=connection, serializer=JSONSerializer)


class JobQueues:
    """Rings through one Redis connection pool; when Redis is away it gives up at once and the sweep rings instead."""

    def __init__(self, redis_url: str) -> None:
        self.redis: Redis = Redis.from_url(
            redis_url,
            socket_timeout=0.25,
            socket_connect_timeout=0.25,
            retry=Retry(NoBackoff(), 0),
            max_connections=64,
        )
        self._failures = 0
        self._closed_until = 0.0

    def pool_usage(self) -> tuple[int, int, int]:
        """Connections of the pool: in use, idle, and the most there may be."""
        pool = self.redis.connection_pool
        counts = {labels["db.client.connection.state"]: count for count, labels in pool.get_connection_count()}
        return counts["used"], counts["idle"], pool.max_connections

    def wake(self, queue: QueueName) -> bool:
        """Wake a worker, unless one has been called and not yet come; False when Redis did not take it."""
        if time.monotonic() < self._closed_until:
            return False
        try:
            if self._is_first(queue):
                self._enqueue(queue)
            self._failures = 0
            outages.redis.ended()
            return True
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)
            return False

    def wake_at(self, queue: QueueName, moment: datetime) -> bool:
        """Wake a worker at `moment` (rounded up to a whole second); ringing twice for one second is ringing once."""
        from rq_scheduler import Scheduler

        if time.monotonic() < self._closed_until:
            return False
        second = math.ceil(moment.timestamp())
        try:
            Scheduler(queue_name=queue.value, connection=self.redis, job_class=JsonJob).enqueue_at(
                datetime.fromtimestamp(second, UTC).replace(tzinfo=None),
                f"jobs.{queue}.run",
                job_id=f"{queue}-{second}",
                job_result_ttl=0,
                timeout=JOB_SECONDS[queue],
            )
            return True
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)
            return False

    def acknowledge(self, queue: QueueName) -> None:
        """A worker came: the next `wake` calls another one. Called by each job first of all, before it looks."""
        try:
            self.redis.delete(*_keys(queue))
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)

    def is_pending(self, queue: QueueName) -> bool:
        """Whether somebody called and no worker has come yet; also where Redis does not say."""
        if time.monotonic() < self._closed_until:
            return True
        try:
            return bool(self.redis.llen(Queue(queue.value, connection=self.redis).key))
        except (RedisError, OSError) as fault:
            self._on_failure(queue, fault)
            return True

    def publish(self, channel: str, payload: bytes) -> bool:
        """Tell whoever listens now; False when Redis did not take it."""
        if time.monotonic() < self._closed_until:
            return False
        try:
            self.redis.publish(channel, payload)
            self._failures = 0
            outages.redis.ended()
            return True
        except (RedisError, OSError) as fault:
            self._on_failure(channel, fault)
            return False

    def _is_first(self, queue: QueueName) -> bool:
        """Whether no call is pending under one of the keys; from now on one is. A worker of version 0028 deletes its own alone."""
        with self.redis.pipeline(transaction=False) as pipeline:
            for key in _keys(queue):
                pipeline.set(key, b"1", nx=True, px=WAKEUP_MS)
            return any(pipeline.execute())

    def _enqueue(self, queue: QueueName) -> None:
        Queue(queue.value, connection=self.redis, serializer=JSONSerializer, job_class=JsonJob).enqueue(
            f"jobs.{queue}.run", job_timeout=JOB_SECONDS[queue], result_ttl=0, failure_ttl=3600
        )

    def _on_failure(self, queue: str, fault: Exception) -> None:
        self._failures += 1
        metrics.WAKEUPS_FAILED.inc()
        if self._failures >= BREAK_AFTER:
            self._closed_until = time.monotonic() + BREAK_SECONDS
        log.debug("wake-up not sent", queue=str(queue), fault=type(fault).__name__)
        outages.redis.began(fault)


def _keys(queue: QueueName) -> tuple[str, str]:
    return WAKEUP.format(bell=queue), FORMER_WAKEUP.format(bell=queue)


JOB_SECONDS: dict[QueueName, int] = {
    QueueName.ROUTING: 60,
    QueueName.DELIVERY: 90,
    QueueName.TIMERS: 60,
    QueueName.SWEEP: 60,
    QueueName.PURGE: 3600,
    QueueName.MAIL: 180,
    QueueName.PREVIEW: 3600,
}

STEP_SECONDS = 2.0
"""How long a job that may go on another time keeps a worker from its other queues. Deliveries take longer turns."""

_queues: JobQueues | None = None


def use(queues: JobQueues) -> None:
    """Make these the bells of the process; called by `wiring.wire`."""
    global _queues
    _queues = queues


def job_queues() -> JobQueues:
    """The bells of the process; raises `RuntimeError` before `use`."""
    if _queues is None:
        raise RuntimeError("the queues are used before they are configured")
    return _queues


_worker_queues: Sequence[QueueName] = ()


def set_worker_queues(queues: Sequence[QueueName]) -> None:
    """Say which bells this process answers; called by its worker."""
    global _worker_queues
    _worker_queues = tuple(queues)


def worker_queues() -> Sequence[QueueName]:
    """The bells that this process answers; none where it is no worker."""
    return _worker_queues


_is_leaving = False


def request_shutdown() -> None:
    """Ask long jobs of this process to come to their end; may be called by a signal's handler."""
    global _is_leaving
    _is_leaving = True


def is_shutting_down() -> bool:
    """Whether this process was asked to end."""
    return _is_leaving
