"""Use cases of records that files keep: keep and release (specification 24)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from inbox.models.records import kept


def keep(rows: Sequence[Mapping[str, Any]]) -> None:
    """Store that files keep these records, in the transaction of the caller. `rows` are the columns of each entry."""
    kept.store(rows)


def release(workspace_id: UUID, record_type: str, key: str) -> None:
    """Remove the entry of a record that no file keeps. The record stays."""
    kept.remove(workspace_id, record_type, key)
