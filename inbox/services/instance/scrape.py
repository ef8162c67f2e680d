"""The metrics of `GET /metrics`: counters of processes, and the present state of PostgreSQL and Redis."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import peewee
import structlog
from playhouse.pool import MaxConnectionsExceeded
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from redis.exceptions import RedisError
from rq.serializers import JSONSerializer
from rq.worker import Worker

from inbox import __version__
from inbox.database.base import db
from inbox.domain.oncall.problems import ProblemKind
from inbox.flow.unit_of_work import OUTAGES
from inbox.models.instance.backlog_metrics import BacklogMetrics, read
from inbox.runtime import outages
from inbox.runtime.metrics import processes
from inbox.runtime.queue import SCHEDULER_LAST_RUN, QueueName, job_queues

log = structlog.get_logger(__name__)

DATABASE_MS = 3_000
ALIVE_SECONDS = 60.0


def exposition() -> bytes:
    """Render the metrics in the text format of Prometheus. Raises nothing: an outage sets the `up` metric to 0."""
    registry = CollectorRegistry()
    registry.register(_Instance())
    return generate_latest(registry)


class _Instance:
    def collect(self) -> Iterator[Metric]:
        """Collect the database and Redis first, because readers look for them first."""
        yield _gauge(
            "inbox_build_info", "The running version.", {(__version__, platform.python_version()): 1}, *BUILD_LABELS
        )
        yield from _database()
        yield from _redis()
        yield from processes.gather()


BUILD_LABELS = ("version", "python")


def _database() -> Iterator[Metric]:
    found = _metrics()
    yield _gauge("inbox_postgres_up", "Whether PostgreSQL answered within three seconds.", {(): int(bool(found))})
    if found is not None:
        yield from _work(found)


def _metrics() -> BacklogMetrics | None:
    try:
        opened = db.connect(reuse_if_open=True)
        try:
            with db.atomic():
                db.execute_sql(f"SET LOCAL statement_timeout = {DATABASE_MS}")
                found = read()
            outages.postgres.record_success()
            return found
        finally:
            if opened and not db.is_closed():
                db.close()
    except (*OUTAGES, peewee.DatabaseError, MaxConnectionsExceeded) as fault:
        outages.postgres.record_failure(fault)
        return None


def _work(found: BacklogMetrics) -> Iterator[Metric]:
    yield _gauge("inbox_events_waiting", "Accepted events that are not routed yet.", {(): found.events_waiting})
    yield _gauge(
        "inbox_events_oldest_waiting_seconds", "The age of the oldest of them.", {(): found.events_oldest_seconds}
    )
    yield _gauge("inbox_events_quarantined", "Events that could not be routed.", {(): found.events_quarantined})
    yield _gauge("inbox_incidents", "Unresolved incidents.", found.incidents, "state", "severity")
    by_status = {(status,): count for status, count in found.deliveries.items()}
    yield _gauge("inbox_deliveries_waiting", "Deliveries that are not settled.", by_status, "status")
    yield _gauge(
        "inbox_deliveries_oldest_due_seconds",
        "How long the delivery that is overdue most has been due.",
        {(): found.deliveries_oldest_due_seconds},
    )
    yield _gauge("inbox_timers_overdue", "Timers that are due and not yet run.", {(): found.timers_overdue})
    yield _gauge(
        "inbox_timers_oldest_due_seconds", "How long the oldest of them is due.", {(): found.timers_oldest_seconds}
    )
    yield _gauge("inbox_mails_waiting", "Mails that are not sent yet.", {(): found.mails_waiting})
    yield _gauge(
        "inbox_mails_oldest_waiting_seconds", "The age of the oldest of them.", {(): found.mails_oldest_seconds}
    )
    by_problem = {(str(kind),): found.schedule_problems.get(kind, 0) for kind in ProblemKind}
    yield _gauge("inbox_oncall_schedule_problems", "On-call schedules that have a problem.", by_problem, "problem")


def _redis() -> Iterator[Metric]:
    try:
        families = list(_workers())
    except (RedisError, OSError) as fault:
        outages.redis.record_failure(fault)
        families = []
    yield _gauge("inbox_redis_up", "Whether Redis answered.", {(): int(bool(families))})
    yield from families


def _workers() -> Iterator[Metric]:
    redis, now = job_queues().redis, datetime.now(UTC)
    alive: dict[tuple[str], int] = {(str(queue),): 0 for queue in QueueName}
    seen: dict[tuple[str], float] = {}
    for worker in Worker.all(connection=redis, serializer=JSONSerializer):
        if worker.last_heartbeat is None:
            continue
        at = worker.last_heartbeat.replace(tzinfo=UTC)
        for name in worker.queue_names():
            key = (name,)
            if key in alive:
                alive[key] += (now - at).total_seconds() < ALIVE_SECONDS
                seen[key] = max(seen.get(key, 0.0), at.timestamp())
    yield _gauge("inbox_workers", "Workers that take a queue and were seen in the last minute.", alive, "queue")
    yield _gauge("inbox_worker_last_seen_timestamp_seconds", "When a worker of a queue was last seen.", seen, "queue")
    last = redis.get(SCHEDULER_LAST_RUN)
    yield _gauge(
        "inbox_scheduler_last_run_timestamp_seconds", "When a scheduler last ran.", {(): float(last)} if last else {}
    )
    yield _gauge("inbox_scheduler_up", "Whether a scheduler ran in the last 15 seconds.", {(): int(_is_recent(last))})


def _is_recent(last: Any) -> bool:
    return last is not None and time.time() - float(last) < 15


def _gauge(name: str, about: str, values: Mapping[Any, float], *labels: str) -> Metric:
    family = GaugeMetricFamily(name, about, labels=labels)
    for label_values, value in values.items():
        family.add_metric(list(label_values), value)
    return family
