"""Previews: the time for trying a change of one rule among fifty on a month of a million events."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.environment import Api, BenchEnvironment, free_port
from bench.figures import Effort, Measurement
from bench.processes import resident_bytes
from bench.routing import spent
from inbox.database.base import db
from inbox.domain.values import ids, times

EVENTS_FOR_EACH = 50
"""Stored events for each event of the measure of effort: a million, or a hundred thousand when it is quick."""

SOURCES, RULES, KEYS = 20, 50, 5_000
MONTH = timedelta(days=30)
LONGEST_SECONDS = 600.0

EVENTS = """
INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, type, resource, dedup_key,
    body, tags, metadata, fingerprint)
SELECT %(w)s, (lpad(to_hex(x.ms), 12, '0') || '7000' || '8' || lpad(to_hex(x.n), 15, '0'))::uuid,
    (%(sources)s::uuid[])[1 + x.key %% %(count)s], to_timestamp(x.ms / 1000.0), to_timestamp(x.ms / 1000.0),
    (ARRAY['INFO', 'WARNING', 'WARNING', 'ERROR', 'ERROR', 'CRITICAL'])[1 + x.key %% 6]::severity,
    CASE WHEN x.n %% 3 = 0 THEN 'resolve' ELSE 'trigger' END,
    (ARRAY['Disk nearly full', 'Job failed', 'Latency above limit'])[1 + x.key %% 3] || ' on node-' || x.key,
    (ARRAY['disk.usage', 'job', 'latency'])[1 + x.key %% 3], 'host:db-' || x.key %% 2000, 'job-' || x.key,
    repeat('Said something. ', 12), ARRAY['prod', 'team-' || x.key %% 40],
    jsonb_build_object('team', 'team-' || x.key %% 40, 'attempt', x.n %% 3), 'f1:' || md5(x.key::text)
FROM (SELECT n, (%(began)s + n * %(step)s)::bigint AS ms, ((n::bigint * 7919 + n / 11) %% %(keys)s)::integer AS key
    FROM generate_series(1, %(all)s) n) x
"""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures one worker that also routes, sends and sweeps, as the last of several does; nothing else runs.

    First without destinations, then with one destination that gets every notice.
    """
    stand.clear()
    with stand.web() as web, db.connection_context():
        since = _fill(web, effort.events * EVENTS_FOR_EACH)
        rules = [web.call("POST", "/v1/rules", rule)["id"] for rule in _rules(web)]
        changed = {
            "id": rules[RULES // 2],
            "matchText": 'title startsWith "Job failed"',
            "then": {"disposition": "log"},
        }
        order = {"workspaceId": web.workspace_id(), "since": times.rfc3339(since), "rule": changed}
        figures = [_measured(stand, web, order, "nobody told")]
        web.send_everything_to([free_port()])
        return [*figures, _measured(stand, web, order, "one destination")]


def _measured(stand: BenchEnvironment, web: Api, order: dict[str, Any], reported_whom: str) -> Measurement:
    with stand.workers(1) as [pid]:
        families = {"worker": [pid], "postgres": [stand.servers.postgres.pid]}
        idle, before, began = resident_bytes(pid), spent(families), time.monotonic()
        done = _played(web, web.call("POST", "/v1/rules/preview", order)["id"])
        seconds, grown = time.monotonic() - began, resident_bytes(pid) - idle
        cpu = {name: after - before[name] for name, after in spent(families).items()}
    reported = done["result"]
    note = f"{reported['events']:,} events, {reported['changed']:,} changed, {reported['incidents']['before']:,} incidents,"
    note += f" {reported['notices']['before']:,} notices; CPU of the worker {cpu['worker']:.1f} s, of PostgreSQL {cpu['postgres']:.1f} s;"
    note += f" {seconds / reported['events'] * 1e6:.0f} µs an event; the worker grew by {grown / 2**20:.0f} MB"
    more = {"cpu": cpu, "grown_bytes": grown}
    return Measurement(
        name=f"preview of one rule among fifty, {reported_whom}", value=seconds, unit="s", note=note, more=more
    )


def _played(web: Api, preview_id: str) -> Any:
    until = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < until:
        found = web.call("GET", f"/v1/rules/previews/{preview_id}")
        if found["status"] not in ("pending", "running"):
            break
        time.sleep(0.2)
    if found["status"] != "done":
        raise RuntimeError(f"the preview is {found['status']}: {found['error']}")
    return found


def _fill(web: Api, events: int) -> datetime:
    """Creates this many events of a month in the order of time, of 5,000 keys. Returns its beginning."""
    workspace, began = web.workspace_id(), datetime.now(UTC) - MONTH
    made = [web.call("POST", "/v1/sources", {"workspaceId": workspace, "name": f"Source {n}"}) for n in range(SOURCES)]
    sources = ",".join(str(ids.decode("src", one["id"])) for one in made)
    about = {"w": ids.decode("wsp", workspace), "sources": "{" + sources + "}", "count": SOURCES, "keys": KEYS}
    span = {"began": int(began.timestamp() * 1000), "step": MONTH.total_seconds() * 1000 / (events + 1), "all": events}
    db.execute_sql("SET statement_timeout = 0")
    db.execute_sql(EVENTS, {**about, **span})
    db.execute_sql("VACUUM (ANALYZE) received_events")
    return began


def _rules(web: Api) -> list[dict[str, Any]]:
    """Returns fifty rules of all sorts, most of them about one team. Every third event is decided by one."""
    every = [
        'metadata.team == "team-{n}" and severity >= ERROR',
        'resource matches "^host:db-{n}[0-9]$" and type == "job"',
        'tags contains "team-{n}" and title contains "latency"',
        'title startsWith "Certificate {n}"',
        'dedupKey == "job-{n}" or resource.name == "db-{n}"',
    ]
    return [
        {
            "workspaceId": web.workspace_id(),
            "name": f"Rule {n}",
            "matchText": every[n % len(every)].format(n=n),
            "then": {"disposition": "incident", "addTags": [f"rule-{n}"]},
            "openAfter": {"count": 2, "withinMinutes": 60} if n % 10 == 0 else None,
        }
        for n in range(RULES)
    ]
