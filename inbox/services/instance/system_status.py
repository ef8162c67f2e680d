"""The status of the instance: each component with a state and a figure (specification 13.3)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from redis import Redis
from redis.exceptions import RedisError, ResponseError
from rq.serializers import JSONSerializer
from rq.worker import Worker

from inbox.config import settings
from inbox.database.base import db
from inbox.flow import mail_outbox
from inbox.models.instance.backlog_metrics import read
from inbox.runtime.queue import QueueName, job_queues

SCHEDULER_LOCK, SCHEDULED = "rq:scheduler_lock", "rq:scheduler:scheduled_jobs"
ALIVE_SECONDS = 60.0
PROBE = "inbox:probe"
NO_WORKER = "No worker is running. Events are stored but not routed, and nobody is notified until a worker runs."


class State(StrEnum):
    """`degraded`: the component works, but slowly or in part. `down`: it does not work."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class ComponentStatus:
    """The status of one component: its state, a figure with its unit, and a sentence.

    `redis_refuses` means that Redis responds but accepts no writes, which causes the state.
    """

    status: State
    value: float
    unit: str
    detail: str
    redis_refuses: bool = False


def parts() -> Mapping[str, ComponentStatus]:
    """Check all components now. A Redis outage is part of the result and raises nothing."""
    redis = job_queues().redis
    return {
        "queues": _queues(),
        "workers": _checked(_workers, redis, "workers"),
        "scheduler": _checked(_scheduler, redis, "seconds late"),
        "database": _database(),
        "feed": _checked(_feed, redis, "milliseconds"),
        "mail": _mail(),
    }


def quarantined() -> int:
    """Return the number of events in quarantine."""
    return read().events_quarantined


def _queues() -> ComponentStatus:
    found = read()
    oldest = max(found.events_oldest_seconds, found.deliveries_oldest_due_seconds)
    status = _state(oldest, 15, 300)
    if status is State.OK and found.events_quarantined:
        status = State.DEGRADED
    waiting = sum(found.deliveries.get(each, 0) for each in ("pending", "sending", "retrying"))
    detail = f"{found.events_waiting} events and {waiting} deliveries are queued; {found.events_quarantined} events are quarantined."
    return ComponentStatus(status, round(oldest, 1), "seconds", detail)


def _state(figure: float, degraded: float, down: float) -> State:
    return State.DOWN if figure >= down else State.DEGRADED if figure >= degraded else State.OK


def _workers(redis: Redis) -> ComponentStatus:
    now = datetime.now(UTC)
    alive = [
        worker
        for worker in Worker.all(connection=redis, serializer=JSONSerializer)
        if worker.last_heartbeat and (now - worker.last_heartbeat.replace(tzinfo=UTC)).total_seconds() < ALIVE_SECONDS
    ]
    last_seen = {name for worker in alive for name in worker.queue_names()}
    silent = sorted({str(queue) for queue in QueueName} - last_seen)
    if not alive:
        return ComponentStatus(State.DOWN, 0, "workers", NO_WORKER)
    detail = f"No worker serves {', '.join(silent)}." if silent else "Every queue has a worker."
    return ComponentStatus(State.DEGRADED if silent else State.OK, len(alive), "workers", detail)


def _scheduler(redis: Redis) -> ComponentStatus:
    first = redis.zrange(SCHEDULED, 0, 0, withscores=True)
    late = max(0.0, time.time() - float(first[0][1])) if first else 0.0
    if not redis.exists(SCHEDULER_LOCK):
        return ComponentStatus(
            State.DEGRADED,
            round(late, 1),
            "seconds late",
            "No scheduler is running; workers poll the database instead.",
        )
    return ComponentStatus(_state(late, 10, 120), round(late, 1), "seconds late", "A scheduler is running.")


def _database() -> ComponentStatus:
    began = time.perf_counter()
    used, most = db.execute_sql(
        "SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),"
        " current_setting('max_connections')::int"
    ).fetchone()
    took = (time.perf_counter() - began) * 1000
    status = max(_state(took, 250, 5_000), _state(used / most, 0.9, 2), key=list(State).index)
    return ComponentStatus(status, round(took, 1), "milliseconds", f"{used} of {most} connections are in use.")


def _feed(redis: Redis) -> ComponentStatus:
    began = time.perf_counter()
    redis.ping()
    took = (time.perf_counter() - began) * 1000
    return ComponentStatus(_state(took, 100, 5_000), round(took, 1), "milliseconds", "Redis publishes changes at once.")


def _mail() -> ComponentStatus:
    waiting, oldest, failed = db.execute_sql(
        "SELECT count(*) FILTER (WHERE due_at IS NOT NULL),"
        " coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE due_at IS NOT NULL)), 0)::float8,"
        " count(*) FILTER (WHERE failed_at > now() - interval '1 day' AND failure IS DISTINCT FROM %s)"
        " FROM mail_outbox WHERE due_at IS NOT NULL OR failed_at > now() - interval '1 day'",
        (mail_outbox.NO_RECIPIENT,),
    ).fetchone()
    if not settings.current().can_send_mail:
        return ComponentStatus(State.OK, waiting, "mails", "No mail server is set. `INBOX_SMTP_URL` names one.")
    status = State.DEGRADED if failed else _state(oldest, 300, 3_600)
    return ComponentStatus(
        status, waiting, "mails", f"{waiting} mails are queued; {failed} could not be sent in the last day."
    )


def _checked(check: Callable[[Redis], ComponentStatus], redis: Redis, unit: str) -> ComponentStatus:
    status = State.DEGRADED if check is _feed else State.DOWN
    try:
        redis.set(PROBE, b"1", px=1_000)
        return check(redis)
    except ResponseError as refused:
        error_text = str(refused).strip().partition(". ")[0][:200].rstrip(".")
        return ComponentStatus(
            status,
            0,
            unit,
            f"Redis takes no writes: {error_text}. Workers poll the database, a few seconds late.",
            True,
        )
    except (RedisError, OSError):
        return ComponentStatus(
            status, 0, unit, "Redis is not responding; workers poll the database, a few seconds late."
        )
