"""Faults during ingest: a bad neighbour, a lock, a missing database or Redis (faults F1 to F12, F24, F27)."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import orjson
import psycopg2
import pytest
from redis import Redis

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values.refusals import IdempotencyInProgress, Unavailable
from inbox.flow.ingest.group_commit import MAX_EVENTS, GroupCommitter
from inbox.flow.ingest.ingest import store_group
from inbox.limits.ingest import IngestRateLimiter
from inbox.models.events import ingest_store
from inbox.models.events.ingest_store import IngestConnection
from inbox.models.events.tables import Event, EventQueueRow, IdempotencyRecord, ReceivedEvent
from inbox.runtime import queue
from tests.api.events.senders import until
from tests.bad_events import poison  # noqa: F401
from tests.cast import Cast
from tests.flow.concurrent_connections import (
    a_group_waits_for_a_lock,
    begun,
    end_committers,
    groups_that_wait_for_a_lock,
    offer,
    other_connection,
    together,
    tried,
)

PATIENT_SECONDS = 60.0


@pytest.fixture(scope="module")
def groups() -> GroupCommitter:
    return GroupCommitter()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> GroupCommitter:
    """Its groups wait for a lock longer than a slow machine stands still."""
    monkeypatch.setattr(ingest_store, "LOCK_MS", 60_000)
    return GroupCommitter()


def stored(answer: bytes | Exception) -> bool:
    assert isinstance(answer, bytes), answer
    return {receipt["status"] for receipt in orjson.loads(answer)["events"]} == {"accepted"}


@pytest.mark.usefixtures("poison")
def test_a_request_that_fails_never_fails_its_neighbours(groups: GroupCommitter, cast: Cast) -> None:
    for title, kind in (("unfit", psycopg2.DataError), ("broken", psycopg2.InternalError)):
        ReceivedEvent.delete().execute()
        with other_connection() as other, other.cursor() as cursor:
            cursor.execute("LOCK TABLE source_keys IN ACCESS EXCLUSIVE MODE")
            good = [begun(partial(tried, groups, offer(cast.key, idempotency_key=f"{title}{n}"))) for n in range(6)]
            batch = {"events": [{"title": "fine"}, {"title": title}]}
            bad = begun(partial(tried, groups, offer(cast.key, batch, idempotency_key="bad")))
            good += [begun(partial(tried, groups, offer(cast.key))) for _ in range(6)]
            other.rollback()

            assert all(stored(result()) for result in good)
            assert isinstance(bad(), kind)
        assert Event.select().count() == 12
        assert IdempotencyRecord.select().where(IdempotencyRecord.key == "bad").count() == 0


def _taken(cursor: psycopg2.extensions.cursor, cast: Cast, key: str, response: bytes = b'{"events":[]}') -> None:
    """A request of another process, which has stored its record and not committed yet."""
    body_hash = offer(cast.key, idempotency_key=key).body_digest
    cursor.execute(
        "INSERT INTO idempotency_records VALUES (%s, 'POST /v1/events', %s, decode(%s, 'hex'), 202, %s, now())",
        (cast.source.id, key, body_hash, response),
    )


def test_only_the_request_that_is_stuck_waits(groups: GroupCommitter, cast: Cast) -> None:
    with other_connection() as other, other.cursor() as cursor:
        _taken(cursor, cast, "stuck")
        stuck = begun(partial(tried, groups, offer(cast.key, idempotency_key="stuck")))
        neighbours = together([partial(tried, groups, offer(cast.key, idempotency_key=f"k{n}")) for n in range(8)])
        assert all(stored(answer) for answer in neighbours)

        answer = stuck()
        assert isinstance(answer, IdempotencyInProgress)
        assert answer.retry_after == 1

    assert stored(tried(groups, offer(cast.key, idempotency_key="stuck")))


def test_a_request_that_waits_for_its_key_gets_the_stored_answer(patient: GroupCommitter, cast: Cast) -> None:
    with other_connection() as other, other.cursor() as cursor:
        _taken(cursor, cast, "slow", b'{"events":["the first"]}')
        waiting = begun(partial(tried, patient, offer(cast.key, idempotency_key="slow")))
        until(a_group_waits_for_a_lock)
        other.commit()
        assert waiting() == b'{"events":["the first"]}'


def test_a_request_that_waits_for_a_failed_request_is_stored(patient: GroupCommitter, cast: Cast) -> None:
    with other_connection() as other, other.cursor() as cursor:
        _taken(cursor, cast, "failed")
        waiting = begun(partial(tried, patient, offer(cast.key, idempotency_key="failed")))
        until(a_group_waits_for_a_lock)
        other.rollback()
        assert stored(waiting())


def test_a_table_that_stays_locked_is_not_the_senders_fault(groups: GroupCommitter, cast: Cast) -> None:
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE event_queue IN ACCESS EXCLUSIVE MODE")
        assert isinstance(tried(groups, offer(cast.key, idempotency_key="k")), Unavailable)
    assert (Event.select().count(), IdempotencyRecord.select().count()) == (0, 0)
    assert stored(tried(groups, offer(cast.key, idempotency_key="k")))


def test_a_second_committer_helps_when_a_whole_group_waits_and_not_before(patient: GroupCommitter, cast: Cast) -> None:
    half = {"events": [{"title": f"Job {number} failed"} for number in range(MAX_EVENTS // 2)]}
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE event_queue IN ACCESS EXCLUSIVE MODE")
        waiting = [begun(partial(tried, patient, offer(cast.key, half)))]
        until(a_group_waits_for_a_lock)
        waiting.append(begun(partial(tried, patient, offer(cast.key, half))))
        time.sleep(0.1)
        assert groups_that_wait_for_a_lock() == 1
        waiting.append(begun(partial(tried, patient, offer(cast.key, half))))
        until(lambda: groups_that_wait_for_a_lock() == 2)
        other.rollback()
        assert all(stored(result()) for result in waiting)
    assert Event.select().count() == EventQueueRow.select().count() == MAX_EVENTS // 2 * 3


def test_a_backend_that_is_ended_in_the_middle_is_unavailable_and_then_replaced(
    groups: GroupCommitter, cast: Cast
) -> None:
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE event_queue IN ACCESS EXCLUSIVE MODE")
        waiting = [begun(partial(tried, groups, offer(cast.key, idempotency_key=f"k{n}"))) for n in range(4)]
        until(a_group_waits_for_a_lock)
        end_committers()
        other.rollback()
        answers = [result() for result in waiting]

    assert any(isinstance(answer, Unavailable) for answer in answers)
    assert all(isinstance(answer, bytes | Unavailable) for answer in answers)
    assert all(isinstance(tried(groups, offer(cast.key, idempotency_key=f"k{n}")), bytes) for n in range(4))
    assert Event.select().count() == EventQueueRow.select().count() == 4


def test_the_service_is_unavailable_without_a_database_and_recovers(
    groups: GroupCommitter, cast: Cast, settings: Settings
) -> None:
    in_force.use(replace(settings, database_url="postgresql://nobody@127.0.0.1:1/nothing"))
    try:
        assert isinstance(tried(groups, offer(cast.key)), Unavailable)
        answers = together([partial(tried, groups, offer(cast.key)) for _ in range(8)])
        assert all(isinstance(answer, Unavailable) for answer in answers)
    finally:
        in_force.use(settings)

    assert stored(tried(groups, offer(cast.key)))


def test_a_read_only_database_is_unavailable(groups: GroupCommitter, cast: Cast) -> None:
    name = db.execute_sql("SELECT current_database()").fetchone()[0]
    db.execute_sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    for line in groups._connections:
        line.close()
    try:
        assert isinstance(tried(groups, offer(cast.key)), Unavailable)
    finally:
        db.execute_sql(f"SET default_transaction_read_only = off; ALTER DATABASE {name} RESET ALL")
        for line in groups._connections:
            line.close()
    assert stored(tried(groups, offer(cast.key)))


@pytest.fixture
def unreachable_redis(settings: Settings) -> Iterator[None]:
    """A Redis that takes connections and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        queue.use(queue.JobQueues(f"redis://127.0.0.1:{listener.getsockname()[1]}/0"))
        in_force.use(replace(settings, rate_limits=True))
        yield
    in_force.use(settings)
    queue.use(queue.JobQueues(settings.redis_url))


