"""Creates a workspace with a year of data, and a small one, by set-based SQL within a minute or two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from bench.environment import Api
from inbox.database.base import db
from inbox.domain.incidents.alerts import MAX_ALERTS
from inbox.domain.values import ids, times

SOURCES = 20
BATCH = 100_000
EVENTS_OF_AN_INCIDENT = 10
WAITING = 2_000
"""The newest events, which are not routed yet."""

YEAR = timedelta(days=360)

_ID = "(lpad(to_hex(x.ms), 12, '0') || '7' || lpad(to_hex(x.n %% 4096), 3, '0') || '8' || lpad(to_hex(x.n), 15, '0'))::uuid"
_TITLE = (
    "(ARRAY['Disk nearly full on', 'Job failed on', 'Latency above limit on', 'Certificate expires on', 'Queue is long on',"
    " 'Replica lags on'])[1 + x.n %% 6] || ' node-' || (x.n * 7919 %% 5000)"
)
_SEVERITY = (
    "(CASE WHEN x.n < %(all)s / 100 THEN 'INFO' WHEN x.n %% 100 < 60 THEN 'WARNING' WHEN x.n %% 100 < 99 THEN 'ERROR'"
    " ELSE 'CRITICAL' END)::severity"
)
_SOURCE = "(%(sources)s::uuid[])[CASE WHEN x.n < %(all)s / 50 THEN %(count)s ELSE 1 + x.n %% (%(count)s - 1) END]"
_LAST_SEEN = (
    "least(%(now)s, to_timestamp(x.ms / 1000.0) + x.n %% 97 * interval '1 minute'"
    " + CASE WHEN x.n %% 50 = 3 THEN x.n %% 40 * interval '1 day' ELSE interval '0' END)"
)
_ROWS = (
    "(SELECT n, (%(began)s + n * %(step)s)::bigint AS ms FROM generate_series(%(first)s::bigint, %(last)s::bigint) n) x"
)
INCIDENTS = f"""
INSERT INTO incidents (workspace_id, id, number, source_id, fingerprint, title, severity, last_severity, state, flapping,
    resource, tags, dedup_key, assignee_id, event_count, first_seen_at, last_seen_at, opened_at, acknowledged_at, resolved_at)
SELECT %(w)s, {_ID}, x.n, {_SOURCE}, 'f1:' || md5(x.n::text), {_TITLE}, {_SEVERITY}, {_SEVERITY},
    CASE WHEN x.n %% 25 <> 7 THEN 'resolved' ELSE (ARRAY['open', 'acknowledged', 'snoozed', 'silenced'])[1 + x.n %% 4] END,
    x.n %% 1000 = 7, 'host:db-' || x.n %% 2000,
    ARRAY['prod', 'team-' || x.n %% 40] || CASE WHEN x.n %% 5000 = 7 THEN '{{rare}}'::text[] ELSE '{{}}' END,
    'job-' || x.n, CASE WHEN x.n %% 20 = 7 THEN %(person)s::uuid END, {EVENTS_OF_AN_INCIDENT},
    to_timestamp(x.ms / 1000.0), {_LAST_SEEN}, to_timestamp(x.ms / 1000.0),
    CASE WHEN x.n %% 3 = 1 THEN to_timestamp(x.ms / 1000.0 + 60) END,
    CASE WHEN x.n %% 25 <> 7 THEN to_timestamp(x.ms / 1000.0 + 600) END
FROM {_ROWS}
"""
WORDS = """
INSERT INTO incident_search (incident_id, workspace_id, number, text, tags, title_key)
SELECT id, workspace_id, number, concat_ws(chr(1), title, resource, dedup_key), tags, lower(title) FROM incidents
"""
ALERTS = """
INSERT INTO alerts (id, workspace_id, source_id, incident_id, key, title, severity, state, round, first_seen_at,
    last_seen_at, event_count)
SELECT id, workspace_id, source_id, id, dedup_key, title, severity, 'firing', 0, first_seen_at, last_seen_at, event_count
FROM incidents
"""
"""One alert for each incident."""
MANY_ALERTS = """
WITH largest AS (
    UPDATE incidents SET alert_count = %(alerts)s + 1, firing_count = %(alerts)s + 1
    WHERE id IN (SELECT DISTINCT ON (workspace_id) id FROM incidents WHERE state = 'open' ORDER BY workspace_id, id DESC)
    RETURNING *)
INSERT INTO alerts (id, workspace_id, source_id, incident_id, key, title, severity, state, round, first_seen_at,
    last_seen_at, event_count, search_text)
SELECT (substr(i.id::text, 1, 19) || 'a000-' || lpad(to_hex(n), 12, '0'))::uuid, i.workspace_id, i.source_id, i.id, 'rack-' || n,
    'Node rack-' || n || ' is down', 'ERROR', CASE WHEN n %% 3 = 0 THEN 'ended' ELSE 'firing' END, 0, i.first_seen_at,
    i.last_seen_at - n * interval '1 second', 3, 'Node rack-' || n || ' is down' || chr(1) || 'rack-' || n
FROM largest i, generate_series(1, %(alerts)s) n
"""
"""The newest open incident of each workspace has as many alerts as are kept."""
COUNTERS = """
INSERT INTO incident_counters (workspace_id, incidents) SELECT workspace_id, max(number) FROM incidents GROUP BY 1
ON CONFLICT (workspace_id) DO UPDATE SET incidents = excluded.incidents
"""
EVENTS = f"""
INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, resource, dedup_key,
    body, tags, metadata, fingerprint)
