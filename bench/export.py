"""The export of a large workspace: memory of the web process, time, and the effect on ingest."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement
from bench.load import TEXT
from bench.processes import family, resident_bytes
from bench.programs import Program
from inbox.database.base import db, new_id
from inbox.domain.values import ids
from inbox.models.people.accounts import Session, User

EVENTS_FOR_EACH = 50
"""Stored events for each event of the measure of effort: a million, or a hundred thousand when it is quick."""

BATCH = 50_000
SETTLE_SECONDS = 2.0

FILL = """
WITH stored AS (INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, dedup_key, body, tags,
    metadata, fingerprint)
SELECT %s, ('0190' || lpad(to_hex(n), 8, '0') || '7000800000000000000' || '0')::uuid, %s, now(), now(), 'ERROR', 'trigger',
    'Job ' || n || ' failed', 'job-' || n, %s, '{backup,nightly}', '{"host": "db-1", "attempt": 3}',
    'f1:' || md5(n::text)
FROM generate_series(%s, %s) n RETURNING workspace_id, id)
INSERT INTO routed_events (workspace_id, event_id, disposition, trace) SELECT *, 'logged', '{}' FROM stored
"""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures one export of a workspace with many events, on one web process that accepts events at the same time."""
    stand.clear()
    events = effort.events * EVENTS_FOR_EACH
    with stand.web(workers=1) as web, db.connection_context():
        key, workspace_id = web.source_key(), web.workspace_id()
        _fill(ids.decode("wsp", workspace_id), events)
        calm = web.load(kind="single", token=key, connections=4, seconds=effort.seconds)
        time.sleep(SETTLE_SECONDS)
        worker = family(web.pid)[-1]
        idle = resident_bytes(worker)
        with _highest(worker) as highest:
            path, cookie = f"/v1/workspaces/{workspace_id}/export", f"inbox_session_{web.port}={_signed_in()}"
            with Program("reader", port=web.port, path=path, cookie=cookie) as reader:
                busy = web.load(kind="single", token=key, connections=4, seconds=effort.seconds)
                reported = reader.read_line()
    if not reported["whole"] or reported["items"] < events:
        raise RuntimeError(f"the export is not whole: {reported}")
    return _figures(events, reported, highest["bytes"] - idle, idle, calm, busy)


def _figures(
    events: int, reported: dict[str, Any], grown: int, idle: int, calm: dict[str, Any], busy: dict[str, Any]
) -> list[Measurement]:
    name = f"export of {events:,} events"
    note = f"{reported['bytes'] / 2**20:,.0f} MB in {reported['seconds']:.1f} s, first byte after {reported['first'] * 1000:.0f} ms"
    worker = f"worker {idle / 2**20:.0f} → {(idle + grown) / 2**20:.0f} MB"
    beside = f"beside {calm['rate']:,.0f}/s and {calm['p99']:.1f} ms without"
    return [
        Measurement(name, events / reported["seconds"], "events/s", note=note, more=reported),
        Measurement(f"memory of an {name}", grown / 2**20, "MB", note=worker),
        Measurement(
            "single events during it, 4 connections", busy["rate"], "events/s", p50=busy["p50"], p99=busy["p99"],
            note=beside, more={"calm": calm, "busy": busy},
        ),
    ]  # fmt: skip


def _fill(workspace_id: UUID | None, events: int) -> None:
    source = db.execute_sql("SELECT id FROM sources WHERE workspace_id = %s LIMIT 1", (workspace_id,)).fetchone()[0]
    for first in range(1, events + 1, BATCH):
        last = min(events, first + BATCH - 1)
        db.execute_sql(FILL, (workspace_id, source, TEXT, first, last))
    db.execute_sql("ANALYZE events")


def _signed_in() -> str:
    """Returns the token of a session of the administrator with a fresh proof."""
    token, now = secrets.token_urlsafe(32), datetime.now(UTC)
    digest = hashlib.sha256(token.encode()).digest()
    user = User.select().order_by(User.created_at).get()
    Session.create(id=new_id(), user=user, token_hash=digest, created_at=now, last_seen_at=now, proved_at=now)
    return token


@contextmanager
def _highest(pid: int) -> Iterator[dict[str, int]]:
    """Measures the highest memory of the process until the end of the block."""
    found, over = {"bytes": resident_bytes(pid)}, threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            found["bytes"] = max(found["bytes"], resident_bytes(pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()
