"""Background previews: their requests, progress and results.

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

from inbox.database.base import Table, TimestampField, db

RESULT_TTL = timedelta(hours=24)
"""The time for which a preview can be read."""

ACTIVE = "status IN ('pending', 'running')"
"""The same text as in the partial index."""

_CLAIMABLE = f"{ACTIVE} AND (status = 'pending' OR lease_until < %s)"


class PreviewStatus(StrEnum):
    """The status of a preview."""

    PENDING = "pending"
    """The preview waits for a worker, for example right after the request."""

    RUNNING = "running"
    """A worker computes the preview, for example over a week of events."""

    DONE = "done"
    """The result can be read."""

    FAILED = "failed"
    """The preview has no result; `error` holds the cause."""

    CANCELLED = "cancelled"
    """A person cancelled the preview before its end."""


class RulePreview(Table):
    """A preview; `request` as `flow.preview.request` writes it, `result` in the shape of the API. `attempt` is its fence."""

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
    """A preview that the caller computes until its lease ends; `attempt` distinguishes it from earlier claims."""

    id: UUID
    workspace_id: UUID
    attempt: int
    request: dict[str, Any]


def count_active(workspace_id: UUID) -> int:
    """Returns the number of unfinished previews of a workspace.

    The statement locks the workspace, so that concurrent callers cannot exceed the limit together.
    """
    db.execute_sql("SELECT FROM workspaces WHERE id = %s FOR NO KEY UPDATE", (workspace_id,))
    found = db.execute_sql(f"SELECT count(*) FROM rule_previews WHERE workspace_id = %s AND {ACTIVE}", (workspace_id,))
    return int(found.fetchone()[0])


def any_claimable(now: datetime) -> bool:
    """Returns whether a preview is pending, or its lease has ended."""
    found = db.execute_sql(f"SELECT EXISTS (SELECT FROM rule_previews WHERE {_CLAIMABLE})", (now,))
    return bool(found.fetchone()[0])


def claim(now: datetime, until: datetime) -> ClaimedPreview | None:
    """Claims the oldest claimable preview until the given time; None when there is none."""
    found = db.execute_sql(
        "UPDATE rule_previews SET status = 'running', attempt = attempt + 1, lease_until = %s WHERE id = ("
        f" SELECT id FROM rule_previews WHERE {_CLAIMABLE} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)"
        " RETURNING id, workspace_id, attempt, request",
        (until, now),
    ).fetchone()
    return None if found is None else ClaimedPreview(*found)


def advance(claimed: ClaimedPreview, events: int, total: int, until: datetime) -> bool:
    """Stores the progress and extends the lease. Returns False if the preview was cancelled or another worker claimed it."""
    return _update_claimed(claimed, "events = %s, total = %s, lease_until = %s", events, total, until)


def requeue(claimed: ClaimedPreview) -> None:
    """Returns the preview to the queue: the caller cannot complete it, and another worker starts over."""
    _update_claimed(claimed, "status = 'pending', attempt = 0, lease_until = NULL, events = 0")


def finish(claimed: ClaimedPreview, events: int, result: Mapping[str, Any]) -> None:
    """Stores the result."""
    encoded = orjson.dumps(result).decode()
    _update_claimed(claimed, "status = 'done', events = %s, total = %s, result = %s::jsonb", events, events, encoded)


def fail(claimed: ClaimedPreview, fault: str) -> None:
    """Records the failure with its cause."""
    _update_claimed(claimed, "status = 'failed', error = %s", fault)


def cancel(preview_id: UUID) -> None:
    """Cancels an unfinished preview; a finished one stays unchanged."""
    db.execute_sql(f"UPDATE rule_previews SET status = 'cancelled' WHERE id = %s AND {ACTIVE}", (preview_id,))


def _update_claimed(claimed: ClaimedPreview, change: str, *values: object) -> bool:
    found = db.execute_sql(
        f"UPDATE rule_previews SET {change} WHERE id = %s AND attempt = %s AND status = 'running'",
        (*values, claimed.id, claimed.attempt),
    )
    return bool(found.rowcount)
