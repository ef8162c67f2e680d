"""The scheduler: broken jobs, an emptied Redis, several instances."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue

from inbox.config.settings import Settings
from inbox.runtime.queue import JobQueues, JsonJob, QueueName
from jobs.scheduler import LOCK_SECONDS, PERIODIC_JOBS, InboxScheduler, PeriodicJob
from ops.embedded import Servers
from tests.database.pgbouncer import environment_of
from tests.ops.processes import Reported, until

CLOCK = PeriodicJob("clock-test", "tests.jobs.background_tasks.note", 3600, QueueName.SWEEP)
SCHEDULED = InboxScheduler.scheduled_jobs_key


@pytest.fixture
def redis(ground: object, settings: Settings) -> Iterator[Redis]:
    """An empty Redis."""
    connection = Redis.from_url(settings.redis_url)
    yield connection
    connection.close()


@pytest.fixture
def scheduler(redis: Redis) -> InboxScheduler:
    return InboxScheduler(redis, periodic_jobs=[CLOCK])


def waiting(redis: Redis, wake_up: QueueName) -> list[str]:
    return list(Queue(wake_up.value, connection=redis).job_ids)


def test_a_job_woken_for_a_time_goes_to_its_queue_when_the_time_has_come_and_not_before(
    redis: Redis, settings: Settings, scheduler: InboxScheduler
) -> None:
    now = datetime.now(UTC)
    wake_ups = JobQueues(settings.redis_url)
    wake_ups.wake_at(QueueName.DELIVERY, now - timedelta(seconds=2))
    wake_ups.wake_at(QueueName.TIMERS, now + timedelta(hours=1))

    scheduler.run(burst=True)

    (job_id,) = waiting(redis, QueueName.DELIVERY)
    assert JsonJob.fetch(job_id, connection=redis).func_name == "jobs.delivery.run"
    assert waiting(redis, QueueName.TIMERS) == []


def test_a_broken_job_and_a_missing_job_do_not_stop_the_others(
    redis: Redis, settings: Settings, scheduler: InboxScheduler
) -> None:
    redis.hset("rq:job:broken", mapping={"created_at": "yesterday", "data": b"\x80\x04."})
    redis.zadd(SCHEDULED, {"broken": 1, "missing": 2})
    JobQueues(settings.redis_url).wake_at(QueueName.DELIVERY, datetime.now(UTC) - timedelta(seconds=2))

    scheduler.run(burst=True)

    assert len(waiting(redis, QueueName.DELIVERY)) == 1
    assert redis.zscore(SCHEDULED, "broken") is None
    assert redis.zscore(SCHEDULED, "missing") is None


def test_the_clocks_are_set_again_after_redis_was_emptied(redis: Redis, scheduler: InboxScheduler) -> None:
    scheduler.run(burst=True)
    assert waiting(redis, QueueName.SWEEP) == [CLOCK.id]

    redis.flushdb()
    scheduler.run(burst=True)

    assert waiting(redis, QueueName.SWEEP) == [CLOCK.id]
    assert redis.zscore(SCHEDULED, CLOCK.id) > time.time() + 3000


def test_a_clock_lost_between_two_commands_of_a_killed_scheduler_is_set_again(
    redis: Redis, scheduler: InboxScheduler
) -> None:
    scheduler.run(burst=True)
    redis.zrem(SCHEDULED, CLOCK.id)

    scheduler.run(burst=True)

    assert redis.zscore(SCHEDULED, CLOCK.id) is not None


def test_a_clock_that_was_set_by_a_clock_ahead_of_time_is_set_again(redis: Redis, scheduler: InboxScheduler) -> None:
    scheduler.run(burst=True)
    redis.zadd(SCHEDULED, {CLOCK.id: time.time() + 30 * 86_400})

    scheduler.ensure_scheduled()

    assert redis.zscore(SCHEDULED, CLOCK.id) <= time.time() + CLOCK.seconds


def test_a_clocks_job_that_still_waits_is_not_queued_a_second_time(redis: Redis, scheduler: InboxScheduler) -> None:
    scheduler.run(burst=True)
    redis.zadd(SCHEDULED, {CLOCK.id: 1})

    scheduler.run(burst=True)

    assert waiting(redis, QueueName.SWEEP) == [CLOCK.id]
    assert redis.zscore(SCHEDULED, CLOCK.id) > time.time()


def test_a_clock_of_an_earlier_version_is_dropped(redis: Redis, scheduler: InboxScheduler) -> None:
    InboxScheduler(
        redis, periodic_jobs=[PeriodicJob("clock-old", "jobs.gone.run", 5, QueueName.SWEEP)]
    ).ensure_scheduled()

    scheduler.run(burst=True)

    assert waiting(redis, QueueName.SWEEP) == [CLOCK.id]
    assert not redis.exists("rq:job:clock-old")


def test_a_new_start_keeps_the_time_at_which_a_clock_was_due(redis: Redis, scheduler: InboxScheduler) -> None:
    scheduler.run(burst=True)
    due = redis.zscore(SCHEDULED, CLOCK.id)
    redis.delete(InboxScheduler.scheduler_lock_key)

    InboxScheduler(redis, periodic_jobs=[CLOCK]).run(burst=True)

    assert redis.zscore(SCHEDULED, CLOCK.id) == pytest.approx(due, abs=1)


def test_only_the_holder_of_the_lock_works_and_nobody_else_can_release_it(
    redis: Redis, settings: Settings, scheduler: InboxScheduler
) -> None:
    scheduler.run(burst=True)
    other = InboxScheduler(redis, periodic_jobs=[CLOCK])
    JobQueues(settings.redis_url).wake_at(QueueName.DELIVERY, datetime.now(UTC) - timedelta(seconds=2))

    other.run(burst=True)
    other.remove_lock()
    assert waiting(redis, QueueName.DELIVERY) == []
    assert not other.acquire_lock()

    scheduler.remove_lock()
    other.run(burst=True)
    assert len(waiting(redis, QueueName.DELIVERY)) == 1


def test_every_scheduled_job_names_an_existing_entry_point() -> None:
    import importlib

    for clock in PERIODIC_JOBS:
        module, _, function = clock.function.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[Servers]:
    with Servers.start(tmp_path / "servers", durable=False, postgres=False) as servers:
        yield servers


def process(settings: Settings, servers: Servers, log: Path) -> Reported:
    environment = {
        **os.environ,
        **environment_of(settings),
        "REDIS_URL": servers.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
    }
    return Reported(["-m", "jobs.scheduler"], log, environment)


def test_a_second_scheduler_takes_over_from_a_killed_one_and_waits_for_redis(
    settings: Settings, own_redis: Servers, tmp_path: Path
) -> None:
    redis = Redis.from_url(own_redis.redis_url)
    first = process(settings, own_redis, tmp_path / "first")
    first.waits_for("holds the lock")
    second = process(settings, own_redis, tmp_path / "second")
    try:
        first.kill()
        until(lambda: "holds the lock" in second.stated, "the second takes over", LOCK_SECONDS + 20)

        own_redis.kill_redis()
        second.waits_for("redis is unavailable")
        own_redis.start_redis()  # empty: it keeps nothing
        until(lambda: redis.zcard(SCHEDULED) == len(PERIODIC_JOBS), "the clocks are set again")

        second.process.terminate()
        assert second.process.wait(90) == 0
        assert redis.get(InboxScheduler.scheduler_lock_key) is None
    finally:
        first.kill()
        second.kill()
