"""Events that break routing are quarantined, and never because the database became unreachable."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any
from uuid import UUID

import peewee
import psycopg2
import pytest
from psycopg2.extensions import cursor as Cursor

from inbox.config import settings as inbox_settings
from inbox.config.settings import Settings, variable
from inbox.database.base import db
from inbox.flow.routing.quarantine import CRASHES
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import is_outage
from inbox.models.events import quarantine as event_quarantine
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import partition_of, shard_of
from inbox.models.events.tables import EventQueueRow
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast, make_source, present
from tests.closing import closed
from tests.database.pgbouncer import direct
from tests.fault_triggers import row_trigger
from tests.flow.routing_fixtures import accept, event, waiting
from tests.ops.processes import until

WORKER = """
from datetime import UTC, datetime
from inbox.services.instance import bootstrap
from inbox.database.base import db
from inbox.config.settings import Settings
from inbox.flow.routing.route import route
bootstrap.configure(Settings.from_env(), application="inbox-mortal")
with db.connection_context():
    route(lambda: datetime.now(UTC))
"""


def where_poison(act: str) -> str:
    """Only for the outcome of an event titled `poison`."""
    titled = "(SELECT title = 'poison' FROM received_events WHERE id = NEW.event_id)"
    return f"IF NEW.disposition <> 'pending' AND {titled} THEN {act}; END IF"


def one_worker() -> None:
    with db.connection_context():
        route(present)


def begin(cast: Cast, times: int) -> None:
    """As workers do that die over the shard, so that its events go one at a time in the end."""
    for _ in range(times):
        event_queue.lock_and_count_attempts([shard_of(cast.source.id)])


def is_cut_short() -> bool:
    """Whether a worker that routes what waits loses the database over it."""
    with ThreadPoolExecutor(1) as pool:
        fault = pool.submit(one_worker).exception()
    assert fault is None or isinstance(fault, peewee.OperationalError | peewee.InterfaceError | psycopg2.Error)
    return fault is not None


@pytest.mark.parametrize("code", ["P0001", "54000"])
def test_a_poison_event_keeps_no_neighbour_and_is_set_aside_after_five_tries(cast: Cast, code: str) -> None:
    before, bad = accept(cast.source, key="a"), accept(cast.source, key="b", title="poison")
    dependent, after = accept(cast.source, key="b"), accept(cast.source, key="c")

    with row_trigger(where_poison(f"RAISE EXCEPTION 'poison' USING ERRCODE = '{code}'")):
        route(lambda: NOW)

        assert [event(id).disposition for id in (before, bad, dependent, after)] == [
            "opened",
            "pending",
            "pending",
            "opened",
        ]
        assert EventQueueRow.get(EventQueueRow.event_id == bad).attempts == 1

        for _ in range(4):
            route(lambda: NOW)

    assert event(dependent).disposition == "opened"
    aside = EventQueueRow.get(EventQueueRow.event_id == bad)
    assert (aside.attempts, aside.quarantined_at) == (5, NOW)
    assert event(bad).disposition == "pending"
    assert "quarantined" in event(bad).routing["trace"][0]
    assert (event_queue.shards_with_work(), waiting()) == ([], 1)


def test_an_event_that_kills_the_process_is_quarantined_and_its_neighbours_are_routed(
    cast: Cast, settings: Settings
) -> None:
    before, bad = accept(cast.source, key="a"), accept(cast.source, key="b", title="poison")
    after = accept(cast.source, key="c")
    beside = [accept(make_source(cast.workspace, f"Beside {n}")[0]) for n in range(4)]
    deaths = 0

    with row_trigger(where_poison("PERFORM pg_sleep(600)")):
        while event_queue.shards_with_work():
            deaths += dies_while_it_routes(settings)
            assert deaths <= 5

    assert [event(id).disposition for id in (before, bad, after)] == ["opened", "pending", "opened"]
    assert [event(id).disposition for id in beside] == ["opened"] * 4
    assert [each.event_id for each in event_quarantine.list_quarantined(9)] == [bad]
    assert Incident.select().count() == 6
    shard = shard_of(cast.source.id)
    assert event_queue.lock_and_count_attempts([shard]) == {shard: 1}


def test_a_deadly_event_is_found_while_another_source_of_its_partition_sends(cast: Cast, settings: Settings) -> None:
    sibling = make_source(cast.workspace, "Sibling", id=UUID(int=cast.source.id.int ^ event_queue.PARTITIONS))[0]
    bad, others, deaths = accept(cast.source, title="poison"), list[UUID](), 0

    with row_trigger(where_poison("PERFORM pg_sleep(600)")):
        while event_queue.shards_with_work():
            others.append(accept(sibling, key=f"key-{deaths}"))
            deaths += dies_while_it_routes(settings)
            assert deaths <= 6

    assert [each.event_id for each in event_quarantine.list_quarantined(9)] == [bad]
    assert {event(id).disposition for id in others} == {"opened"}


def dies_while_it_routes(settings: Settings) -> bool:
    """A worker's process that is killed as soon as it is at the poison; whether it came to it."""
    values = {variable(each.name): getattr(settings, each.name) for each in fields(Settings)}
    environment = os.environ | {name: value for name, value in values.items() if isinstance(value, str)}
    with subprocess.Popen([sys.executable, "-c", WORKER], cwd=Path(__file__).parents[3], env=environment) as worker:
        until(lambda: worker.poll() is not None or asleep("inbox-mortal"), "the worker ends or comes to the poison")
        assert not worker.returncode, "the worker fails"
        worker.kill()
    return bool(asleep("inbox-mortal") and end("inbox-mortal"))


def asleep(application: str) -> bool:
    sought = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND wait_event = 'PgSleep'"
    return bool(db.execute_sql(sought, (application,)).fetchone()[0])


