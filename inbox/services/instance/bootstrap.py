"""Configuration of a process: settings, logs, database, queues and sealing, each once, in this order."""

from __future__ import annotations

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.database import base, replica
from inbox.database.replica import Replica
from inbox.runtime import logs, metrics, queue, sealing


def configure(chosen: Settings, *, application: str, green: bool = False) -> None:
    """Configure this process without opening a connection. `application` is its name in PostgreSQL and in logs.

    It may be called again with other settings (tests, a forked child).
    """
    settings.use(chosen)
    logs.start(chosen.log_level, application=application)
    base.open_database(
        chosen.database_url,
        application=application,
        connections=chosen.database_connections,
        green=green,
        pooled=bool(chosen.database_pooler),
    )
    replica.use(_replica(chosen, application))
    queue.use(queue.JobQueues(chosen.redis_url))
    sealing.bind(sealing.KeyRing.parse(chosen.secret_keys))
    metrics.POOL_CONNECTIONS.labels("in_use").set_function(lambda: base.pool_usage()[0])
    metrics.POOL_CONNECTIONS.labels("idle").set_function(lambda: base.pool_usage()[1])
    metrics.POOL_LIMIT.set_function(lambda: base.pool_usage()[2])
    metrics.REDIS_POOL_CONNECTIONS.labels("in_use").set_function(lambda: queue.job_queues().pool_usage()[0])
    metrics.REDIS_POOL_CONNECTIONS.labels("idle").set_function(lambda: queue.job_queues().pool_usage()[1])
    metrics.REDIS_POOL_LIMIT.set_function(lambda: queue.job_queues().pool_usage()[2])


def _replica(chosen: Settings, application: str) -> Replica | None:
    if not chosen.read_database_url:
        return None
    return Replica(
        chosen.read_database_url,
        application=application,
        connections=chosen.database_connections,
        pooled=bool(chosen.database_pooler),
    )
