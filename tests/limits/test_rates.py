"""Buckets in PostgreSQL: exact under concurrency, refilled by time, and unchanged by refused requests."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import peewee
import pytest
from redis import Redis

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.limits import rates
from inbox.models.instance.rate_limit_buckets import Throttle
from tests.cast import NOW

RATE = 10 / 300
"""Ten tokens in five minutes: one every thirty seconds."""


@pytest.fixture
def limited(ground: peewee.Database, settings: Settings) -> Iterator[Settings]:
    chosen = replace(settings, rate_limits=True)
    in_force.use(chosen)
    yield chosen
    in_force.use(settings)


def take(seconds: float = 0, *, bucket: str = "door", capacity: int = 10) -> int:
    return rates.take(bucket, capacity, capacity / 300, NOW + timedelta(seconds=seconds))


@pytest.mark.usefixtures("limited")
def test_an_empty_bucket_states_how_long_to_wait() -> None:
    assert [take() for _ in range(10)] == [0] * 10
    assert take() == 30


@pytest.mark.usefixtures("limited")
def test_a_bucket_refills_with_time_and_never_above_its_capacity() -> None:
    for _ in range(10):
        take()

    assert take(29) == 1
    assert take(30) == 0
    assert take(30) == 30
    assert [take(100_000) for _ in range(11)].count(0) == 10


@pytest.mark.usefixtures("limited")
def test_a_refused_take_consumes_no_tokens() -> None:
    for _ in range(10):
        take()
    refused = [take(15) for _ in range(50)]

    assert set(refused) == {15}
    assert take(30) == 0


@pytest.mark.usefixtures("limited")
def test_a_take_after_the_stated_wait_succeeds() -> None:
    for _ in range(10):
        take(3)
    wait = take(7.5)

    assert take(7.5 + wait) == 0


@pytest.mark.usefixtures("limited")
def test_a_clock_that_goes_back_fills_nothing() -> None:
    for _ in range(10):
        take(1000)

    assert take(0) > 0
    assert take(1030) == 0


@pytest.mark.usefixtures("limited")
def test_buckets_of_different_keys_are_independent() -> None:
    for _ in range(10):
        take()

    assert take(bucket="another door") == 0


@pytest.mark.usefixtures("limited")
def test_twenty_concurrent_callers_take_exactly_the_capacity() -> None:
    def one(_: int) -> int:
        with db.connection_context():
            return take()

    with ThreadPoolExecutor(20) as pool:
        waits = list(pool.map(one, range(60)))

    assert waits.count(0) == 10


def test_a_flushed_redis_resets_no_limit(limited: Settings) -> None:
    for _ in range(10):
        take()
    Redis.from_url(limited.redis_url).flushall()

    assert take() > 0


@pytest.mark.usefixtures("ground")
def test_rate_limits_can_be_switched_off_for_load_tests() -> None:
    assert [take() for _ in range(50)] == [0] * 50
    assert Throttle.select().count() == 0


@pytest.mark.usefixtures("limited")
def test_a_capacity_of_zero_means_no_limit() -> None:
    assert [rates.take("door", 0, RATE, NOW) for _ in range(5)] == [0] * 5


@pytest.mark.usefixtures("limited")
def test_buckets_that_are_full_again_can_be_forgotten() -> None:
    take(0, bucket="old")
    take(5000, bucket="new")

    assert rates.forget(NOW + timedelta(seconds=2000)) == 1
    assert [row.bucket for row in Throttle.select()] == ["new"]


@pytest.mark.usefixtures("limited")
def test_refunded_tokens_can_be_taken_again_up_to_the_capacity() -> None:
    for _ in range(10):
        take()
    rates.refund("door", 10)
    assert [take(), take()] == [0, 30]

    for _ in range(20):
        rates.refund("door", 10)
    assert [take() for _ in range(11)] == [0] * 10 + [30]
