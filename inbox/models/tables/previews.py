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

from inbox.models.sql.base import Table, TimestampField, db

RESULT_TTL = timedelta(hours=24)
"""How long a preview can be read."""

ACTIVE = "status IN ('pending', 'running')"
"""Spelled as in the partial index."""

_CLAIMABLE = f"{ACTIVE} AND (status = 'pending' OR lease_until < %s)"


class PreviewStatus(StrEnum):
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
    created_at = TimestampField()
    expires_at = TimestampField()
    request = BinaryJSONField(index=False)
    status = peewee.TextField(default="pending")
    attempt = peewee.SmallIntegerField(default=0)
    lease_until = TimestampField(null=True)
    events = peewee.BigIntegerField(default=0)
    total = peewee.BigIntegerField(null=True)
    result = BinaryJSONField(null=True, index=False)
    error = peewee.TextField(null=True)

    class Meta:
        table_name = "rule_previews"


class ClaimedPreview(NamedTuple):
    """A preview that the caller plays until its lease ends; the `attempt` tells it from others who did."""

    id: UUID
    workspace_id: UUID
    attempt: int
    question: dict[str, Any]


def count_active(workspace_id: UUID) -> int:
    """How many of a workspace are not finished. Holds the workspace, so that two callers do not both find room."""
    db.execute_sql("SELECT FROM workspaces WHERE id = %s FOR NO KEY UPDATE", (workspace_id,))
    found = db.execute_sql(f"SELECT count(*) FROM rule_previews WHERE workspace_id = %s AND {ACTIVE}", (workspace_id,))
    return int(found.fetchone()[0])


def any_claimable(now: datetime) -> bool:
    """Whether one waits, or is played by nobody any more."""
    found = db.execute_sql(f"SELECT EXISTS (SELECT FROM rule_previews WHERE {_CLAIMABLE})", (now,))
    return bool(found.fetchone()[0])


def claim(now: datetime, until: datetime) -> ClaimedPreview | None:
    """The oldest that waits is the caller's until then; None: there is none."""
    found = db.execute_sql(
        "UPDATE rule_previews SET status = 'running', attempt = attempt + 1, lease_until = %s WHERE id = ("
        f" SELECT id FROM rule_previews WHERE {_CLAIMABLE} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)"
        " RETURNING id, workspace_id, attempt, request",
        (until, now),
    ).fetchone()
    return None if found is None else ClaimedPreview(*found)


def advance(claimed: ClaimedPreview, events: int, total: int, until: datetime) -> bool:
    """So far it is, and so long it is still the caller's; False when it is not any more: cancelled, or another's."""
    return _update_claimed(claimed, "events = %s, total = %s, lease_until = %s", events, total, until)


def requeue(claimed: ClaimedPreview) -> None:
    """The caller cannot play it to its end: another one begins anew."""
    _update_claimed(claimed, "status = 'pending', attempt = 0, lease_until = NULL, events = 0")


def finish(claimed: ClaimedPreview, events: int, result: Mapping[str, Any]) -> None:
    """It is done."""
    encoded = orjson.dumps(result).decode()
    _update_claimed(claimed, "status = 'done', events = %s, total = %s, result = %s::jsonb", events, events, encoded)


def fail(claimed: ClaimedPreview, fault: str) -> None:
    """It has no result, and why."""
    _update_claimed(claimed, "status = 'failed', error = %s", fault)


def cancel(preview_id: UUID) -> None:
    """Nobody wants it any more; what is finished stays as it is."""
    db.execute_sql(f"UPDATE rule_previews SET status = 'cancelled' WHERE id = %s AND {ACTIVE}", (preview_id,))


def _update_claimed(claimed: ClaimedPreview, change: str, *values: Any) -> bool:
    found = db.execute_sql(
        f"UPDATE rule_previews SET {change} WHERE id = %s AND attempt = %s AND status = 'running'",
        (*values, claimed.id, claimed.attempt),
    )
    return bool(found.rowcount)
