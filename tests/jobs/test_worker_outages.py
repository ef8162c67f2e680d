"""The log of a worker while Redis or PostgreSQL is unreachable: one line with the cause, no traceback."""

from __future__ import annotations

import json

import pytest
from redis import Redis

from inbox.runtime.queue import JobQueues, QueueName
from ops.embedded import Servers
from tests.jobs.test_worker import Worker, answered, redis, servers, worker
from tests.ops.processes import Reported, until
from tests.runner.ports import free_port

__all__ = ["redis", "servers", "worker"]
pytestmark = pytest.mark.slow


def lines(reported: Reported, event: str) -> list[dict[str, str]]:
    found = [json.loads(line) for line in reported.stated.splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


def test_a_lost_redis_is_one_line_with_its_cause_and_one_when_it_is_back(
    worker: Worker, servers: Servers, redis: Redis
) -> None:
    reported = worker()
    answered(servers, redis)

    servers.kill_redis()
    reported.waits_for("redis is unavailable")
    reported.waits_for("polling the database")
    servers.start_redis()
    answered(servers, redis)
    reported.waits_for("redis is available again")

    assert "Traceback" not in reported.stated
    causes = [line["cause"] for line in lines(reported, "redis is unavailable")]
    assert len(causes) == len(set(causes)) and all(causes)


def test_a_lost_postgres_is_one_line_with_its_cause(servers: Servers, worker: Worker) -> None:
    reported = worker(environment={"DATABASE_URL": f"postgresql://nobody@127.0.0.1:{free_port()}/none"})
    reported.waits_for("worker started")
    wake_ups = JobQueues(servers.redis_url)
    for wake_up in (QueueName.ROUTING, QueueName.DELIVERY, QueueName.TIMERS):
        wake_ups.wake(wake_up)
        until(lambda wake_up=wake_up: not wake_ups.is_pending(wake_up), "a worker came")
    reported.waits_for("postgres is unavailable")
    reported.process.terminate()
    reported.process.wait(90)

    assert "Traceback" not in reported.stated
    assert [line["cause"] for line in lines(reported, "postgres is unavailable")] == ["connection refused"]
    assert lines(reported, "postgres is available again") == []
