"""Group commit: waiting requests are stored together, and each gets its own result (specification 4.7)."""

from __future__ import annotations

import itertools
import secrets
from datetime import UTC, datetime
from functools import partial
from typing import Any

import orjson
import pytest

from inbox.database.base import db
from inbox.domain.senders import keys
from inbox.domain.values.refusals import BadRequest, IdempotencyMismatch, Unauthenticated, ValidationFailed
from inbox.flow.ingest import group_commit as groups_module
from inbox.flow.ingest.group_commit import GroupCommitter
from inbox.flow.ingest.ingest import store_group
from inbox.flow.ingest.request import Accepted
from inbox.limits.ingest import IngestRateLimiter
from inbox.models.events.ingest_store import IngestConnection
from inbox.models.events.tables import Event, EventDedup, EventQueueRow, IdempotencyRecord, ReceivedEvent
from inbox.models.senders.sources import SourceKey
from tests.api.events.senders import until
from tests.cast import Cast, make_source
from tests.flow.concurrent_connections import (
    a_group_waits_for_a_lock,
    begun,
    end_committers,
    offer,
    other_connection,
    together,
    tried,
)


@pytest.fixture(scope="module")
def groups() -> GroupCommitter:
    return GroupCommitter()


@pytest.fixture(autouse=True)
def warm(groups: GroupCommitter, cast: Cast) -> None:
    """The committer has its connection."""
    tried(groups, offer(cast.key))
    ReceivedEvent.delete().execute()
    EventQueueRow.delete().execute()


@pytest.fixture(scope="module")
def other_process() -> GroupCommitter:
    """A second committer on the same database, as another web process has it."""
    return GroupCommitter()


def receipts(answer: bytes | Exception) -> list[dict[str, Any]]:
    assert isinstance(answer, bytes), answer
    found: list[dict[str, Any]] = orjson.loads(answer)["events"]
    return found


def transactions() -> int:
    return int(db.execute_sql("SELECT count(DISTINCT xmin::text) FROM received_events").fetchone()[0])


def test_requests_that_wait_together_are_one_transaction(groups: GroupCommitter, cast: Cast) -> None:
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE source_keys IN ACCESS EXCLUSIVE MODE")
        waiting = [begun(partial(tried, groups, offer(cast.key)))]
        until(a_group_waits_for_a_lock)
        waiting += [begun(partial(tried, groups, offer(cast.key))) for _ in range(23)]
        until(lambda: len(groups._waiting) == 23)
        other.rollback()
        answers = [result() for result in waiting]

    assert all(receipts(answer)[0]["status"] == "accepted" for answer in answers)
    assert Event.select().count() == EventQueueRow.select().count() == 24
    assert transactions() == 2


def test_each_request_of_a_group_gets_its_own_outcome(groups: GroupCommitter, cast: Cast) -> None:
    stranger = keys.mint(keys.KeyKind.SOURCE, secrets.token_bytes(32))
    offers = [
        offer(cast.key, {"title": "good"}),
        offer(stranger, {"title": "unknown"}),
        offer(cast.key, {"title": ""}),
        offer(cast.key, b"{"),
        offer(cast.foreign_key, {"title": "foreign"}),
        offer(cast.key, {"title": "bad header"}, idempotency_key=""),
    ]

    for _ in range(20):
        ReceivedEvent.delete().execute()
        good, unknown, blank, broken, foreign, header = together([partial(tried, groups, one) for one in offers])

        assert receipts(good)[0]["status"] == receipts(foreign)[0]["status"] == "accepted"
        assert isinstance(unknown, Unauthenticated)
        assert isinstance(blank, ValidationFailed)
        assert isinstance(broken, BadRequest)
        assert isinstance(header, ValidationFailed)
        assert {(row.title, row.workspace_id) for row in Event.select()} == {
            ("good", cast.workspace.id),
            ("foreign", cast.foreign.id),
        }


def test_one_idempotency_key_sent_eight_times_at_once_is_stored_once(
    groups: GroupCommitter, other_process: GroupCommitter, cast: Cast
) -> None:
    for number in range(40):
        one = partial(offer, cast.key, {"title": f"Event {number}"}, idempotency_key=f"k-{number}")
        senders = itertools.islice(itertools.cycle((groups, other_process)), 8)
        answers = together([partial(tried, each, one()) for each in senders])
        assert receipts(answers[0])[0]["status"] == "accepted"
        assert set(answers) == {answers[0]}
    assert Event.select().count() == EventQueueRow.select().count() == IdempotencyRecord.select().count() == 40


