"""What a worker writes to its log while Redis or PostgreSQL is away: one line with the cause, no traceback."""

from __future__ import annotations

import json

import pytest
from redis import Redis

from inbox.queue import JobQueues, QueueName
from ops.embedded import Servers
from tests.jobs.test_worker import Worker, answered, redis, servers, worker
from tests.ops.processes import Told, until
from tests.ports import free_port

__all__ = ["redis", "servers", "worker"]
pytestmark = pytest.mark.slow


def lines(told: Told, event: str) -> list[dict[str, str]]:
    found = [json.loads(line) for line in told.said.splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


def test_a_lost_redis_is_one_line_with_its_cause_and_one_when_it_is_back(
    worker: Worker, servers: Servers, redis: Redis
) -> None:
    told = worker()
    answered(servers, redis)

    servers.kill_redis()
    told.waits_for("redis is unavailable")
    told.waits_for("polling the database")
    servers.start_redis()
    answered(servers, redis)
    told.waits_for("redis is available again")

    assert "Traceback" not in told.said
    causes = [line["cause"] for line in lines(told, "redis is unavailable")]
    assert len(causes) == len(set(causes)) and all(causes)


def test_a_lost_postgres_is_one_line_with_its_cause(servers: Servers, worker: Worker) -> None:
    told = worker(environment={"DATABASE_URL": f"postgresql://nobody@127.0.0.1:{free_port()}/none"})
    told.waits_for("worker started")
    bells = JobQueues(servers.redis_url)
    for bell in (QueueName.ROUTING, QueueName.TIMERS):
        bells.wake(bell)
        until(lambda bell=bell: not bells.is_pending(bell), "a worker came")
    told.waits_for("postgres is unavailable")
    told.process.terminate()
    told.process.wait(90)

    assert "Traceback" not in told.said
    assert [line["cause"] for line in lines(told, "postgres is unavailable")] == ["connection refused"]
