"""Use cases of records that files keep: keep and release (specification 24)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.models.records import kept


def keep(  # noqa: PLR0913  the columns of an entry
    workspace_id: UUID,
    record_type: str,
    key: str,
    record_id: UUID,
    file: str,
    applied: Mapping[str, Any],
    now: datetime,
) -> None:
    """Store that a file keeps a record under a key, in the transaction of the caller."""
    values = {"record_id": record_id, "file": file, "applied": dict(applied), "applied_at": now}
    kept.store(workspace_id, record_type, key, values)


def release(workspace_id: UUID, record_type: str, key: str) -> None:
    """Remove the entry of a record that no file keeps. The record stays."""
    kept.remove(workspace_id, record_type, key)
