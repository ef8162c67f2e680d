"""Lists can be paged and counted although the planner's statistics lack the workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench import lists
from inbox.database.base import db
from inbox.models.events import search as event_search
from inbox.models.incidents import search as incident_search
from inbox.models.lists.long_list import PagedList
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.cast import Cast
from tests.database.tables import leaves

OTHERS, OURS, PORTION = 30_000, 9_000, 3_000
TABLES = ("received_events", "routed_events", "incidents", "incident_search")
MADE = (
    "WITH made AS MATERIALIZED (SELECT n, (lpad(to_hex(1795359600000 + n), 12, '0') || '70008000' ||"
    " substr(md5(%(w)s || n), 1, 12))::uuid AS id, to_timestamp(1795359600 + n / 1000.0) AS at,"
    " (ARRAY['ERROR', 'WARNING'])[1 + n %% 2]::severity AS severity FROM generate_series(%(first)s, %(last)s) n)"
)
EVENTS = """, stored AS (
    INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, fingerprint)
    SELECT %(w)s, id, %(s)s, at, at, severity, 'trigger', 'Disk ' || n, 'f1:' || n FROM made)
INSERT INTO routed_events (workspace_id, event_id, disposition, trace)
SELECT %(w)s, id, (ARRAY['opened', 'updated', 'updated', 'logged'])[1 + n %% 4], '{}' FROM made"""
INCIDENTS = """, stored AS (
    INSERT INTO incidents (id, workspace_id, source_id, fingerprint, number, title, state, severity, last_severity, tags,
        first_seen_at, last_seen_at, opened_at)
    SELECT id, %(w)s, %(s)s, 'f1:' || n, n, 'Disk ' || n, 'open', severity, severity, '{db}', at, at, at FROM made)
INSERT INTO incident_search (incident_id, workspace_id, number, text, tags, title_key)
SELECT id, %(w)s, n, 'Disk ' || n, '{db}', 'disk' FROM made"""


def fill(home: Workspace, source: Source, many: int) -> None:
    about = {"w": str(home.id), "s": str(source.id)}
    for first in range(1, many, PORTION):
        values = {**about, "first": first, "last": first + PORTION - 1}
        for rows in (EVENTS, INCIDENTS):
            db.execute_sql(MADE + rows, values)


@pytest.fixture
def stale(cast: Cast) -> Iterator[None]:
    """Another workspace is large and known to the planner; ours came later."""
    parts = [part for table in TABLES for part in leaves(table)]
    for part in parts:
        db.execute_sql(f"ALTER TABLE {part} SET (autovacuum_enabled = off)")
    fill(cast.foreign, cast.foreign_source, OTHERS)
    db.execute_sql("ANALYZE " + ", ".join(TABLES))
    fill(cast.workspace, cast.source, OURS)
    yield
    for part in parts:
        db.execute_sql(f"ALTER TABLE {part} RESET (autovacuum_enabled)")
    db.execute_sql("ANALYZE " + ", ".join(TABLES))


REQUESTED = {
    "": 1,
    "severity=ERROR": 0.5,
    "q=disk": 1,
    "disposition=updated": 0.5,
    "disposition=updated&severity=WARNING": 0.25,
    "disposition=opened&q=disk": 0.25,
    "disposition=opened&since=2020-01-01T00:00:00Z": 0.25,
    "disposition=pending": 0,
    "disposition=pending&severity=ERROR": 0,
}
OF_INCIDENTS = {
    "": 1,
    "state=open": 1,
    "severity=ERROR": 0.5,
    "q=disk": 1,
    "tag=db": 1,
    "tag=db&severity=ERROR": 0.5,
    "q=disk&tag=db&state=open": 1,
}


@pytest.mark.usefixtures("stale")
def test_a_list_is_counted_to_the_end_by_every_filter(cast: Cast) -> None:
    for name, search, queries in (
        ("events", event_search.EVENTS.search, REQUESTED),
        ("incidents", incident_search.INCIDENTS.search, OF_INCIDENTS),
    ):
        found = {query: _total(search([cast.workspace.id], lists.arguments(name, query))) for query in queries}
        assert found == {query: OURS * share for query, share in queries.items()}, name


def _total(rows: PagedList) -> int | None:
    return rows.page_at_offset(offset=0, descending=True, limit=1)[1]


LARGE = {
    *(
        "received_events",
        "routed_events",
        "incidents",
        "incident_search",
        "timeline",
        "alerts",
        "notices",
        "deliveries",
    ),
    *("delivery_attempts", "audit_log"),
}


@pytest.mark.usefixtures("ground")
def test_large_tables_are_analyzed_after_a_fixed_number_of_changes() -> None:
    """A share of the table, the usual threshold, is never reached by a new workspace beside a large one."""
    fixed = {"autovacuum_analyze_scale_factor=0", "autovacuum_analyze_threshold=10000"}
    sql = "SELECT relname, reloptions FROM pg_class WHERE relkind = 'r' AND relname = ANY(%s)"
    parts = [part for name in LARGE for part in leaves(name)]
    found = dict(db.execute_sql(sql, (parts,)).fetchall())

    assert {name: fixed - set(options or ()) for name, options in found.items()} == {name: set() for name in parts}
