"""The worker process: signals, turns, a lost Redis, and foreign jobs that it leaves alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.serializers import DefaultSerializer, JSONSerializer

from inbox.config.settings import Settings
from inbox.runtime.queue import WAKEUP, JobQueues, JsonJob, QueueName
from ops.embedded import Servers
from tests.cast import Cast, present
from tests.database.pgbouncer import environment_of
from tests.flow.routing_fixtures import accept, event
from tests.ops.processes import Reported, until

pytestmark = pytest.mark.slow

TASKS = "tests.jobs.background_tasks"
Worker = Callable[..., Reported]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """A Redis of our own, that can be stopped."""
    with Servers.start(tmp_path / "servers", durable=False, postgres=False) as servers:
        yield servers


@pytest.fixture
def redis(servers: Servers) -> Redis:
    return Redis.from_url(servers.redis_url)


@pytest.fixture
def worker(ground: object, settings: Settings, servers: Servers, tmp_path: Path) -> Iterator[Worker]:
    """Starts worker processes, by default on all queues."""
    running: list[Reported] = []

    def start(*queues: str, environment: Mapping[str, str] | None = None) -> Reported:
        complete = {
            **os.environ,
            **environment_of(settings),
            "REDIS_URL": servers.redis_url,
            "INBOX_SECRET_KEYS": settings.secret_keys,
            "INBOX_SIGNING_KEY": settings.signing_key,
            **(environment or {}),
        }
        running.append(Reported(["-m", "jobs.worker", *queues], tmp_path / f"worker-{len(running)}", complete))
        return running[-1]

    yield start
    for reported in running:
        reported.kill()


def enqueue(redis: Redis, wake_up: QueueName, function: str, *arguments: str, serializer: Any = JSONSerializer) -> str:
    job_class = JsonJob if serializer is JSONSerializer else None
    queue = Queue(wake_up.value, connection=redis, serializer=serializer, job_class=job_class)
    return str(queue.enqueue(f"{TASKS}.{function}", *arguments, result_ttl=0).id)


def test_a_wake_up_is_answered_again_after_redis_was_killed_and_came_back_empty(
    worker: Worker, servers: Servers, redis: Redis
) -> None:
    reported = worker()
    answered(servers, redis)

    servers.kill_redis()
    reported.waits_for("polling the database")
    servers.start_redis()

    answered(servers, redis)
    assert reported.process.poll() is None


def answered(servers: Servers, redis: Redis) -> None:
    assert until(lambda: JobQueues(servers.redis_url).wake(QueueName.ROUTING), "the wake-up is sent")
    until(
        lambda: not redis.exists(WAKEUP.format(queue="routing")) and not redis.llen("rq:queue:routing"),
        "it is answered",
    )


def test_an_event_is_routed_while_redis_is_away(worker: Worker, servers: Servers, cast: Cast) -> None:
    reported = worker()
    reported.waits_for("worker started")
    servers.stop_redis()

    undelivered = accept(cast.source, present())

    assert until(lambda: event(undelivered).disposition == "opened", "it is routed")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_worker_cleanly(worker: Worker, redis: Redis, number: signal.Signals) -> None:
    reported = worker()
    until(lambda: redis.scard("rq:workers") == 1, "the worker is there")

    reported.process.send_signal(number)

    assert reported.process.wait(90) == 0
    assert redis.scard("rq:workers") == 0


def test_a_signal_ends_a_worker_that_has_lost_redis(worker: Worker, servers: Servers) -> None:
    reported = worker()
    servers.stop_redis()
    reported.waits_for("polling the database")

    reported.process.terminate()

    assert reported.process.wait(90) == 0


def test_a_running_job_is_finished_before_the_worker_ends(worker: Worker, redis: Redis, tmp_path: Path) -> None:
    reported = worker("routing")
    enqueue(redis, QueueName.ROUTING, "slow", str(tmp_path))
    until((tmp_path / "began").exists, "the job began")

    reported.process.terminate()
    (name,) = redis.smembers("rq:workers")
    until(lambda: redis.hexists(name, "shutdown_requested_date"), "the worker has heard the signal")
    assert reported.process.poll() is None
    (tmp_path / "go").touch()

    assert reported.process.wait(90) == 0
    assert (tmp_path / "ended").exists()


def test_queues_take_turns_so_that_a_storm_on_one_does_not_starve_the_others(
    worker: Worker, redis: Redis, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    for word in ("routing-1", "routing-2", "routing-3"):
        enqueue(redis, QueueName.ROUTING, "note", str(notes), word)
    enqueue(redis, QueueName.DELIVERY, "note", str(notes), "delivery-1")
    enqueue(redis, QueueName.DELIVERY, "note", str(notes), "delivery-2")

    worker("routing", "delivery")

    until(lambda: notes.exists() and len(notes.read_text().split()) == 5, "all jobs ran")
    assert notes.read_text().split() == ["routing-1", "delivery-1", "routing-2", "delivery-2", "routing-3"]


def test_a_worker_of_one_queue_leaves_no_job_that_would_count_as_lost(
    worker: Worker, redis: Redis, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    enqueue(redis, QueueName.ROUTING, "note", str(notes), "routing-1")
    enqueue(redis, QueueName.ROUTING, "note", str(notes), "routing-2")

    worker("routing")

    until(lambda: notes.exists() and len(notes.read_text().split()) == 2, "both jobs ran")
    assert redis.lrange(Queue("routing", connection=redis).intermediate_queue_key, 0, -1) == []


def test_a_job_that_was_pickled_into_redis_is_not_run(worker: Worker, redis: Redis, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    enqueue(redis, QueueName.ROUTING, "note", str(notes), "pickled", serializer=DefaultSerializer)
    enqueue(redis, QueueName.ROUTING, "note", str(notes), "json")

    worker("routing")

    until(lambda: notes.exists() and notes.read_text(), "the job after it ran")
    assert notes.read_text().split() == ["json"]


def test_the_error_of_a_failing_job_is_not_kept_in_redis(worker: Worker, redis: Redis) -> None:
    job_id = enqueue(redis, QueueName.ROUTING, "fail", "a-canary")

    reported = worker("routing")

    until(lambda: redis.zcard("rq:failed:routing"), "the job failed")
    reported.waits_for("it broke over a-canary")
    retained = [redis.dump(key) or b"" for key in redis.scan_iter("rq:*") if not key.endswith(b":" + job_id.encode())]
    assert not any(b"a-canary" in value for value in retained)


def test_a_queue_that_does_not_exist_is_refused(worker: Worker) -> None:
    reported = worker("routing", "routeing")

    assert reported.process.wait(90) == 2
    assert "routing, delivery, timers, sweep, purge" in reported.stated
