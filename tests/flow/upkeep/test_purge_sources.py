"""The events of a deleted source: removed along an index, and an error of one step does not stop the purge."""

from __future__ import annotations

from datetime import timedelta

from structlog.testing import capture_logs

from inbox.database.base import db
from inbox.flow.upkeep.purge import dry_run, purge
from inbox.models.events.tables import EventQueueRow, ReceivedEvent, RoutedEvent
from inbox.models.instance.maintenance import SOME_EVENTS, SourceEvents
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast, make_source
from tests.database import plans
from tests.database.tables import leaves
from tests.fault_triggers import row_trigger
from tests.flow.concurrent_connections import other_connection
from tests.flow.rulemaking import rule
from tests.flow.upkeep.test_purge import event

LONG_AGO = NOW - timedelta(days=8)
MANY = 20_000


def fill(source: Source, count: int) -> None:
    """Insert events within the retention: the first half of an id is its time, and a random one may be long ago."""
    db.execute_sql(
        "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title,"
        " fingerprint) SELECT %s, overlay(gen_random_uuid()::text PLACING 'ffffffff' FROM 1)::uuid, %s, %s, %s, 'ERROR',"
        " 'trigger', 'x', 'f1:x'"
        " FROM generate_series(1, %s)",
        (source.workspace_id, source.id, NOW, NOW, count),
    )


def test_the_events_of_a_deleted_source_go_with_their_results_and_places_in_the_queue(cast: Cast) -> None:
    source, _ = make_source(cast.workspace, "Old", deleted_at=LONG_AGO)
    event(source)
    waiting = event(source, disposition="pending")
    retained = event(cast.source)
    assert EventQueueRow.select().where(EventQueueRow.event_id == waiting).count() == 1

    counted, removed = dry_run(NOW), purge(NOW)

    assert counted["received_events"] == removed["received_events"] == 2
    assert {row.id for row in ReceivedEvent.select()} == {row.event_id for row in RoutedEvent.select()} == {retained}
    assert EventQueueRow.select().count() == 0
    assert not Source.select().where(Source.id == source.id).exists()


def test_an_event_that_another_transaction_holds_keeps_its_result(cast: Cast) -> None:
    source, _ = make_source(cast.workspace, "Old", deleted_at=LONG_AGO)
    held = event(source)
    event(source)
    with other_connection() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM received_events WHERE id = %s FOR UPDATE", (held,))
        with db.atomic():
            assert SourceEvents(cast.workspace.id, source.id).run(100) == 1

    assert [row.id for row in ReceivedEvent.select()] == [row.event_id for row in RoutedEvent.select()] == [held]


def test_a_batch_reads_only_the_events_of_its_source(cast: Cast) -> None:
    """The statistics say that nearly every event is of the deleted source; its events have gone since."""
    source, _ = make_source(cast.workspace, "Old", deleted_at=LONG_AGO)
    for part in leaves("received_events"):
        db.execute_sql(f"ALTER TABLE {part} SET (autovacuum_enabled = off)")
    try:
        fill(source, MANY)
        db.execute_sql("ANALYZE received_events")
        ReceivedEvent.delete().execute()
        fill(cast.source, MANY)
        plan = explained(source)
    finally:
        for part in leaves("received_events"):
            db.execute_sql(f"ALTER TABLE {part} RESET (autovacuum_enabled)")
        db.execute_sql("ANALYZE received_events")

    assert "Index Scan using events_source" in plan, plan
    assert "Sort  (" not in plan and "Filter" not in plan, plan


def explained(source: Source) -> str:
    values = (source.workspace_id, source.id, source.id, 500)
    with db.atomic():
        db.execute_sql("SET LOCAL enable_sort = off")
        return plans.explained(SOME_EVENTS, values)


TIMEOUT = "IF OLD.source_id = '{}' THEN RAISE 'canceling statement' USING ERRCODE = '57014'; END IF"


def test_a_step_that_fails_ends_the_steps_of_its_source_and_no_others(cast: Cast) -> None:
    source, _ = make_source(cast.workspace, "Old", deleted_at=LONG_AGO)
    other, _ = make_source(cast.workspace, "Older", deleted_at=LONG_AGO)
    Rule.update(deleted_at=LONG_AGO).where(Rule.id == rule(cast.workspace).id).execute()
    stuck = event(source)
    event(other)
    event(cast.source, 91)

    trigger = row_trigger(TIMEOUT.format(source.id), table="received_events", on="DELETE")
    with trigger, capture_logs() as lines:
        removed = purge(NOW)

    assert (removed.finished, removed.failed, removed["received_events"]) == (True, True, 2)
    assert {row.id for row in ReceivedEvent.select()} == {row.event_id for row in RoutedEvent.select()} == {stuck}
    assert {row.id for row in Source.select()} == {source.id, cast.source.id, cast.foreign_source.id}
    assert Rule.select().count() == 0
    (line,) = [line for line in lines if line["event"] == "purge step failed"]
    assert (line["table"], line["sqlstate"]) == ("received_events", "57014")
    assert not purge(NOW).failed


def test_retention_comes_before_deleted_objects(cast: Cast) -> None:
    """A run that is out of time begins with the first step again."""
    source, _ = make_source(cast.workspace, "Old", deleted_at=LONG_AGO)
    fill(source, 101)
    old = event(cast.source, 91)

    first = purge(NOW, seconds=0.0)

    assert not first.finished
    assert old not in {row.id for row in ReceivedEvent.select()}