def end(application: str) -> bool:
    """End its connections."""
    ended = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = %s AND pid <> pg_backend_pid()"
    found = db.execute_sql(ended, (application,)).fetchall()
    return all(done for (done,) in found)


def test_the_attempts_of_a_shard_are_kept_when_its_worker_dies(cast: Cast) -> None:
    shard = shard_of(cast.source.id)
    for tries in (1, 2):
        with pytest.raises(RuntimeError), db.atomic():
            assert event_queue.lock_and_count_attempts([shard]) == {shard: tries}
            raise RuntimeError
    with pytest.raises(RuntimeError), db.atomic():
        event_queue.reset_attempts([shard])
        raise RuntimeError

    assert event_queue.lock_and_count_attempts([shard]) == {shard: 1}
    assert event_queue.lock_and_count_attempts([shard ^ 1]) == {shard ^ 1: 1}


def test_concurrent_workers_of_a_shard_count_as_no_crash(cast: Cast) -> None:
    accept(cast.source)
    shard = shard_of(cast.source.id)
    with psycopg2.connect(inbox_settings.current().database_url) as another, another.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", (event_queue.PARTITION_LOCKS, partition_of(shard)))
        for _ in range(2 * CRASHES):
            assert route(lambda: NOW) == 0

    assert event_queue.lock_and_count_attempts([shard]) == {shard: 1}


class Overtaken(Cursor):
    """Another worker takes the shard as soon as the try of an event is counted."""

    is_counted = False
    other: Any = None

    def execute(self, sql: Any, values: Any = None) -> None:
        if Overtaken.is_counted and "pg_try_advisory_xact_lock" in str(sql):
            Overtaken.other.execute("SELECT pg_advisory_lock(%s, %s)", values)
        super().execute(sql, values)
        Overtaken.is_counted |= "SET attempts = attempts + 1" in str(sql)


def test_a_worker_that_loses_its_shard_leaves_the_rest_to_the_next_worker(cast: Cast) -> None:
    events = [accept(cast.source, key="a"), accept(cast.source, key="a", action="resolve")]
    begin(cast, CRASHES)
    connection = db.connection()
    with closing(psycopg2.connect(direct(inbox_settings.current()))) as another:
        another.autocommit = True
        connection.cursor_factory, Overtaken.other = Overtaken, another.cursor()
        try:
            route(lambda: NOW)
        finally:
            connection.cursor_factory = None
        assert [event(id).disposition for id in events] == ["pending", "pending"]
        assert [waits.attempts for waits in EventQueueRow.select()] == [0, 0]

    until(lambda: route(lambda: NOW), "the other one has gone")
    assert [event(id).disposition for id in events] == ["opened", "resolved"]


CUTS = 12


@pytest.mark.parametrize("begun", [0, CRASHES], ids=["in a batch and alone", "alone"])
@pytest.mark.parametrize(
    ("table", "on"), [("routed_events", "INSERT"), ("incidents", "INSERT"), ("event_queue", "DELETE")]
)
def test_no_event_is_set_aside_for_connections_that_are_cut(cast: Cast, table: str, on: str, begun: int) -> None:
    events = [accept(cast.source, key=key) for key in "abc"]
    begin(cast, begun)
    cuts = 0

    db.execute_sql("CREATE SEQUENCE cuts")
    try:
        cut = f"IF nextval('cuts') <= {CUTS} THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF"
        with row_trigger(cut, table=table, on=on):
            while event_queue.shards_with_work():
                cuts += is_cut_short()
                assert cuts <= CUTS
    finally:
        db.execute_sql("DROP SEQUENCE cuts")

    assert (cuts, waiting(), event_quarantine.list_quarantined(9)) == (CUTS, 0, [])
    assert [event(id).disposition for id in events] == ["opened"] * 3
    assert Incident.select().count() == 3


@pytest.mark.direct("the outage ends all connections but one, which the pooler gives to the worker")
def test_an_attempt_counted_during_a_database_outage_is_taken_back(
    cast: Cast, addresses: tuple[str, str], settings: Settings
) -> None:
    waits = accept(cast.source)
    begin(cast, CRASHES)

    with row_trigger("PERFORM pg_sleep(600)"):
        for _ in range(5):
            is_over: list[bool] = []
            worker = threading.Thread(target=lambda to=is_over: to.append(is_cut_short()))
            worker.start()
            until(lambda: asleep("inbox-test"), "the event is tried alone")
            with closed(addresses[0], settings):
                assert end("inbox-test")
                worker.join()
            assert (is_over, EventQueueRow.get().attempts) == ([True], 1)

    assert not is_cut_short()
    assert event(waits).disposition == "opened"


@pytest.mark.parametrize(
    ("code", "is_one"),
    [
        *((code, True) for code in ("08006", "57P01", "57P02", "57P03", "57014", "55P03", "53200", "53300")),
        *((code, True) for code in ("25006", "25P03", "58030")),
        *((code, False) for code in ("54000", "22003", "23505", "P0001")),
    ],
)
def test_an_error_that_an_event_may_cause_is_no_outage(ground: Any, code: str, is_one: bool) -> None:
    with pytest.raises(peewee.DatabaseError) as raised, db.atomic():
        db.execute_sql(f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{code}'; END $$")

    assert is_outage(raised.value) is is_one


def test_a_quarantined_event_is_not_claimed(cast: Cast) -> None:
    aside, other = accept(cast.source, key="a"), accept(cast.source, key="b")
    EventQueueRow.update(quarantined_at=NOW).where(EventQueueRow.event_id == aside).execute()

    events, gone = event_queue.fetch(shard_of(cast.source.id), 10)

    assert [each.id for each in events] == [other]
    assert gone == []
