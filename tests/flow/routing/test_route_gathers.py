"""Events that arrive shortly after a claim are routed together by the next one, and none is left."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import psycopg2
import pytest
from redis import Redis

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.flow.ingest.group_commit import GroupCommitter
from inbox.flow.routing import batch
from inbox.flow.routing import route as routing
from inbox.flow.routing.batch import ShardOrder
from inbox.flow.routing.route import route
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import partition_of, shard_of
from inbox.models.events.tables import EventQueueRow
from inbox.models.senders.sources import Source
from inbox.runtime.queue import GATHER, GATHER_MS, JobQueues, QueueName, job_queues, use
from tests.cast import NOW, Cast, make_source
from tests.fault_triggers import row_trigger
from tests.faults.service_processes import until
from tests.flow.concurrent_connections import offer, tried
from tests.flow.routing_fixtures import accept, event, waiting

LATER = GATHER.format(queue=QueueName.ROUTING)


@pytest.fixture
def redis(settings: Settings) -> Iterator[Redis]:
    with Redis.from_url(settings.redis_url) as client:
        yield client


class RecordedQueues(JobQueues):
    """Queues that record the requested wake-ups."""

    def __init__(self, redis_url: str) -> None:
        super().__init__(redis_url)
        self.calls: list[tuple[str, QueueName]] = []

    def wake(self, queue: QueueName) -> bool:
        self.calls.append(("now", queue))
        return super().wake(queue)

    def wake_later(self, queue: QueueName, seconds: float) -> None:
        self.calls.append(("later", queue))


@pytest.fixture
def calls(cast: Cast, settings: Settings) -> Iterator[list[tuple[str, QueueName]]]:
    """The wake-ups that routing asks for: at once, or later."""
    queues, recorded = job_queues(), RecordedQueues(settings.redis_url)
    use(recorded)
    yield recorded.calls
    use(queues)


def clock_that_accepts(*accepted: partial[object]) -> partial[datetime]:
    """A clock that accepts an event at each reading after the search for events, which follows the second reading."""
    rest = [None, None, *accepted]

    def read() -> datetime:
        act = rest.pop(0) if rest else None
        if act is not None:
            act()
        return NOW

    return partial(read)


def test_an_event_that_comes_during_a_look_is_left_to_a_later_one(
    cast: Cast, calls: list[tuple[str, QueueName]]
) -> None:
    first = accept(cast.source)
    route(clock_that_accepts(partial(accept, make_source(cast.workspace, "Later")[0])))

    assert event(first).disposition == "opened"
    assert waiting() == 1
    assert [each for each in calls if each[1] is QueueName.ROUTING] == [("later", QueueName.ROUTING)]


def test_routing_sends_no_wake_up_when_no_event_is_left(cast: Cast, calls: list[tuple[str, QueueName]]) -> None:
    accept(cast.source)
    route(lambda: NOW)

    assert waiting() == 0
    assert QueueName.ROUTING not in {queue for _, queue in calls}


def test_a_backlog_is_routed_to_its_end(
    cast: Cast, calls: list[tuple[str, QueueName]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "FETCH_SIZE", 3)
    monkeypatch.setattr(batch, "MAX_EVENTS", 3)
    for number in range(10):
        accept(cast.source, key=f"key-{number}")

    assert route(lambda: NOW) == 10
    assert waiting() == 0
    assert ("later", QueueName.ROUTING) not in calls


def test_a_failed_event_is_tried_to_its_end_as_before_the_others(
    cast: Cast, calls: list[tuple[str, QueueName]]
) -> None:
    accept(cast.source)
    accept(cast.source, key="other")

    with row_trigger("IF nextval('trigger_rows') = 1 THEN RAISE EXCEPTION 'planted'; END IF"):
        route(lambda: NOW)

    assert (waiting(), transactions()) == (0, 2)  # one by one, by the module that quarantines
    assert ("later", QueueName.ROUTING) not in calls


def test_a_delayed_wake_up_arrives_at_its_time(cast: Cast, redis: Redis) -> None:
    job_queues().wake_later(QueueName.ROUTING, 0.02)

    until(lambda: redis.llen("rq:queue:routing") == 1, "the wake-up came", 30)


def test_only_routing_waits_for_more_events(cast: Cast, redis: Redis) -> None:
    assert job_queues().seconds_to_gather(QueueName.ROUTING) == 0
    job_queues().acknowledge(QueueName.DELIVERY)
    assert job_queues().seconds_to_gather(QueueName.DELIVERY) == 0

    job_queues().acknowledge(QueueName.ROUTING)
    assert redis.pttl(LATER) <= GATHER_MS
    redis.set(LATER, b"1", px=30_000)

    assert 0 < job_queues().seconds_to_gather(QueueName.ROUTING) <= 30


def test_an_event_that_is_accepted_while_events_gather_wakes_routing_afterwards(cast: Cast, redis: Redis) -> None:
    redis.set(LATER, b"1", px=400)
    assert isinstance(tried(GroupCommitter(), offer(cast.key)), bytes)

    until(lambda: redis.llen("rq:queue:routing") >= 1, "routing is woken", 30)
    assert not redis.exists(LATER)


def transactions() -> int:
    """In how many transactions the routed events were written."""
    found: int = db.execute_sql("SELECT count(DISTINCT xmin::text) FROM routed_events").fetchone()[0]
    return found


@pytest.mark.parametrize(("few", "expected"), [(200, 1), (4, 1), (3, 1), (2, 2), (1, 3)])
def test_the_few_events_of_several_sources_share_a_transaction(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, few: int, expected: int
) -> None:
    monkeypatch.setattr(routing, "FEW_EVENTS", few)
    for source in sources_of_different_partitions(cast, 3):
        accept(source)

    assert route(lambda: NOW) == 3
    assert (waiting(), transactions()) == (0, expected)


def test_a_shard_with_many_events_is_routed_in_a_separate_transaction(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routing, "FEW_EVENTS", 3)
    monkeypatch.setattr(batch, "MANY_EVENTS", 3)
    sources = sorted(sources_of_different_partitions(cast, 4), key=lambda source: shard_of(source.id))
    for source, number in zip(sources, (1, 2, 4, 1), strict=True):
        for key in range(number):
            accept(source, key=f"key-{key}")

    assert route(lambda: NOW) == 8
    assert (waiting(), transactions()) == (0, 3)


def test_deliveries_of_few_events_start_before_a_long_batch(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MANY_EVENTS", 2)
    quiet, busy, busier = sources_of_different_partitions(cast, 3)
    for source, number in ((busy, 2), (busier, 4), (quiet, 1)):
        for key in range(number):
            accept(source, key=f"key-{key}")
    left: list[int] = []

    assert route(lambda: NOW, between_batches=lambda: left.append(waiting()), order=ShardOrder()) == 7
    assert (left[0], waiting(), transactions()) == (6, 0, 3)


def test_a_quiet_source_does_not_wait_for_a_busy_one_of_its_partition(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MANY_EVENTS", 2)
    for key in range(4):
        accept(cast.source, key=f"key-{key}")
    quiet = accept(make_source(cast.workspace, "Quiet", id=UUID(int=cast.source.id.int ^ event_queue.PARTITIONS))[0])
    first: list[str | None] = []

    route(lambda: NOW, between_batches=lambda: first.append(event(quiet).disposition), order=ShardOrder())

    assert (first[0], waiting()) == ("opened", 0)


@pytest.mark.parametrize(("together", "expected"), [(10, 1), (9, 2), (8, 2)])
def test_shards_of_one_partition_share_a_transaction_until_a_fetch_is_full(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, together: int, expected: int
) -> None:
    monkeypatch.setattr(routing, "FEW_EVENTS", 3)
    monkeypatch.setattr(batch, "FETCH_SIZE", together)
    for number in range(5):
        id = UUID(int=cast.source.id.int ^ event_queue.PARTITIONS * number) if number else None
        source = make_source(cast.workspace, f"Sibling {number}", id=id)[0] if id else cast.source
        for key in range(2):
            accept(source, key=f"key-{key}")

    assert route(lambda: NOW, order=ShardOrder()) == 10
    assert (waiting(), transactions()) == (0, expected)


class CallEnds:
    """A clock that ends a call with the present batch."""

    def __init__(self) -> None:
        self._now = NOW

    def read(self) -> datetime:
        return self._now

    def end_call(self) -> None:
        self._now += timedelta(minutes=1)


def test_the_next_call_goes_on_with_the_turns_of_the_shards(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MANY_EVENTS", 2)
    monkeypatch.setattr(batch, "MAX_EVENTS", 2)
    monkeypatch.setattr(batch, "FETCH_SIZE", 2)
    sources = sorted(sources_of_different_partitions(cast, 3), key=lambda source: shard_of(source.id))
    for source in sources:
        for key in range(4):
            accept(source, key=f"key-{key}")
    order, time, left = ShardOrder(), CallEnds(), list[list[int]]()
    for _ in range(4):
        assert route(time.read, between_batches=time.end_call, order=order) == 2
        rows = list(EventQueueRow.select(EventQueueRow.shard))
        left.append([sum(row.shard == shard_of(source.id) for row in rows) for source in sources])

    assert left == [[2, 4, 4], [2, 2, 4], [2, 2, 2], [0, 2, 2]]


def test_a_shard_that_another_worker_holds_is_left_out(cast: Cast, settings: Settings) -> None:
    own, held, another = ((source, accept(source)) for source in sources_of_different_partitions(cast, 3))
    with psycopg2.connect(settings.database_url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, %s)", (event_queue.PARTITION_LOCKS, partition_of(shard_of(held[0].id)))
        )
        assert route(lambda: NOW) == 2

    assert {event(id).disposition for _, id in (own, another)} == {"opened"}
    assert EventQueueRow.get().event_id == held[1]


def test_a_shard_that_fails_does_not_keep_the_others_waiting(cast: Cast) -> None:
    healthy, broken, other = (accept(source) for source in sources_of_different_partitions(cast, 3))

    with row_trigger(
        f"IF NEW.event_id = '{broken}' AND NEW.disposition <> 'pending' THEN RAISE EXCEPTION 'planted'; END IF"
    ):
        route(lambda: NOW)

    assert {event(id).disposition for id in (healthy, other)} == {"opened"}
    assert EventQueueRow.get().event_id == broken
    assert EventQueueRow.get().attempts == 1


def test_looking_at_a_shard_that_is_empty_by_then_counts_as_no_crash(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard = shard_of(cast.source.id)
    monkeypatch.setattr(event_queue, "waiting_by_shard", lambda _most: {shard: 1})
    for _ in range(5):
        route(lambda: NOW)
    with db.atomic():
        assert event_queue.lock_and_count_attempts([shard]) == {shard: 1}


def sources_of_different_partitions(cast: Cast, count: int) -> list[Source]:
    """New sources until so many have their own partition."""
    found: dict[int, Source] = {}
    while len(found) < count:
        source = make_source(cast.workspace, f"Source {len(found)}")[0]
        found.setdefault(partition_of(shard_of(source.id)), source)
    return list(found.values())
