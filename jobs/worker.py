"""The RQ worker: runs jobs in one process, and polls the database while Redis is unavailable."""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import Any

import structlog
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import worker_registration
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException
from rq.worker import DequeueStrategy, SimpleWorker, WorkerStatus

from inbox.runtime import metrics, outages, redis_client
from inbox.runtime.queue import JsonJob, QueueName, request_shutdown, set_alive_report, set_worker_queues
from jobs import startup
from jobs.faults import OutagesInOneLine, log_fault, note_success
from jobs.sweeper import PeriodicSweep

log = structlog.get_logger(__name__)

WORKER_TTL = 20  # seconds; 15 less is the longest wait for a job, 5 less the longest wait for an answer of Redis
MAINTENANCE_INTERVAL = 30
HEARTBEAT_SECONDS = 1.0  # at most one heartbeat in this time; RQ would send six for each job
REPORT_SECONDS = 10.0  # at most one heartbeat in this time during a job; without Redis it may take seconds
REGISTERED_SECONDS = 180  # the worker stays registered this long after a heartbeat: longer than most jobs may take
GC_THRESHOLDS = (
    100_000,
    20,
    20,
)  # thresholds of garbage collection: a batch of events has this many objects, and few of them are in cycles
SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 2.0  # seconds between polls while Redis is unavailable
POLLED_QUEUES = (
    QueueName.ROUTING,
    QueueName.TIMERS,
    QueueName.DELIVERY,
    QueueName.MAIL,
)  # urgent queues, which cannot wait for Redis


class QueueWorker(SimpleWorker):
    """A worker without forks that records failures only (decision 0002).

    RQ would record the start, the state and the success of each job in Redis, with some 60 commands. Wake-ups carry no
    state and have no result.
    """

    _heartbeat_at = float("-inf")

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """End the RQ loop when Redis is unavailable: RQ would retry up to a minute apart without polling.

        A heartbeat also registers the worker: Redis may have lost its record. Without a `timeout`, a heartbeat that
        follows another one within a second is not sent.
        """
        if timeout is None and time.monotonic() - self._heartbeat_at < HEARTBEAT_SECONDS:
            return
        try:
            with self.connection.pipeline() as record:
                record.hset(self.key, mapping=self.serialize())
                worker_registration.register(self, record)
                super().heartbeat(timeout or REGISTERED_SECONDS, record)
                record.execute()
        except RedisError as fault:
            outages.redis.record_failure(fault)
            raise StopRequested from None
        finally:
            self._heartbeat_at = time.monotonic()
        outages.redis.record_success()

    def report_alive(self) -> None:
        """Send a heartbeat during a job, at most one in ten seconds. A lost Redis does not end the job."""
        if time.monotonic() - self._heartbeat_at > REPORT_SECONDS:
            with contextlib.suppress(StopRequested):
                self.heartbeat()

    def set_state(self, state: str, pipeline: Any = None) -> None:
        """Keep the state in the process, because nobody reads it in Redis: the pipeline is never executed."""
        super().set_state(state, self.connection.pipeline())

    def check_for_suspension(self, burst: bool) -> None:
        """Accept no suspension through Redis, because a client with write access should not stop workers."""

    def subscribe(self) -> None:
        """Accept no commands through Redis, because a client with write access should not stop workers or kill jobs."""

    def procline(self, message: str) -> None:
        """Leave the title of the process unchanged, because it names the program, and RQ's title is a random id."""

    def set_shutdown_requested_date(self) -> None:
        """Ignore a lost Redis, because the signal handler calls this during a job, which must not be interrupted."""
        with contextlib.suppress(RedisError):
            super().set_shutdown_requested_date()

    def execute_job(self, job: Any, queue: Any) -> None:
        """Run the job without RQ's record of the start, and count it in the metrics."""
        began = time.monotonic()
        self.set_state(WorkerStatus.BUSY)
        if len(self.queues) == 1:  # RQ keeps the id aside until now, and would later record the job as lost
            with contextlib.suppress(RedisError):
                self.connection.lrem(queue.intermediate_queue_key, 1, job.id)
        succeeded = self.perform_job(job, queue)
        if succeeded:
            note_success(queue.name)
        metrics.JOBS.labels(queue.name, "done" if succeeded else "failed").inc()
        metrics.JOB_SECONDS.labels(queue.name).observe(time.monotonic() - began)
        self.set_state(WorkerStatus.IDLE)

    def perform_job(self, job: Any, queue: Any) -> bool:
        """Call the job's function within its time limit. A job without a result is then deleted, a periodic one remains.

        A worker with a longer job stays registered until the end of the job's time.
        """
        if (registered := self.get_heartbeat_ttl(job)) > REGISTERED_SECONDS:
            self.heartbeat(registered)
        try:
            with self.death_penalty_class(job.timeout, JobTimeoutException, job_id=job.id):
                job.func(*job.args, **job.kwargs)
        except Exception as fault:  # noqa: BLE001  the outermost frame of a job
            log_fault(fault, "a job failed", job.origin)
            # The log has the traceback without secrets; Redis gets none.
            self.handle_job_failure(job, queue, exc_string="see the worker log")
            return False
        if job.result_ttl == 0:
            with contextlib.suppress(RedisError):  # the next heartbeat finds the loss
                self.connection.delete(job.key)
        return True

    def _install_signal_handlers(self) -> None:
        """Leave the signals to `ShutdownSignal`, because they also end the process while no RQ loop runs."""


