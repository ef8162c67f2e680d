"""One worker with several hands: shards beside each other, each in its order, and nothing beside what is tried alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import psycopg2
import pytest

from inbox.flow.again import is_outage
from inbox.flow.route import route
from inbox.models import routing, suspects
from inbox.models.base import db
from inbox.models.events import QueuedEvent, RoutingShard, shard_of
from inbox.models.incidents import Incident
from inbox.models.sources import Source
from inbox.settings import Settings
from tests.cast import NOW, Cast, make_source, present
from tests.flow.stage import accept, event, timeline, waiting
from tests.flow.test_suspects import where_poison
from tests.ops.processes import until
from tests.tripwires import tripwire

HANDS = 3
TITLED = "(SELECT title FROM received_events WHERE id = NEW.event_id)"


def in_shards(cast: Cast, many: int) -> list[Source]:
    """Sources of as many shards."""
    found: dict[int, Source] = {}
    while len(found) < many:
        source, _ = make_source(cast.workspace, f"Source {len(found)}")
        found.setdefault(shard_of(source.id), source)
    return list(found.values())


@contextmanager
def worker(faults: list[BaseException] | None = None) -> Iterator[threading.Thread]:
    """A worker that routes what waits."""

    def work() -> None:
        try:
            with db.connection_context():
                route(present, hands=HANDS)
        except Exception as fault:
            if faults is None:
                raise
            faults.append(fault)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield thread
    finally:
        thread.join()


@contextmanager
def door(settings: Settings) -> Iterator[psycopg2.extensions.connection]:
    """A connection that keeps those who wait for lock 1 waiting until it ends."""
    connection = psycopg2.connect(settings.database_url)
    connection.autocommit = True
    try:
        connection.cursor().execute("SELECT pg_advisory_lock(1)")
        yield connection
    finally:
        connection.close()


WAIT = "SET LOCAL lock_timeout = 0; PERFORM pg_advisory_xact_lock_shared(1)"
WAIT_WHERE_SLOW = f"IF {TITLED} = 'slow' THEN {WAIT}; END IF"


def at_the_door() -> int:
    asked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND classid = 0 AND NOT granted"
    return int(db.execute_sql(asked).fetchone()[0])


def test_as_many_shards_as_there_are_hands_are_served_at_once(cast: Cast, settings: Settings) -> None:
    events = [accept(source) for source in in_shards(cast, HANDS + 1)]

    with tripwire(WAIT), door(settings) as shut, worker():
        until(lambda: at_the_door() == HANDS, "every hand serves a shard")
        shut.close()

    assert [event(id).disposition for id in events] == ["opened"] * (HANDS + 1)
    assert waiting() == 0


def test_each_shard_goes_in_its_order(cast: Cast) -> None:
    sources = in_shards(cast, 2 * HANDS)
    sent = [
        accept(source, NOW + timedelta(seconds=turn), action=("trigger", "resolve")[turn % 2])
        for turn in range(8)
        for source in sources
    ]

    assert route(present, hands=HANDS) == len(sent)

    assert Incident.select().count() == len(sources)
    for one in Incident.select():
        assert timeline(one.id) == ["opened", "resolved", *["reopened", "resolved"] * 3]
    assert (waiting(), routing.shards_with_work()) == (0, [])


def test_what_goes_alone_goes_when_nobody_else_is_busy(cast: Cast, settings: Settings) -> None:
    broken, *slow, last = sorted(in_shards(cast, HANDS + 1), key=lambda source: shard_of(source.id))
    bad, good = accept(broken, title="poison"), [accept(source, title="slow") for source in slow]
    next_one = accept(last)

    with tripwire(WAIT_WHERE_SLOW + "; " + where_poison("RAISE EXCEPTION 'poison'")):
        with door(settings) as shut, worker():
            until(lambda: at_the_door() == len(slow) and has_failed(broken, len(slow)), "one failed, others go on")
            for _ in range(40):
                assert QueuedEvent.get(QueuedEvent.event_id == bad).attempts == 0
                assert event(next_one).disposition == "pending"
                time.sleep(0.025)
            shut.close()

        assert QueuedEvent.get(QueuedEvent.event_id == bad).attempts == 1

    assert [event(id).disposition for id in (bad, *good, next_one)] == ["pending", *["opened"] * HANDS]
    assert RoutingShard.get_by_id(shard_of(broken.id)).tries == 0


def has_failed(source: Source, others: int) -> bool:
    """Its batch was begun, and but for the others no transaction is under way."""
    active = "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database()"
    begun = RoutingShard.get_by_id(shard_of(source.id)).tries
    return bool(begun and db.execute_sql(active).fetchone()[0] == others)


def test_connections_that_are_cut_end_the_call_and_lose_nothing(cast: Cast) -> None:
    events = [accept(source, key=key) for source in in_shards(cast, HANDS) for key in "ab"]
    cuts = 0
    db.execute_sql("CREATE SEQUENCE cuts")
    try:
        with tripwire("IF nextval('cuts') <= 20 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF"):
            while routing.shards_with_work():
                faults: list[BaseException] = []
                with worker(faults):
                    pass
                assert all(is_outage(fault) for fault in faults)
                cuts += len(faults)
                assert cuts <= 20
    finally:
        db.execute_sql("DROP SEQUENCE cuts")

    assert cuts > 0
    assert [event(id).disposition for id in events] == ["opened"] * len(events)
    assert (waiting(), suspects.set_aside(9)) == (0, [])


@pytest.mark.parametrize("hands", [1, HANDS])
def test_a_call_without_time_serves_nobody(cast: Cast, hands: int) -> None:
    accept(cast.source)

    assert route(lambda: NOW, patience=timedelta(0), hands=hands) == 0
    assert waiting() == 1
