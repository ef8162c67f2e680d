"""Many monitors at once, inserted in one statement for each table."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.database.base import db
from tests.cast import Cast, make_source, make_workspace

WORKSPACES = 40

MONITORS = """
INSERT INTO heartbeat_monitors (id, workspace_id, source_id, name, tags, schedule, grace_seconds, severity,
    failures_before_incident, token_hash, token_hint, created_at, rev, status, watched_since, last_ping_at, due_at,
    failures, check_at, throttle_at, bar)
SELECT gen_random_uuid(), (%(workspaces)s::uuid[])[n %% %(many)s + 1], (%(sources)s::uuid[])[n %% %(many)s + 1], n::text,
    '{}', jsonb_build_object('kind', 'simple', 'periodSeconds', %(period)s), %(grace)s, 'ERROR', 1,
    decode(md5(n::text), 'hex'), '', at, 1, 'up', at, at, at + span, 0, at + span, at, '[]'
FROM generate_series(0, %(count)s - 1) n,
    LATERAL (SELECT %(last)s + n %% %(bursts)s * %(apart)s * interval '1 s' AS at,
        %(period)s * interval '1 s' AS span) times
"""

TIMERS = """
INSERT INTO timers (kind, subject_id, workspace_id, due_at)
SELECT 'heartbeat.check', id, workspace_id, check_at FROM heartbeat_monitors
"""


def crowd(cast: Cast, count: int, last_ping_at: datetime, *, period: int, grace: int, bursts: int, apart: int) -> None:
    """Insert monitors in 40 workspaces, each named by its number and expected one period after its last ping.

    The last pings are in `bursts`, `apart` seconds from each other. Monitor 5 of 4 bursts pinged with the second one.
    """
    workspaces = [make_workspace(f"W{number}", owner=cast.users["olga"]) for number in range(WORKSPACES)]
    values: dict[str, Any] = {
        "workspaces": [workspace.id for workspace in workspaces],
        "sources": [make_source(workspace, "Jobs")[0].id for workspace in workspaces],
        "many": WORKSPACES,
        "count": count,
        "last": last_ping_at,
        "period": period,
        "grace": grace,
        "bursts": bursts,
        "apart": apart,
    }
    db.execute_sql(MONITORS, values)
    db.execute_sql(TIMERS)
    db.execute_sql("ANALYZE heartbeat_monitors, timers")