def test_one_idempotency_key_with_two_bodies_at_once_stores_one_and_refuses_the_other(
    groups: GroupCommitter, other_process: GroupCommitter, cast: Cast
) -> None:
    for number in range(40):
        bodies = [{"title": "one"}, {"title": "two"}]
        answers = together(
            [
                partial(tried, each, offer(cast.key, body, idempotency_key=f"k-{number}"))
                for each, body in zip((groups, other_process), bodies, strict=True)
            ]
        )
        assert {type(answer) for answer in answers} == {bytes, IdempotencyMismatch}
    assert Event.select().count() == 40


def test_a_replay_in_the_same_group_is_answered_the_same_bytes(cast: Cast) -> None:
    one = partial(offer, cast.key, {"title": "x"}, idempotency_key="k")
    other = offer(cast.key, {"title": "other"}, idempotency_key="k")

    first, repeated, mismatch = store_group(
        [one(), one(), other], IngestConnection().store(), IngestRateLimiter()
    ).outcomes

    assert isinstance(first, Accepted)
    assert isinstance(repeated, Accepted)
    assert (repeated.body, first.replayed, repeated.replayed) == (first.body, False, True)
    assert isinstance(mismatch, IdempotencyMismatch)
    assert Event.select().count() == 1


def test_a_commit_is_on_disk_before_it_is_answered(ground: object) -> None:
    line = IngestConnection()
    line.store()
    cursor = line._connection.cursor()
    cursor.execute("SHOW synchronous_commit")
    assert cursor.fetchone() == ("on",)


def test_batches_with_their_keys_in_reverse_order_never_meet_in_a_deadlock(
    groups: GroupCommitter, other_process: GroupCommitter, cast: Cast
) -> None:
    for number in range(40):
        events = [{"title": "x", "idempotencyKey": f"{number}-{index}"} for index in range(20)]
        there, back = together(
            [
                partial(tried, groups, offer(cast.key, {"events": events})),
                partial(tried, other_process, offer(cast.key, {"events": events[::-1]})),
            ]
        )
        assert [receipt["id"] for receipt in receipts(there)] == [receipt["id"] for receipt in receipts(back)][::-1]
        statuses = [receipt["status"] for receipt in receipts(there) + receipts(back)]
        assert sorted(statuses) == ["accepted"] * 20 + ["duplicate"] * 20
    assert Event.select().count() == EventDedup.select().count() == 800


def test_an_occurrence_sent_at_once_by_many_is_stored_once(
    groups: GroupCommitter, other_process: GroupCommitter, cast: Cast
) -> None:
    at = datetime.now(UTC).isoformat()
    senders = list(itertools.islice(itertools.cycle((groups, other_process)), 12))
    answers = together([partial(tried, each, offer(cast.key, {"title": "x", "occurredAt": at})) for each in senders])
    assert sorted(receipts(answer)[0]["status"] for answer in answers) == ["accepted"] + ["duplicate"] * 11
    assert Event.select().count() == 1


def test_events_of_a_refused_request_are_not_known_to_its_group(groups: GroupCommitter, cast: Cast) -> None:
    """Its first event would be new, its second is a mismatch: a neighbour's answer must not name an event never stored."""
    receipts(tried(groups, offer(cast.key, {"title": "x", "idempotencyKey": "old"})))
    refused = {"events": [{"title": "n", "idempotencyKey": "new"}, {"title": "other", "idempotencyKey": "old"}]}
    good = {"title": "n", "idempotencyKey": "new"}

    for _ in range(10):
        EventDedup.delete().where(EventDedup.digest << _digests("new")).execute()
        with other_connection() as other, other.cursor() as cursor:
            cursor.execute("LOCK TABLE source_keys IN ACCESS EXCLUSIVE MODE")
            begun(partial(tried, groups, offer(cast.key)))
            until(a_group_waits_for_a_lock)
            first = begun(partial(tried, groups, offer(cast.key, refused)))
            until(lambda: len(groups._waiting) == 1)
            second = begun(partial(tried, groups, offer(cast.key, good)))
            until(lambda: len(groups._waiting) == 2)
            other.rollback()
            assert isinstance(first(), IdempotencyMismatch)
            [receipt] = receipts(second())
        assert receipt["status"] == "accepted"