class ShutdownSignal:
    """Records that a signal requested the end. A running worker is notified and finishes its job."""

    def __init__(self) -> None:
        self.is_requested = False
        self.worker: QueueWorker | None = None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.is_requested = True
        request_shutdown()
        if self.worker is not None:
            self.worker.request_stop(number, frame)  # raises StopRequested when no job is running


def work(queues: Sequence[QueueName], redis_url: str) -> None:
    """Run jobs until a signal requests the end; a running job finishes first. Reconnects after a loss of Redis.

    1. The RQ worker serves the queues until Redis is lost.
    2. The process polls the database for urgent queues.
    3. It pauses, then tries to serve again.
    4. At the end it finishes its open calls.
    """
    for queue in queues:  # a broken job module ends the process now, not at its first job
        importlib.import_module(f"jobs.{queue}")
    set_worker_queues(queues)
    _freeze_heap()
    rq_log = logging.getLogger("rq.worker")
    rq_log.setLevel(logging.WARNING)  # RQ logs in the signal handler, and a signal may arrive during a write to the log
    rq_log.addFilter(OutagesInOneLine())
    stop, sweep = ShutdownSignal(), PeriodicSweep()
    try:
        _serve_until(stop, queues, redis_url)
    finally:
        sweep.end()
        if QueueName.DELIVERY in queues:
            importlib.import_module("jobs.delivery").thread.end()
        if QueueName.ONCALL in queues:
            importlib.import_module("jobs.oncall").thread.end()


def _serve_until(stop: ShutdownSignal, queues: Sequence[QueueName], redis_url: str) -> None:
    pause = 0.0
    while not stop.is_requested:
        began = time.monotonic()
        _serve(queues, redis_url, stop)
        pause = SHORTEST_PAUSE if time.monotonic() - began > 60 else min(pause * 2 or SHORTEST_PAUSE, LONGEST_PAUSE)
        if not stop.is_requested:
            if pause == SHORTEST_PAUSE:
                log.warning("redis unavailable, polling the database")
            _poll(queues, stop)
            until = time.monotonic() + pause
            while not stop.is_requested and time.monotonic() < until:
                time.sleep(0.05)


def _serve(queues: Sequence[QueueName], redis_url: str, stop: ShutdownSignal) -> None:
    worker = None
    try:
        stop.worker = worker = _worker(queues, redis_url)
        if stop.is_requested:  # by a signal during the line above
            raise StopRequested
        set_alive_report(worker.report_alive)
        worker.work(dequeue_strategy=DequeueStrategy.ROUND_ROBIN)  # jobs of one queue cannot block the others
    except StopRequested:  # before RQ's loop, which would have registered the end itself
        if worker is not None:
            with contextlib.suppress(RedisError):
                worker.register_death()
    except (RedisError, OSError) as fault:
        outages.redis.record_failure(fault)
    finally:
        stop.worker = None
        set_alive_report(None)
        if worker is not None:
            worker.connection.close()


def _worker(queues: Sequence[QueueName], redis_url: str) -> QueueWorker:
    retry = Retry(ExponentialBackoff(cap=0.5, base=0.05), 3, supported_errors=(RedisConnectionError,))
    redis = redis_client.connect(redis_url, socket_connect_timeout=2, retry=retry)
    return QueueWorker(
        [str(queue) for queue in queues],
        connection=redis,
        job_class=JsonJob,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL,
        maintenance_interval=MAINTENANCE_INTERVAL,
        log_job_description=False,
    )


def _poll(queues: Sequence[QueueName], stop: ShutdownSignal) -> None:
    """Run the jobs of urgent queues without wake-ups."""
    for queue in POLLED_QUEUES:
        if queue in queues and not stop.is_requested:
            try:
                importlib.import_module(f"jobs.{queue}").run()
                note_success(queue)
            except Exception as fault:  # noqa: BLE001  Postgres may be unavailable too; the next poll is soon
                log_fault(fault, "poll failed", queue.value)


def _freeze_heap() -> None:
    """Exclude loaded objects from garbage collection, and run it rarely: a run for each event is expensive."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def main(arguments: Sequence[str]) -> int:
    """`bin/worker [queue ...]`: all queues when none is named."""
    try:
        queues = [QueueName(name) for name in arguments] or list(QueueName)
    except ValueError:
        print(f"The queues are {', '.join(QueueName)}.", file=sys.stderr)
        return 2
    settings = startup.read_settings()
    if settings is None:
        return startup.UNUSABLE_SETTINGS
    startup.start(settings, "worker")
    log.info("worker started", queues=[str(queue) for queue in queues])
    work(queues, settings.redis_url)
    log.info("worker stopped")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
