"""A wake-up that Redis lost is sent again for the due rows of PostgreSQL; old rows of the feed are removed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from redis import Redis
from rq import Queue

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.flow.routing.route import route
from inbox.flow.upkeep.purge import purge
from inbox.flow.upkeep.sweep import sweep
from inbox.live.feed import Change
from inbox.models.deliveries.tables import Delivery
from inbox.models.events.tables import EventDedup, EventQueueRow, IdempotencyRecord
from inbox.models.incidents import timers
from inbox.models.instance import maintenance
from inbox.runtime.queue import QueueName
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept, listen, routed

MINUTE = timedelta(minutes=1)


@pytest.fixture
def redis(cast: Cast, settings: Settings) -> Iterator[Redis]:
    connection = Redis.from_url(settings.redis_url)
    yield connection
    connection.close()


def queued(redis: Redis) -> set[QueueName]:
    return {wake_up for wake_up in QueueName if Queue(wake_up.value, connection=redis).count}


def test_an_empty_queue_sends_no_wake_up(redis: Redis) -> None:
    assert sweep(NOW) == []
    assert queued(redis) == set()


def test_unrouted_events_wake_the_routing_queue(cast: Cast, redis: Redis) -> None:
    accept(cast.source)

    assert sweep(NOW) == [QueueName.ROUTING]
    assert queued(redis) == {QueueName.ROUTING}


def test_a_quarantined_event_sends_no_wake_up(cast: Cast) -> None:
    accept(cast.source)
    EventQueueRow.update(quarantined_at=NOW).execute()

    assert sweep(NOW) == []


@pytest.mark.parametrize("status", ["pending", "retrying", "sending"])
def test_due_deliveries_wake_the_delivery_queue(cast: Cast, redis: Redis, status: str) -> None:
    listen(cast.workspace)
    routed(cast.source)
    redis.flushdb()
    Delivery.update(status=status, due_at=NOW + MINUTE).execute()

    assert sweep(NOW) == []
    assert sweep(NOW + MINUTE) == [QueueName.DELIVERY]
    assert queued(redis) == {QueueName.DELIVERY}


def test_settled_deliveries_send_no_wake_up(cast: Cast) -> None:
    listen(cast.workspace)
    routed(cast.source)
    Delivery.update(status="sent", due_at=None).execute()

    assert sweep(NOW) == []


def test_due_timers_wake_the_timer_queue(cast: Cast, redis: Redis) -> None:
    timers.set_timer("incident.snooze_end", uuid4(), cast.workspace.id, NOW + MINUTE)

    assert sweep(NOW) == []
    assert sweep(NOW + MINUTE) == [QueueName.TIMERS]
    assert queued(redis) == {QueueName.TIMERS}


def test_one_process_sweeps_at_a_time(cast: Cast) -> None:
    accept(cast.source)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with db.connection_context(), db.atomic():
            assert maintenance.try_sweep_lock()
            held.set()
            done.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(60)
    assert sweep(NOW) == []
    done.set()
    other.join()
    assert sweep(NOW) == [QueueName.ROUTING]


def test_the_feed_keeps_ten_minutes(cast: Cast) -> None:
    for number in range(2_500):
        Change.insert(at=NOW - 11 * MINUTE, refs=[number]).execute()
    Change.insert(at=NOW - 9 * MINUTE, refs=["young"]).execute()

    sweep(NOW)

    assert [change.refs for change in Change.select()] == [["young"]]


def test_the_purge_forgets_replays_after_48_hours(cast: Cast) -> None:
    for age in (47, 49):
        at = NOW - timedelta(hours=age)
        for number in range(3 if age == 47 else 1_200):
            EventDedup.insert(
                source_id=cast.source.id, kind="key", digest=f"{age} {number}".encode(), event_id=uuid4(), created_at=at
            ).execute()
        IdempotencyRecord.insert(
            source_id=cast.source.id,
            route="POST /v1/events",
            key=str(age),
            body_hash=b"",
            status=202,
            response=b"",
            created_at=at,
        ).execute()

    removed = purge(NOW)

    assert {kind: count for kind, count in removed.items() if count} == {
        "idempotency_records": 1,
        "event_dedup": 1_200,
    }
    assert {bytes(row.digest)[:2] for row in EventDedup.select()} == {b"47"}
    assert [row.key for row in IdempotencyRecord.select()] == ["47"]


def test_a_lost_wake_up_costs_seconds_and_no_event(cast: Cast, redis: Redis) -> None:
    accept(cast.source)
    redis.flushdb()

    assert QueueName.ROUTING in sweep(NOW)
    assert route(lambda: NOW) == 1
