"""Values of the gauges: open streams, pools, and the records of workers and schedulers in Redis."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import peewee
import pytest
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from rq.serializers import JSONSerializer
from rq.utils import utcformat
from rq.worker import SimpleWorker

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values.refusals import RateLimited
from inbox.live.hub import STREAMS_PER_PERSON, Hub
from inbox.live.stream import Subscriber
from inbox.runtime.metrics import REGISTRY
from inbox.runtime.queue import SCHEDULER_LAST_RUN, QueueName, job_queues
from inbox.services.instance import bootstrap, scrape
from tests.cast import Cast
from tests.live.web import Web, follow_as, until
from tests.runtime.metrics.counted import Counted

SECONDS = 20.0


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


def pool(of: str) -> tuple[float | None, float | None, float | None]:
    """In use, idle and the limit, as the gauges of this process show them."""
    connections = f"inbox_{of}_pool_connections"
    return (*(value(connections, state=state) for state in ("in_use", "idle")), value(f"inbox_{of}_pool_limit"))


def exposed(text: str | None = None) -> dict[tuple[str, ...], float]:
    """Every sample of `/metrics`, by its name and labels."""
    families = text_string_to_metric_families(text or scrape.exposition().decode())
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


@contextmanager
def threads(count: int, holds: Callable[[], ExitStack]) -> Iterator[None]:
    """So many threads hold something within."""
    held, leave = threading.Barrier(count + 1), threading.Event()

    def hold() -> None:
        with holds():
            held.wait(SECONDS)
            assert leave.wait(SECONDS)

    with ThreadPoolExecutor(count) as many:
        each = [many.submit(hold) for _ in range(count)]
        held.wait(SECONDS)
        try:
            yield
        finally:
            leave.set()
            for one in each:
                one.result(SECONDS)


def database_connection() -> ExitStack:
    stack = ExitStack()
    stack.enter_context(db.connection_context())
    return stack


def redis_connection() -> ExitStack:
    stack, redis = ExitStack(), job_queues().redis
    connection = redis.connection_pool.get_connection()
    stack.callback(redis.connection_pool.release, connection)
    return stack


def test_connections_to_postgresql_are_shown_in_use_and_idle(ground: peewee.Database, settings: Settings) -> None:
    most = settings.database_connections
    assert pool("database") == (1, 0, most)  # that of this thread

    with threads(3, database_connection):
        assert pool("database") == (4, 0, most)

    assert pool("database") == (1, 3, most)


def test_connections_to_redis_are_shown_in_use_and_idle(ground: peewee.Database) -> None:
    assert pool("redis") == (0, 0, 64)

    with threads(3, redis_connection):
        assert pool("redis") == (3, 0, 64)

    assert pool("redis") == (0, 3, 64)


def test_the_pool_limit_equals_the_setting(settings: Settings) -> None:
    try:
        bootstrap.configure(replace(settings, database_connections=7), application="inbox-test")
        assert pool("database") == (0, 0, 7)
    finally:
        bootstrap.configure(settings, application="inbox-test")


def test_streams_are_shown_while_they_are_open(ground: peewee.Database, settings: Settings) -> None:
    hub, counted, mia = Hub(settings.redis_url), Counted(), uuid4()
    hub.start()
    try:
        streams = [hub.open(Subscriber(mia, uuid4(), frozenset())) for _ in range(STREAMS_PER_PERSON)]
        with pytest.raises(RateLimited):
            hub.open(Subscriber(mia, uuid4(), frozenset()))
        assert value("inbox_streams_open") == STREAMS_PER_PERSON

        for stream in streams[:4]:
            stream.close()
        assert value("inbox_streams_open") == STREAMS_PER_PERSON - 4
    finally:
        hub.stop()
    assert counted.of("inbox_streams_opened_total") == STREAMS_PER_PERSON


@pytest.mark.slow
def test_streams_of_real_clients_are_shown_until_they_leave(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    def value_of(name: str) -> float:
        found = exposed(web.get("/metrics").read().decode())
        return sum(value for key, value in found.items() if key[0] == name)

    with Web.start(settings, tmp_path, workers=1) as web:
        with ExitStack() as stack:
            for name in ("olga", "adam", "mia"):
                stack.enter_context(follow_as(web, cast, name))
            assert (value_of("inbox_streams_open"), value_of("inbox_streams_opened_total")) == (3, 3)
        until(lambda: value_of("inbox_streams_open") == 0)
        assert value_of("inbox_streams_opened_total") == 3


def test_a_worker_that_was_not_seen_for_a_minute_does_not_count_and_its_last_time_is_shown(
    ground: peewee.Database, settings: Settings
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    seen = {"a": timedelta(seconds=10), "b": timedelta(seconds=20), "c": timedelta(seconds=75)}
    queues = {
        "a": [QueueName.ROUTING],
        "b": [QueueName.ROUTING, QueueName.MAIL],
        "c": [QueueName.ROUTING, QueueName.DELIVERY],
    }
    with closing(Redis.from_url(settings.redis_url)) as redis:
        for name, ago in seen.items():
            worker = SimpleWorker([*map(str, queues[name])], name=name, connection=redis, serializer=JSONSerializer)
            worker.register_birth()
            redis.hset(worker.key, "last_heartbeat", utcformat(now - ago))
    found = exposed()

    assert {wake_up: found["inbox_workers", wake_up] for wake_up in QueueName} == {
        **dict.fromkeys(QueueName, 0),
        QueueName.ROUTING: 2,
        QueueName.MAIL: 1,
    }
    last = {key[1]: at for key, at in found.items() if key[0] == "inbox_worker_last_seen_timestamp_seconds"}
    ago = {queue: now.timestamp() - at for queue, at in last.items()}
    assert ago == {"routing": 10, "mail": 20, "delivery": 75}


@pytest.mark.parametrize(("ago", "up"), [(1, 1), (30, 0), (None, 0)])
def test_a_scheduler_is_up_that_ran_a_moment_ago(ground: peewee.Database, ago: float | None, up: int) -> None:
    at = datetime.now(UTC).timestamp() - (ago or 0)
    if ago is not None:
        job_queues().redis.set(SCHEDULER_LAST_RUN, at)
    found = exposed()

    assert (found["inbox_redis_up",], found["inbox_scheduler_up",]) == (1, up)
    assert found.get(("inbox_scheduler_last_run_timestamp_seconds",)) == (None if ago is None else pytest.approx(at))
