"""Previews that are played in the background: what was asked, how far it is, and what came of it.

Specification 6.9.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.models.base import MomentField, Table, db

KEPT = timedelta(hours=24)
"""How long a preview can be read."""

UNDER_WAY = "status IN ('pending', 'running')"
"""Spelled as in the partial index."""

_WAITING = f"{UNDER_WAY} AND (status = 'pending' OR lease_until < %s)"


class Progress(StrEnum):
    """How far a preview is."""

    PENDING = "pending"
    """It waits for a worker."""

    RUNNING = "running"
    """A worker plays it."""

    DONE = "done"
    """Its result can be read."""

    FAILED = "failed"
    """It has none; `error` says why."""

    CANCELLED = "cancelled"
    """Somebody did not want it any more."""


class RulePreview(Table):
    """A preview; `request` as `flow.preview.background` writes it, `result` in the shape of the API. `attempt` fences who plays."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    created_at = MomentField()
    expires_at = MomentField()
    request = BinaryJSONField(index=False)
    status = peewee.TextField(default="pending")
    attempt = peewee.SmallIntegerField(default=0)
    lease_until = MomentField(null=True)
    events = peewee.BigIntegerField(default=0)
    total = peewee.BigIntegerField(null=True)
    result = BinaryJSONField(null=True, index=False)
    error = peewee.TextField(null=True)

    class Meta:
        table_name = "rule_previews"


class Claimed(NamedTuple):
    """A preview that the caller plays until its lease ends; the `attempt` tells it from others who did."""

    id: UUID
    workspace_id: UUID
    attempt: int
    question: dict[str, Any]


def under_way(workspace_id: UUID) -> int:
    """How many of a workspace are not finished. Holds the workspace, so that two callers do not both find room."""
    db.execute_sql("SELECT FROM workspaces WHERE id = %s FOR NO KEY UPDATE", (workspace_id,))
    found = db.execute_sql(
        f"SELECT count(*) FROM rule_previews WHERE workspace_id = %s AND {UNDER_WAY}", (workspace_id,)
    )
    return int(found.fetchone()[0])


def any_waiting(now: datetime) -> bool:
    """Whether one waits, or is played by nobody any more."""
    found = db.execute_sql(f"SELECT EXISTS (SELECT FROM rule_previews WHERE {_WAITING})", (now,))
    return bool(found.fetchone()[0])


def claim(now: datetime, until: datetime) -> Claimed | None:
    """The oldest that waits is the caller's until then; None: there is none."""
    found = db.execute_sql(
        "UPDATE rule_previews SET status = 'running', attempt = attempt + 1, lease_until = %s WHERE id = ("
        f" SELECT id FROM rule_previews WHERE {_WAITING} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)"
        " RETURNING id, workspace_id, attempt, request",
        (until, now),
    ).fetchone()
    return None if found is None else Claimed(*found)


def advance(claimed: Claimed, events: int, total: int, until: datetime) -> bool:
    """So far it is, and so long it is still the caller's; False when it is not any more: cancelled, or another's."""
    return _settled(claimed, "events = %s, total = %s, lease_until = %s", events, total, until)


def put_back(claimed: Claimed) -> None:
    """The caller cannot play it to its end: another one begins anew."""
    _settled(claimed, "status = 'pending', attempt = 0, lease_until = NULL, events = 0")


def finish(claimed: Claimed, events: int, result: Mapping[str, Any]) -> None:
    """It is done."""
    written = orjson.dumps(result).decode()
    _settled(claimed, "status = 'done', events = %s, total = %s, result = %s::jsonb", events, events, written)


def fail(claimed: Claimed, fault: str) -> None:
    """It has no result, and why."""
    _settled(claimed, "status = 'failed', error = %s", fault)


def cancel(preview_id: UUID) -> None:
    """Nobody wants it any more; what is finished stays as it is."""
    db.execute_sql(f"UPDATE rule_previews SET status = 'cancelled' WHERE id = %s AND {UNDER_WAY}", (preview_id,))


def _settled(claimed: Claimed, change: str, *values: Any) -> bool:
    found = db.execute_sql(
        f"UPDATE rule_previews SET {change} WHERE id = %s AND attempt = %s AND status = 'running'",
        (*values, claimed.id, claimed.attempt),
    )
    return bool(found.rowcount)