def _digests(*own: str) -> list[bytes]:
    import hashlib

    return [hashlib.sha256(key.encode()).digest() for key in own]


def test_events_of_one_source_are_queued_in_the_order_in_which_they_were_answered(
    groups: GroupCommitter, cast: Cast
) -> None:
    ids = [receipts(tried(groups, offer(cast.key, {"title": f"{number}"})))[0]["id"] for number in range(30)]
    rows = (
        Event.select(Event.title)
        .join(EventQueueRow, on=(EventQueueRow.event_id == Event.id))
        .order_by(EventQueueRow.seq)
    )
    assert [row.title for row in rows] == [str(number) for number in range(30)]
    assert len(set(ids)) == 30


def test_more_requests_than_a_group_holds_are_stored_in_several_groups(groups: GroupCommitter, cast: Cast) -> None:
    batch = {"events": [{"title": f"{number}"} for number in range(100)]}
    large = {"title": "x", "metadata": {"x": "y" * 700_000}}
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE source_keys IN ACCESS EXCLUSIVE MODE")
        waiting = [begun(partial(tried, groups, offer(cast.key, batch))) for _ in range(12)]
        waiting += [begun(partial(tried, groups, offer(cast.key, large))) for _ in range(4)]
        other.rollback()
        for result in waiting:
            assert receipts(result())
    assert Event.select().count() == 1204
    assert transactions() >= 3


def test_the_rows_of_a_revoked_key_end_with_the_revocation(groups: GroupCommitter, cast: Cast) -> None:
    """Whatever runs at that moment: a request that begins after the revocation is refused (fault F44)."""
    for _ in range(20):
        _, key = make_source(cast.workspace, "Short-lived")
        running = [begun(partial(_until_refused, groups, key)) for _ in range(3)]
        receipts(tried(groups, offer(key)))
        SourceKey.update(revoked_at=datetime.now(UTC)).where(SourceKey.hash == keys.digest(key)).execute()
        assert isinstance(tried(groups, offer(key)), Unauthenticated)
        number = Event.select().count()
        for result in running:
            result()
        assert Event.select().count() - number <= 3


def _until_refused(groups: GroupCommitter, key: str) -> None:
    while isinstance(tried(groups, offer(key)), bytes):
        pass


def test_a_process_has_one_committer(ground: object) -> None:
    assert groups_module.groups() is groups_module.groups()


@pytest.mark.direct("it ends the connections of committers, which clients share")
def test_a_connection_that_was_ended_between_two_requests_is_replaced(groups: GroupCommitter, cast: Cast) -> None:
    receipts(tried(groups, offer(cast.key)))
    assert end_committers() >= 1
    receipts(tried(groups, offer(cast.key)))


@pytest.mark.direct("statements are prepared on the server alone")
def test_statements_planned_on_empty_tables_look_each_row_up_by_its_key(ground: object) -> None:
    """Such a plan is kept while the tables grow to millions of rows."""
    line = IngestConnection()
    for _ in range(5):  # autovacuum may look at a table between both statements
        db.execute_sql("TRUNCATE workspaces CASCADE")  # as in a new database: pages are guessed, none is there
        db.execute_sql("TRUNCATE event_dedup, idempotency_records")
        line.store()
        if _are_unknown("workspaces", "sources", "source_keys", "event_dedup", "idempotency_records"):
            break
    conditions = {
        "known": [
            "Index Cond: (hash = asked.hash)",
            "Index Cond: (id = k.source_id)",
            "Index Cond: (id = k.workspace_id)",
            "(source_id = senders_1.source_id) AND (route = 'POST /v1/events'::text) AND (key = a_1.key)",
        ],
        "met": ["(source_id = a.source_id) AND (kind = a.kind) AND (digest = a.digest)"],
    }
    for name, required in conditions.items():
        (cursor := line._connection.cursor()).execute(f"EXPLAIN EXECUTE {name} ('[]')")
        plan = "\n".join(row for (row,) in cursor.fetchall())
        assert [condition for condition in required if condition not in plan] == [], plan
        assert "Seq Scan" not in plan
        assert "Disabled: true" not in plan


def _are_unknown(*tables: str) -> bool:
    """Whether the server has no statistics of any of these tables."""
    cursor = db.execute_sql("SELECT bool_and(reltuples < 0) FROM pg_class WHERE relname = ANY(%s)", (list(tables),))
    return bool(cursor.fetchone()[0])
