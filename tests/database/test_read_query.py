"""Rows for reading have the same values as Peewee's, and their statement is built once."""

from __future__ import annotations

from typing import Any

import peewee

from inbox.database.read_query import ReadQuery
from inbox.models.events import read as event_read
from inbox.models.events.read import LARGE
from inbox.models.events.tables import Event
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import incident, routed


def columns(row: Any, table: Any, *more: str, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    return {name: getattr(row, name) for name in (*table._meta.columns, *more) if name not in without}


def test_read_queries_return_the_rows_that_peewee_returns(cast: Cast) -> None:
    first = routed(cast.source, NOW, key="nightly", tags=["prod", "db"], metadata={"host": "db-1"}, resource="host:db")
    foreign = routed(cast.foreign_source, NOW, key="nightly")
    here, ids = [cast.workspace.id], [incident(each.id).id for each in (first, foreign)]

    (one,) = incident_read.by_ids(here, ids)
    (event,) = event_read.by_ids(here, [first.id, foreign.id])

    more = ("source_name", "workspace_slug")
    assert columns(one, Incident, *more) == columns(incident_read.find(here, ids[0]), Incident, *more)
    whole = event_read.find(here, first.id)
    assert columns(event, Event, "source_name", without=LARGE) == columns(whole, Event, "source_name", without=LARGE)


def test_a_statement_is_written_once_and_read_with_other_ids_each_time(cast: Cast) -> None:
    written = []

    def select() -> Any:
        written.append(True)
        return Source.select(Source.id, Source.workspace_id, peewee.Value("kept").alias("note"))

    reading, both = ReadQuery(select), [cast.source.id, cast.foreign_source.id]

    assert [(row.id, row.note) for row in reading(id=both[:1])] == [(both[0], "kept")]
    assert sorted(row.id for row in reading(id=both)) == sorted(both)
    assert [row.id for row in reading(id=both, workspace_id=[cast.workspace.id])] == both[:1]
    assert reading(id=[]) == []
    assert len(written) == 1
