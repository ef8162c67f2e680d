"""Rate limits of events: per source, per workspace, counted over all web processes (specification 2.8)."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from redis import Redis

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.domain.values.refusals import RateLimited
from inbox.flow.ingest.group_commit import GroupCommitter
from inbox.limits.ingest import MIB, Charge, IngestRateLimiter
from inbox.models.events.tables import Event, IdempotencyRecord
from inbox.runtime import queue
from tests.cast import Cast
from tests.flow.concurrent_connections import offer, together, tried

SOURCE, WORKSPACE = uuid4(), uuid4()


@pytest.fixture
def limits(ground: object, settings: Settings) -> Iterator[Callable[..., None]]:
    """`limits(source, workspace)` sets the rates a minute; a bucket holds twice as many."""

    def use(source: int, workspace: int, **more: Any) -> None:
        chosen = replace(
            settings,
            rate_limits=True,
            events_per_minute_source=source,
            events_per_minute_workspace=workspace,
            **more,
        )
        in_force.use(chosen)

    yield use
    in_force.use(settings)
    queue.use(queue.JobQueues(settings.redis_url))


@pytest.fixture(params=["redis", "alone"])
def rates(request: pytest.FixtureRequest, limits: object) -> IngestRateLimiter:
    """The buckets in Redis, and those of a process that has no Redis."""
    if request.param == "alone":
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            queue.use(queue.JobQueues(f"redis://127.0.0.1:{nobody.getsockname()[1]}/0"))
    return IngestRateLimiter()


def charge(events: int = 1, source: UUID = SOURCE, workspace: UUID = WORKSPACE) -> Charge:
    return Charge(source, workspace, events)


def test_a_bucket_holds_twice_the_refill_of_a_minute(rates: IngestRateLimiter, limits: Callable[..., None]) -> None:
    limits(6, 0)
    assert rates.consume([charge()] * 12) == [0] * 12
    [wait] = rates.consume([charge()])
    assert 1 <= wait <= 10


def test_a_refused_batch_consumes_no_tokens(rates: IngestRateLimiter, limits: Callable[..., None]) -> None:
    limits(6, 0)
    assert rates.consume([charge(10)]) == [0]
    assert rates.consume([charge(3)])[0] > 0
    assert rates.consume([charge(2)]) == [0]


def test_the_sources_of_a_workspace_share_its_bucket_too(rates: IngestRateLimiter, limits: Callable[..., None]) -> None:
    limits(6, 9)
    other = uuid4()
    assert rates.consume([charge(12)]) == [0]
    assert rates.consume([charge(7, source=other)])[0] > 0
    assert rates.consume([charge(6, source=other)]) == [0]
    assert rates.consume([charge(6, source=other, workspace=uuid4())]) == [0]


def test_a_request_above_the_workspace_limit_takes_nothing_from_its_source(
    rates: IngestRateLimiter, limits: Callable[..., None]
) -> None:
    limits(6, 3)
    assert rates.consume([charge(6)]) == [0]
    assert rates.consume([charge(1)])[0] > 0
    limits(6, 0)
    assert rates.consume([charge(6)]) == [0]
    assert rates.consume([charge(1)])[0] > 0


def test_a_request_larger_than_the_bucket_passes_when_it_is_full(
    rates: IngestRateLimiter, limits: Callable[..., None]
) -> None:
    limits(10, 0)
    assert rates.consume([charge(100)]) == [0]
    assert rates.consume([charge(1)])[0] > 0


def test_the_wait_is_as_long_as_the_missing_events_take(rates: IngestRateLimiter, limits: Callable[..., None]) -> None:
    limits(1, 0)
    assert rates.consume([charge(2)]) == [0]
    [wait] = rates.consume([charge(1)])
    assert 55 <= wait <= 60


@pytest.mark.parametrize("size", [1, 2 * MIB], ids=["a small body", "a large body"])
def test_a_body_whose_tokens_are_returned_consumes_none(
    rates: IngestRateLimiter, limits: Callable[..., None], size: int
) -> None:
    limits(6_000, 30_000)
    for _ in range(100):
        assert rates.consume_body(charge(), size) == 0
        rates.consume_body(charge(), size, gives_back=True)

    assert rates.consume([charge(11_990)]) == [0]


@pytest.mark.parametrize(("size", "bodies"), [(MIB, 24), (2 * MIB, 12), (1, 12_000)])
def test_a_refused_body_takes_time_by_its_size_or_one_event(
    rates: IngestRateLimiter, limits: Callable[..., None], size: int, bodies: int
) -> None:
    limits(6_000, 0)
    if size == 1:
        assert rates.consume([charge(bodies - 1)]) == [0]
        bodies = 1

    assert [rates.consume_body(charge(), size) for _ in range(bodies)] == [0] * bodies
    assert rates.consume_body(charge(200), size) > 0


def test_a_limit_of_nought_is_off(rates: IngestRateLimiter, limits: Callable[..., None]) -> None:
    limits(0, 0)
    assert rates.consume([charge(100)] * 500) == [0] * 500
    assert [rates.consume_body(charge(), 2 * MIB) for _ in range(50)] == [0] * 50


def test_all_ingest_limits_can_be_switched_off(rates: IngestRateLimiter, settings: Settings) -> None:
    in_force.use(replace(settings, rate_limits=False, events_per_minute_source=1))
    assert rates.consume([charge()] * 10) == [0] * 10


def test_all_processes_share_one_rate_limit(limits: Callable[..., None]) -> None:
    limits(30, 0)
    processes = [IngestRateLimiter() for _ in range(4)]
    waits = together([partial(each.consume, [charge()] * 20) for each in processes])
    assert sum(wait == 0 for group in waits for wait in group) == 60


def test_a_restarted_redis_is_served_again(limits: Callable[..., None], settings: Settings) -> None:
    limits(6, 0)
    rates = IngestRateLimiter()
    assert rates.consume([charge()]) == [0]
    redis = Redis.from_url(settings.redis_url)
    redis.script_flush()
    redis.flushdb()
    assert rates.consume([charge(12)]) == [0]
    assert rates.consume([charge()])[0] > 0
    redis.close()


def test_an_event_refused_by_the_rate_limit_is_not_stored_and_may_be_sent_again(
    cast: Cast, limits: Callable[..., None]
) -> None:
    groups = GroupCommitter()
    limits(2, 0)
    batch = {"events": [{"title": f"{number}"} for number in range(4)]}
    assert isinstance(tried(groups, offer(cast.key, batch)), bytes)

    refused = tried(groups, offer(cast.key, idempotency_key="k"))

    assert isinstance(refused, RateLimited)
    assert refused.retry_after is not None
    assert 1 <= refused.retry_after <= 30
    assert Event.select().count() == 4
    assert IdempotencyRecord.select().count() == 0
    assert isinstance(tried(groups, offer(cast.foreign_key)), bytes)
    limits(0, 0)
    assert isinstance(tried(groups, offer(cast.key, idempotency_key="k")), bytes)


def test_a_replay_costs_nothing(cast: Cast, limits: Callable[..., None]) -> None:
    groups = GroupCommitter()
    limits(2, 0)
    key = secrets.token_hex(4)
    first = tried(groups, offer(cast.key, idempotency_key=key))
    assert [tried(groups, offer(cast.key, idempotency_key=key)) for _ in range(8)] == [first] * 8
    assert isinstance(tried(groups, offer(cast.key)), bytes)


def test_a_batch_as_large_as_the_bucket_passes_at_any_time(limits: Callable[..., None]) -> None:
    limits(6, 0)
    wait = [
        IngestRateLimiter()._consume_locally(["source", "workspace"], [120.0, 0.0], 1_000 + step / 7)[0]
        for step in range(2_000)
    ]

    assert set(wait) == {0}
