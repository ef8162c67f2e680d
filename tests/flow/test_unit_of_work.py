"""Units of work: effects after a commit happen only after it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import peewee
import pytest
from redis import Redis
from rq import Queue

from inbox.config.settings import Settings
from inbox.flow.unit_of_work import work
from inbox.live import feed
from inbox.live.feed import Change
from inbox.models.instance.rate_limit_buckets import Throttle
from inbox.runtime.queue import JsonJob, QueueName, job_queues
from tests.cast import NOW, present


@pytest.fixture
def redis(ground: peewee.Database, settings: Settings) -> Redis:
    return Redis.from_url(settings.redis_url)


def queued(redis: Redis, wake_up: QueueName) -> int:
    return Queue(wake_up.value, connection=redis).count


def test_wake_ups_and_references_are_published_after_the_commit(redis: Redis) -> None:
    listener = redis.pubsub(ignore_subscribe_messages=True)
    listener.subscribe(feed.CHANNEL)
    listener.get_message(timeout=30)

    with work() as done:
        done.wake(QueueName.ROUTING)
        done.publish_change("incident", uuid4(), uuid4(), op="created", rev=1)
        assert queued(redis, QueueName.ROUTING) == 0

    assert queued(redis, QueueName.ROUTING) == 1
    assert Change.select().count() == 1
    assert listener.get_message(timeout=30) is not None


def test_a_failed_unit_of_work_leaves_nothing_behind(redis: Redis) -> None:
    with pytest.raises(ZeroDivisionError), work() as done:
        Throttle.create(bucket="x", tokens=1, filled_at=NOW)
        done.wake(QueueName.DELIVERY)
        done.publish_change("incident", uuid4(), uuid4())
        _ = 1 / 0

    assert Throttle.select().count() == 0
    assert Change.select().count() == 0
    assert queued(redis, QueueName.DELIVERY) == 0


def test_changes_of_one_record_are_published_once_with_the_newest_revision(redis: Redis) -> None:
    subject, workspace = uuid4(), uuid4()

    with work() as done:
        done.publish_change("incident", subject, workspace, op="created", rev=1)
        done.publish_change("incident", subject, workspace, rev=2)

    assert [(ref["op"], ref["rev"]) for ref in Change.get().refs] == [("created", 2)]


def test_a_second_wake_up_before_a_worker_arrives_starts_no_second_one(redis: Redis) -> None:
    for _ in range(5):
        job_queues().wake(QueueName.ROUTING)
    assert queued(redis, QueueName.ROUTING) == 1

    job_queues().acknowledge(QueueName.ROUTING)
    job_queues().wake(QueueName.ROUTING)
    assert queued(redis, QueueName.ROUTING) == 2


def test_a_wake_up_for_later_is_set_once_a_second_and_carries_no_pickle(redis: Redis) -> None:
    moment = present() + timedelta(hours=1)

    assert job_queues().wake_at(QueueName.TIMERS, moment.replace(microsecond=1))
    assert job_queues().wake_at(QueueName.TIMERS, moment.replace(microsecond=999_999))

    (job_id,) = redis.zrange("rq:scheduler:scheduled_jobs", 0, -1)
    assert JsonJob.fetch(job_id.decode(), connection=redis).func_name == "jobs.timers.run"
    assert redis.zscore("rq:scheduler:scheduled_jobs", job_id) >= moment.timestamp() - 1


def test_a_redis_that_is_away_costs_a_unit_of_work_nothing(ground: peewee.Database, settings: Settings) -> None:
    from inbox.runtime import queue

    queue.use(queue.JobQueues("redis://127.0.0.1:1/0"))

    with work() as done:
        Throttle.create(bucket="x", tokens=1, filled_at=NOW)
        done.wake(QueueName.ROUTING)
        done.wake(QueueName.TIMERS, at=present())
        done.publish_change("incident", uuid4(), uuid4())

    assert Throttle.select().count() == 1
    assert Change.select().count() == 1
