"""Tables of events in monthly partitions: made from a table in use, added ahead, and dropped past every retention."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import peewee
import pytest

from inbox.database.base import db, new_id
from inbox.database.migrate import DIRECTORY, migrate
from inbox.flow.upkeep.purge import dry_run, purge
from inbox.models.events.tables import EventQueueRow, ReceivedEvent, RoutedEvent, RoutingTrace
from inbox.models.instance.partitions import TABLES, NextMonths, tables_without_partition
from inbox.models.workspaces.tables import Workspace
from tests.cast import Cast, make_workspace
from tests.database.stored import store
from tests.database.tables import leaves
from tests.flow.concurrent_connections import other_connection

DAY = timedelta(days=1)
PARTS = (
    "SELECT name FROM event_partitions() WHERE parent = %s AND name NOT IN (parent || '_first', parent || '_default')"
)
BOUND = "SELECT high FROM event_partitions() WHERE high IS NOT NULL ORDER BY high DESC LIMIT 1"
ANALYZE_OFTEN = "autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000"
OF_ROW = "SELECT tableoid::regclass::text FROM received_events WHERE id = %s"
OLD_EVENTS = """
INSERT INTO received_events
    (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, fingerprint)
SELECT gen_random_uuid(), ('0192' || substr(replace(gen_random_uuid()::text, '-', ''), 5))::uuid, gen_random_uuid(),
    now(), now(), 'ERROR', 'trigger', 'Old', 'f1:x'