def test_events_are_accepted_while_redis_does_not_answer(cast: Cast, unreachable_redis: None) -> None:
    groups = GroupCommitter()
    for _ in range(10):
        assert stored(tried(groups, offer(cast.key)))
    assert EventQueueRow.select().count() == 10


def test_routing_is_woken_after_the_commit(groups: GroupCommitter, cast: Cast, settings: Settings) -> None:
    redis = Redis.from_url(settings.redis_url)
    assert stored(tried(groups, offer(cast.key)))
    # More than one where another test's thread rang just before Redis was emptied.
    until(lambda: redis.llen("rq:queue:routing") >= 1)
    redis.close()


def test_repeated_events_send_no_wake_up(cast: Cast) -> None:
    row_writer, rates = IngestConnection().store(), IngestRateLimiter()
    one = partial(offer, cast.key, {"title": "x", "idempotencyKey": "i"}, idempotency_key="k")
    own = partial(offer, cast.key, {"title": "x", "idempotencyKey": "i"})

    assert store_group([one(), offer(cast.key, {"title": ""})], row_writer, rates).new
    assert not store_group([one(), own(), offer(cast.key, {"title": ""})], row_writer, rates).new


def test_a_request_does_not_wait_for_ever(cast: Cast) -> None:
    impatient = GroupCommitter(timeout=0.05)
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE source_keys IN ACCESS EXCLUSIVE MODE")
        assert isinstance(tried(impatient, offer(cast.key)), Unavailable)
    # The committer may have found the key by now. Without this wait it could store the event in the next test.
    impatient._timeout = PATIENT_SECONDS
    assert stored(tried(impatient, offer(cast.key)))


@pytest.mark.usefixtures("patient")
def test_an_event_of_a_request_that_timed_out_is_not_stored(cast: Cast) -> None:
    impatient = GroupCommitter(timeout=0.2)
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE source_keys IN ACCESS EXCLUSIVE MODE")
        first = begun(partial(tried, impatient, offer(cast.key, {"title": "first"})))
        until(a_group_waits_for_a_lock)
        second = begun(partial(tried, impatient, offer(cast.key, {"title": "second"})))
        assert isinstance(first(), Unavailable)
        assert isinstance(second(), Unavailable)
    until(lambda: Event.select().where(Event.title == "first").count() == 1)
    impatient = GroupCommitter()
    assert stored(tried(impatient, offer(cast.key, {"title": "third"})))
    assert Event.select().where(Event.title == "second").count() == 0
