"""A batch: the maximum number of events of a shard, portion by portion, in their order."""

from __future__ import annotations

from itertools import count
from uuid import UUID

import pytest

from inbox.database.base import db
from inbox.flow.routing import batch
from inbox.flow.routing.route import route
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import ReceivedEvent
from tests.cast import NOW, Cast, make_source
from tests.flow.routing_fixtures import accept, event, routed
from tests.flow.rulemaking import clause, rule


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "FETCH_SIZE", 3)
    monkeypatch.setattr(batch, "MAX_EVENTS", 6)
    monkeypatch.setattr(batch, "MANY_EVENTS", 3)


def accepted(cast: Cast, many: int, body: str = "") -> list[UUID]:
    return [accept(cast.source, key=f"k{place}", body=body or None) for place in range(many)]


def claimed(cast: Cast, after: int = 0) -> tuple[list[UUID], int]:
    """The events of the next batch, and how many places are of events that are gone."""
    shard = shard_of(cast.source.id)
    with db.atomic():
        assert event_queue.lock_shard(shard)
        events, gone = batch.claim({shard: after})[shard]
    return [each.id for each in events], len(gone)


@pytest.mark.parametrize(("waiting", "together"), [(0, 0), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 6), (9, 6)])
def test_portions_are_put_together_until_a_batch_is_full(cast: Cast, waiting: int, together: int) -> None:
    events = accepted(cast, waiting)

    assert claimed(cast) == (events[:together], 0)


def test_queue_rows_without_an_event_are_counted_and_skipped(cast: Cast) -> None:
    events = accepted(cast, 7)
    ReceivedEvent.delete().where(ReceivedEvent.id.in_(events[:5])).execute()

    assert claimed(cast) == (events[5:6], 5)


def test_a_batch_begins_after_skipped_events(cast: Cast) -> None:
    events = accepted(cast, 8)
    with db.atomic():
        first, _ = event_queue.fetch(shard_of(cast.source.id), 2)

    assert claimed(cast, first[-1].seq) == (events[2:8], 0)


@pytest.mark.parametrize(("long", "together"), [(999, 6), (1_000, 3), (1_001, 3)])
def test_a_batch_of_long_texts_that_a_rule_reads_is_full_sooner(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, long: int, together: int
) -> None:
    monkeypatch.setattr(batch, "MAX_BYTES", 3 * 1_000)
    rule(cast.workspace, clause("body", "contains", "nothing like it"))
    routed(cast.source)
    events = accepted(cast, 6, body="x" * long)

    assert claimed(cast) == (events[:together], 0)


def test_long_texts_that_no_rule_reads_do_not_count(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MAX_BYTES", 2_000)
    events = accepted(cast, 6, body="x" * 16_000)

    assert claimed(cast) == (events, 0)


def test_each_batch_is_one_transaction(cast: Cast) -> None:
    events = accepted(cast, 20)

    assert route(lambda: NOW) == 20

    assert {event(id).disposition for id in events} == {"opened"}
    found = db.execute_sql("SELECT count(*) FROM routed_events GROUP BY xmin::text ORDER BY 1 DESC")
    assert [many for (many,) in found.fetchall()] == [6, 6, 6, 2]


def test_several_shards_are_fetched_together_each_behind_its_own_position(cast: Cast) -> None:
    other = next(
        source
        for source in (make_source(cast.workspace, f"Source {number}")[0] for number in count())
        if shard_of(source.id) != shard_of(cast.source.id)
    )
    own, others = accepted(cast, 3), [accept(other, key=f"k{place}") for place in range(4)]
    ReceivedEvent.delete().where(ReceivedEvent.id == others[1]).execute()
    shard, other_shard = shard_of(cast.source.id), shard_of(other.id)
    with db.atomic():
        first = event_queue.fetch(shard, 1).events[0]
        found = batch.claim({other_shard: 0, shard: first.seq})

    assert [each.id for each in found[shard].events] == own[1:]
    assert [each.id for each in found[other_shard].events] == [others[0], others[2]]  # of four places three at once
    assert (len(found[shard].missing), len(found[other_shard].missing)) == (0, 1)
