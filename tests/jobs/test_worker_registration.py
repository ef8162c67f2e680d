"""The record of a worker in Redis: written again after a loss, in long jobs, and not by a worker that is to end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from redis import Redis
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer
from rq.worker import Worker as RqWorker

from inbox.config.settings import Settings
from inbox.runtime.queue import QueueName
from jobs import worker as jobs_worker
from jobs.worker import QueueWorker
from tests.jobs.test_worker import Worker, redis, servers, worker
from tests.ops.processes import until
from tests.runner.ports import free_port

__all__ = ["redis", "servers", "worker"]


@pytest.fixture
def registered(settings: Settings) -> Iterator[QueueWorker]:
    """A worker of this process that runs no jobs."""
    made = jobs_worker._worker([QueueName.ROUTING, QueueName.PREVIEW], settings.redis_url)
    made.register_birth()
    yield made
    made.connection.delete(made.key)
    made.register_death()
    made.connection.close()


def found(one: QueueWorker) -> list[str]:
    """The queues of the worker, as the metrics read them."""
    workers = RqWorker.all(connection=one.connection, serializer=JSONSerializer)
    return [name for each in workers if each.name == one.name and each.last_heartbeat for name in each.queue_names()]


@pytest.mark.slow
def test_an_idle_worker_registers_again_after_redis_was_emptied(worker: Worker, redis: Redis) -> None:
    reported = worker()
    until(lambda: redis.scard("rq:workers") == 1, "the worker is there")

    redis.flushall()

    until(lambda: redis.scard("rq:workers") == 1, "the worker is there again")
    assert {name.decode() for name in redis.hkeys(next(iter(redis.smembers("rq:workers"))))} >= {"birth", "queues"}
    assert reported.process.poll() is None


def test_a_heartbeat_restores_the_whole_record_and_its_end(registered: QueueWorker) -> None:
    registered.connection.delete(registered.key)
    assert found(registered) == []

    registered.heartbeat()

    assert found(registered) == ["routing", "preview"]
    assert 0 < registered.connection.ttl(registered.key) <= jobs_worker.REGISTERED_SECONDS


def test_a_long_job_reports_now_and_then_that_its_worker_is_alive(registered: QueueWorker) -> None:
    registered.connection.delete(registered.key)
    registered.report_alive()
    assert found(registered) == ["routing", "preview"]

    registered.connection.delete(registered.key)
    registered.report_alive()
    assert found(registered) == []


def test_a_lost_redis_does_not_end_a_long_job() -> None:
    lost = QueueWorker(
        ["preview"], connection=Redis(port=free_port()), serializer=JSONSerializer, prepare_for_work=False
    )
    lost.birth_date = lost.last_heartbeat = datetime.now(UTC)

    lost.report_alive()

    with pytest.raises(StopRequested):
        lost.heartbeat(60)


def test_a_signal_that_arrived_while_the_worker_was_built_ends_it(settings: Settings) -> None:
    stop = SimpleNamespace(is_requested=True, worker=None)
    serving = threading.Thread(
        target=jobs_worker._serve, args=([QueueName.ROUTING], settings.redis_url, stop), daemon=True
    )

    serving.start()
    serving.join(20)

    assert not serving.is_alive()
    assert stop.worker is None