FROM generate_series(1, 1000)
"""


def added(table: str = "received_events") -> list[str]:
    return [name for (name,) in db.execute_sql(PARTS, (table,)).fetchall()]


@pytest.fixture
def partitions(cast: Cast) -> Iterator[Cast]:
    """The partitions of the migration alone, also after the test: a purge of any test adds some."""
    drop_added()
    (bound,) = db.execute_sql(BOUND).fetchone()
    yield cast
    drop_added()
    for table in TABLES:
        if len(leaves(table)) == 1:
            db.execute_sql(
                f"CREATE TABLE {table}_first PARTITION OF {table} FOR VALUES FROM (MINVALUE) TO ('{bound}') WITH ({ANALYZE_OFTEN})"
            )


def drop_added() -> None:
    for table in TABLES:
        for part in added(table):
            db.execute_sql(f"DROP TABLE {part}")


def last_bound() -> datetime:
    """Returns when the first month begins that has no partition."""
    (high,) = db.execute_sql(BOUND).fetchone()
    return datetime.fromtimestamp((high.int >> 80) / 1000, UTC)


def event(cast: Cast, at: datetime, workspace_id: UUID | None = None) -> UUID:
    """A routed event that was received at this time, and a shared trace of that time."""
    id, trace, workspace_id = new_id(at), new_id(at), workspace_id or cast.workspace.id
    about = {"workspace_id": workspace_id, "source_id": cast.source.id}
    store(**about, id=id, received_at=at, occurred_at=at, disposition="logged")
    RoutingTrace.create(**about, id=trace, record={})
    return id


def part_of(id: UUID) -> str:
    return str(db.execute_sql(OF_ROW, (id,)).fetchone()[0])


def fill_months(months: int) -> datetime:
    """Adds partitions for the next months; returns the first day of the first one."""
    first = last_bound()
    with db.atomic():
        NextMonths(first + 31 * (months - 1) * DAY - timedelta(days=62)).run(0)
    return first


def test_a_table_in_use_becomes_the_first_partition_and_is_not_written_again(
    empty: peewee.PostgresqlDatabase, tmp_path: Path
) -> None:
    first, *others = sorted(DIRECTORY.glob("0*.py"))
    shutil.copy(first, tmp_path)
    migrate(empty, directory=tmp_path)
    with empty.connection_context():
        empty.execute_sql(OLD_EVENTS)
        file = empty.execute_sql("SELECT pg_relation_filenode('received_events')").fetchone()
    for each in others:
        shutil.copy(each, tmp_path)

    migrate(empty, directory=tmp_path)

    with empty.connection_context():
        assert empty.execute_sql("SELECT pg_relation_filenode('received_events_first')").fetchone() == file
        assert empty.execute_sql("SELECT count(*) FROM events").fetchone() == (1000,)
        assert empty.execute_sql("SELECT count(*) FROM pg_index WHERE NOT indisvalid").fetchone() == (0,)


def test_months_are_added_ahead_once(partitions: Cast) -> None:
    first = last_bound()

    with db.atomic():
        assert NextMonths(first).run(0) == 3 * len(TABLES)
        assert NextMonths(first).run(0) == 0

    assert added() == [f"received_events{first + days * DAY:_%Y_%m}" for days in (0, 31, 61)]
    assert part_of(event(partitions, first + DAY)) == added()[0]
    assert part_of(event(partitions, first - timedelta(milliseconds=1))) == "received_events_first"


def test_events_of_a_month_without_a_partition_are_kept_and_move_when_it_exists(partitions: Cast) -> None:
    first = last_bound()
    id = event(partitions, first + DAY)
    later = event(partitions, first + 400 * DAY)
    assert part_of(id) == part_of(later) == "received_events_default"
    assert tables_without_partition(first + DAY) == sorted(TABLES)

    fill_months(1)

    assert part_of(id) == f"received_events{first:_%Y_%m}"
    assert part_of(later) == "received_events_default"
    assert tables_without_partition(first + DAY) == []
    assert ReceivedEvent.select().count() == RoutedEvent.select().count() == RoutingTrace.select().count() == 2


def test_adding_does_not_wait_for_somebody_who_reads_the_default_partition(partitions: Cast) -> None:
    with other_connection() as connection, connection.cursor() as cursor:
        cursor.execute("LOCK TABLE received_events_default IN ACCESS SHARE MODE")
        first = last_bound()

        result = purge(first)

        assert not result.failed
        assert added() == []
        connection.rollback()
    purge(first)
    assert len(added()) == 3


def test_a_month_is_dropped_when_no_workspace_keeps_it(partitions: Cast) -> None:
    first = fill_months(3)
    ids = [event(partitions, first + days * DAY) for days in (1, 40, 70)]
    keep = {"retention": {"eventDays": 30}}
    Workspace.update(settings=keep).execute()
    now = first + 62 * DAY + timedelta(hours=1)

    assert dry_run(now)["partitions of received_events"] == 2  # the first of the migration, and that of the first month
    result = purge(now)

    assert not result.failed and result["partitions of received_events"] == 2
    assert [row.id for row in ReceivedEvent.select().order_by(ReceivedEvent.id)] == ids[1:]
    assert [row.event_id for row in RoutedEvent.select().order_by(RoutedEvent.event_id)] == ids[1:]


def test_a_workspace_that_keeps_events_longer_keeps_the_month_and_only_its_own_events(partitions: Cast) -> None:
    first = fill_months(3)
    Workspace.update(settings={"retention": {"eventDays": 30}}).execute()
    patient = make_workspace("Patient")
    Workspace.update(settings={"retention": {"eventDays": 365}}).where(Workspace.id == patient.id).execute()
    event(partitions, first + DAY)
    own = event(partitions, first + DAY, patient.id)
    parts = added()

    result = purge(first + 64 * DAY)

    assert not result.failed and result["partitions of received_events"] == 0
    assert set(added()) >= set(parts)
    assert [row.id for row in ReceivedEvent.select()] == [own]


def test_an_event_that_waits_keeps_its_month(partitions: Cast) -> None:
    first = fill_months(3)
    Workspace.update(settings={"retention": {"eventDays": 30}}).execute()
    routed, waiting = event(partitions, first + DAY), event(partitions, first + 2 * DAY)
    EventQueueRow.create(shard=1, workspace_id=partitions.workspace.id, event_id=waiting)

    purge(first + 64 * DAY)

    assert [row.id for row in ReceivedEvent.select()] == [waiting]
    EventQueueRow.delete().execute()
    assert purge(first + 64 * DAY)["partitions of received_events"] == 1
    assert ReceivedEvent.select().count() == 0 and routed
