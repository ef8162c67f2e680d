"""Overtaking CRITICAL events that fail, conflict, kill their worker, or have many earlier events."""

from __future__ import annotations

from uuid import UUID

import pytest

from inbox.config.settings import Settings
from inbox.flow.routing.batch import FETCH_SIZE, MANY_EVENTS
from inbox.flow.routing.overtaking import SAME_FINGERPRINT
from inbox.flow.routing.route import route
from inbox.models.events import quarantine as event_quarantine
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import shard_of
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast, make_source
from tests.fault_triggers import row_trigger
from tests.flow.routing.test_overtaking import critical, flood, outcomes, overtake, send
from tests.flow.routing.test_quarantine import dies_while_it_routes, where_poison

SLEEP = where_poison("PERFORM pg_sleep(600)")


@pytest.fixture
def sources(cast: Cast) -> tuple[Source, Source]:
    """A source whose shard has the first turn, and one of another partition."""
    first = cast.source.id.int >> 15 << 15
    found = [make_source(cast.workspace, f"Source {n}", id=UUID(int=first + n))[0] for n in range(2)]
    return found[0], found[1]


def starts_of(source: Source) -> int:
    """Counts a start of the partition; returns the number of starts without completion before."""
    shard = shard_of(source.id)
    return event_queue.lock_and_count_attempts([shard])[shard] - 1


def test_an_overtaking_event_that_kills_the_process_is_quarantined(
    sources: tuple[Source, Source], settings: Settings
) -> None:
    other, flooding = sources
    flood(other, MANY_EVENTS)
    before = flood(flooding, MANY_EVENTS)
    [bad, after] = send(flooding, [critical("db", title="poison"), critical("web")])
    deaths = 0

    with row_trigger(SLEEP):
        while event_queue.shards_with_work():
            deaths += dies_while_it_routes(settings)
            assert deaths <= 5

    assert outcomes([bad, after]) == ["pending", "opened"]
    assert set(outcomes(before)) == {"opened"}
    assert [each.event_id for each in event_quarantine.list_quarantined(9)] == [bad]


def test_overtaking_events_do_not_hide_a_batch_that_kills_the_process(
    sources: tuple[Source, Source], settings: Settings
) -> None:
    other, flooding = sources
    [bad] = send(flooding, [{"title": "poison", "dedupKey": "poison"}])
    flood(flooding, MANY_EVENTS)
    alarms, deaths = list[UUID](), 0

    with row_trigger(SLEEP):
        while event_queue.shards_with_work():
            flood(other, MANY_EVENTS)
            alarms += send(flooding, [critical(f"db {deaths}")])
            deaths += dies_while_it_routes(settings)
            assert deaths <= 5

    assert [each.event_id for each in event_quarantine.list_quarantined(9)] == [bad]
    assert set(outcomes(alarms)) == {"opened"}


def test_a_conflict_is_retried_and_counts_no_start(cast: Cast) -> None:
    [alarm] = send(cast.source, [critical("db")])

    conflict = "IF nextval('trigger_rows') <= 3 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF"
    with row_trigger(conflict):
        assert overtake(cast.source) == 1

    assert outcomes([alarm]) == ["opened"]
    assert starts_of(cast.source) == 0


def test_a_failure_leaves_the_events_in_the_queue_and_counts_no_start(cast: Cast) -> None:
    sent = send(cast.source, [critical("db", title="poison"), critical("web")])

    with row_trigger(where_poison("RAISE EXCEPTION 'poison'")):
        assert overtake(cast.source) == 0
        assert outcomes(sent) == ["pending", "pending"]
        assert starts_of(cast.source) == 0
        for _ in range(5):
            route(lambda: NOW)

    assert outcomes(sent) == ["pending", "opened"]
    assert [each.event_id for each in event_quarantine.list_quarantined(9)] == [sent[0]]


def test_a_transaction_routes_no_more_events_than_a_fetch(cast: Cast) -> None:
    earlier = SAME_FINGERPRINT - 10
    for key in "abcde":
        send(cast.source, [{"title": "Slow", "severity": "WARNING", "dedupKey": key}] * earlier)
    alarms = send(cast.source, [critical(key) for key in "abcde"])

    assert overtake(cast.source) == FETCH_SIZE // (earlier + 1) * (earlier + 1)
    assert sorted(outcomes(alarms)) == ["pending"] + ["updated"] * 4
    assert overtake(cast.source) == earlier + 1
    assert outcomes(alarms) == ["updated"] * 5