SELECT %(w)s, {_ID}, {_SOURCE}, to_timestamp(x.ms / 1000.0), to_timestamp(x.ms / 1000.0 - x.n %% 600), {_SEVERITY}, 'trigger',
    {_TITLE}, 'host:db-' || x.n %% 2000, 'job-' || x.n / {EVENTS_OF_AN_INCIDENT}, repeat('Said something. ', 12),
    '{{prod,nightly}}', '{{"host": "db-1", "attempt": 3}}', 'f1:' || md5((x.n / {EVENTS_OF_AN_INCIDENT})::text)
FROM {_ROWS}
"""
ROUTED = f"""
INSERT INTO routed_events (workspace_id, event_id, disposition, incident_id, trace)
SELECT %(w)s, {_ID}, CASE WHEN x.n %% 100000 = 7 THEN 'dropped' WHEN x.n %% 2 = 0 THEN 'updated' ELSE 'logged' END,
    CASE WHEN x.n %% 2 = 0 THEN md5((x.n / {EVENTS_OF_AN_INCIDENT})::text)::uuid END, '{{"by": "default"}}'
FROM {_ROWS} WHERE x.n <= %(all)s - {WAITING}
"""
QUEUED = f"""
INSERT INTO event_queue (shard, workspace_id, event_id) SELECT 0, %(w)s, {_ID} FROM {_ROWS} WHERE x.n > %(all)s - {WAITING}
"""


@dataclass(frozen=True)
class Dataset:
    """The workspaces, and the names by which queries refer to their records."""

    workspace_ids: list[UUID]
    names: dict[str, str]


def fill(web: Api, events: int, *, incidents_alone: bool = False) -> Dataset:
    """Creates this many events and a tenth as many incidents in one workspace, a hundredth of both in the other.

    `incidents_alone` leaves the events out.
    """
    shown = [web.workspace_id(), str(web.call("POST", "/v1/workspaces", {"name": "Small"})["id"])]
    workspace_ids = [found for each in shown if (found := ids.decode("wsp", each)) is not None]
    person, now = str(web.call("GET", "/v1/me")["id"]), datetime.now(UTC)
    db.execute_sql("SET statement_timeout = 0")
    sources: list[str] = []
    for place, workspace in enumerate(shown):
        made = [
            web.call("POST", "/v1/sources", {"workspaceId": workspace, "name": f"Source {n}"}) for n in range(SOURCES)
        ]
        sources = sources or [str(one["id"]) for one in made]
        share = events // (100 if place else 1)
        existing = [found for one in made if (found := ids.decode("src", one["id"])) is not None]
        fill_one(workspace_ids[place], existing, ids.decode("usr", person), share, now, incidents_alone)
    finish()
    of_events = "SELECT incident_id FROM events WHERE incident_id IS NOT NULL LIMIT 1"
    incident = db.execute_sql("SELECT id FROM incidents LIMIT 1" if incidents_alone else of_events).fetchone()[0]
    most = "SELECT id FROM incidents WHERE workspace_id = %s ORDER BY alert_count DESC LIMIT 1"
    largest = db.execute_sql(most, [workspace_ids[0]]).fetchone()[0]
    return Dataset(
        workspace_ids,
        {
            "workspace": shown[0],
            "common": sources[0],
            "rare": sources[-1],
            "person": person,
            "incident": ids.encode("inc", incident),
            "largest": ids.encode("inc", largest),
            "late": times.rfc3339(now - YEAR / 50),
            "mid": times.rfc3339(now - YEAR / 2),
            "early": times.rfc3339(now - YEAR * 49 / 50),
        },
    )


def fill_one(
    workspace_id: UUID,
    sources: list[UUID],
    person: UUID | None,
    events: int,
    now: datetime,
    incidents_alone: bool = False,
) -> None:
    """Creates this many events and a tenth as many incidents.

    The last source sent only in the first days of the year.
    """
    existing = {
        "w": workspace_id,
        "sources": "{" + ",".join(map(str, sources)) + "}",
        "count": len(sources),
        "person": person,
        "now": now,
        "began": int((now - YEAR).timestamp() * 1000),
    }
    tables = (
        ("incidents", INCIDENTS, events // EVENTS_OF_AN_INCIDENT),
        ("received_events", EVENTS, events),
        ("routed_events", ROUTED, events),
        ("event_queue", QUEUED, events),
    )
    for table, statement, rows in tables[:1] if incidents_alone else tables:
        with _without_indexes(table):
            for first in range(1, rows + 1, BATCH):
                span = {"first": first, "last": min(rows, first + BATCH - 1), "all": rows}
                db.execute_sql(statement, {**existing, **span, "step": YEAR.total_seconds() * 1000 / rows})


def finish() -> None:
    """Writes words and alerts of incidents, and the last number of each workspace. Updates the statistics of the database."""
    db.execute_sql(WORDS)
    db.execute_sql(ALERTS)
    db.execute_sql(MANY_ALERTS, {"alerts": MAX_ALERTS - 1})
    db.execute_sql(COUNTERS)
    for table in ("incidents", "incident_search", "alerts", "received_events", "routed_events", "event_queue"):
        db.execute_sql(f"VACUUM (ANALYZE) {table}")


@contextmanager
def _without_indexes(table: str) -> Iterator[None]:
    """Drops indexes without a constraint and creates them again at the end, which is faster."""
    found = db.execute_sql(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index i WHERE indrelid = %s::regclass"
        " AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)",
        (table,),
    ).fetchall()
    for name, _ in found:
        db.execute_sql(f"DROP INDEX {name}")
    yield
    for _, definition in found:
        db.execute_sql(definition.replace(" ON ONLY ", " ON "))  # on a partitioned table: for its partitions, too
