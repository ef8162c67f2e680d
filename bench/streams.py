"""Streams on one web worker: memory and CPU of idle ones, and the delay of a change to all."""

from __future__ import annotations

import hashlib
import secrets
import time
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.processes import cpu_seconds, family, resident_bytes
from bench.programs import Program
from inbox.database.base import db, new_id
from inbox.domain.values import ids
from inbox.flow.unit_of_work import work
from inbox.live.hub import STREAMS_PER_PERSON
from inbox.models.people.accounts import Session, User
from inbox.models.people.members import Member

IDLE_SECONDS = 10.0
SETTLE_SECONDS = 2.0
PAUSE_SECONDS = 0.5


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures a hundred streams, and all of them."""
    stand.clear()
    with stand.web(workers=1) as web, db.connection_context():
        workspace_id = ids.decode("wsp", web.workspace_id())
        assert workspace_id
        tokens = people(workspace_id, effort.streams)
        worker = family(web.pid)[-1]
        figures = []
        for streams in sorted({min(100, effort.streams), effort.streams}):
            figures += _with_open(web, worker, workspace_id, tokens[:streams], effort)
    return figures


def _with_open(web: Api, worker: int, workspace_id: UUID, tokens: list[str], effort: Effort) -> list[Measurement]:
    before = resident_bytes(worker)
    with Program("stream_clients", port=web.port, tokens=tokens) as followers:
        opened = followers.read_line()["open"]
        if opened < len(tokens):
            raise RuntimeError(f"of {len(tokens)} streams {opened} opened")
        time.sleep(SETTLE_SECONDS)
        after, spent = resident_bytes(worker), cpu_seconds(web.pid) or 0.0
        time.sleep(IDLE_SECONDS)
        spent = (cpu_seconds(web.pid) or 0.0) - spent
        changes = max(3, effort.probes // 5)
        took = [seconds for _ in range(changes) for seconds in _reported(followers, workspace_id, opened)]
    time.sleep(SETTLE_SECONDS)
    note = f"worker {before / 2**20:.0f} → {after / 2**20:.0f} MB, {spent / IDLE_SECONDS:.1%} of a core idle"
    return [
        Measurement(f"memory of an idle stream, {opened:,} open", (after - before) / opened / 1024, "KB", note=note),
        Measurement(
            f"change to every stream, {opened:,} open",
            share(took, 0.99) * 1000,
            "ms",
            p50=share(took, 0.5) * 1000,
            p99=share(took, 0.99) * 1000,
            note=f"{changes} changes, slowest {max(took) * 1000:.0f} ms",
        ),
    ]


def _reported(followers: Program, workspace_id: UUID, opened: int) -> list[float]:
    """Returns seconds from the commit of one change to each stream. Raises when a stream did not get it in 3 s.

    Specification 14.3.
    """
    incident = new_id()
    began = time.monotonic()
    with work() as done:
        done.publish_change("incident", incident, workspace_id)
    arrived: list[float] = []
    while len(arrived) < opened and time.monotonic() < began + 3.0:
        time.sleep(PAUSE_SECONDS)
        arrived += followers.request("").get(ids.encode("inc", incident), [])
    if len(arrived) < opened:
        raise RuntimeError(f"of {opened} streams {len(arrived)} were told")
    return [at - began for at in arrived]


def people(workspace_id: UUID, streams: int, *, each: int = STREAMS_PER_PERSON) -> list[str]:
    """Creates a session for each stream, `each` for each person. Returns the sessions' tokens."""
    now = datetime.now(UTC)
    tokens = [secrets.token_urlsafe(32) for _ in range(streams)]
    users: list[Any] = [new_id() for _ in range(-(-streams // each))]
    if not streams:
        return []
    with db.atomic():
        User.insert_many(
            {
                "id": user,
                "email": f"{user}@example.org",
                "email_key": f"{user}@example.org",
                "name": "B",
                "created_at": now,
            }
            for user in users
        ).execute()
        Member.insert_many(
            {"id": new_id(), "workspace": workspace_id, "user": user, "role": "viewer", "joined_at": now}
            for user in users
        ).execute()
        Session.insert_many(
            {
                "id": new_id(),
                "user": users[number // each],
                "token_hash": hashlib.sha256(token.encode()).digest(),
                "created_at": now,
                "last_seen_at": now,
                "proved_at": now,
            }
            for number, token in enumerate(tokens)
        ).execute()
    return tokens
