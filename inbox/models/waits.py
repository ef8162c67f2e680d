"""What rules with `openAfter` have seen so far, by rule and fingerprint (decision 8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.models.base import db
from inbox.models.columns import array, unnest

Wait = tuple[UUID, str]
"""A rule and a fingerprint."""


def load(wanted: Collection[Wait]) -> dict[Wait, tuple[datetime, ...]]:
    """When the events came that each of these still holds back, in their order."""
    if not wanted:
        return {}
    rows, values = unnest({"rule_id": "uuid", "fingerprint": "text"}, list(wanted), "k")
    found = db.execute_sql(
        f"SELECT w.rule_id, w.fingerprint, w.seen_at FROM {rows} JOIN rule_waits w USING (rule_id, fingerprint)", values
    )
    return {(rule_id, fingerprint): tuple(seen_at) for rule_id, fingerprint, seen_at in found.fetchall()}


def store(changed: Mapping[Wait, tuple[UUID, Sequence[datetime]]]) -> None:
    """Write what is held back now, each with its workspace; with nothing held back the row goes.

    Only who routes the fingerprint's source writes it, so nobody is waited for.
    """
    gone = [wait for wait, (_, seen) in changed.items() if not seen]
    kept = [(w, *wait, array(seen, bare=True), max(seen)) for wait, (w, seen) in changed.items() if seen]
    if gone:
        rows, values = unnest({"rule_id": "uuid", "fingerprint": "text"}, gone, "k")
        db.execute_sql(
            f"DELETE FROM rule_waits w USING {rows} WHERE w.rule_id = k.rule_id AND w.fingerprint = k.fingerprint",
            values,
        )
    if kept:
        columns = {"workspace_id": "uuid", "rule_id": "uuid", "fingerprint": "text", "seen_at": "text"}
        rows, values = unnest({**columns, "last_at": "timestamptz"}, kept)
        db.execute_sql(
            "INSERT INTO rule_waits (workspace_id, rule_id, fingerprint, seen_at, last_at)"
            f" SELECT x.workspace_id, x.rule_id, x.fingerprint, x.seen_at::timestamptz[], x.last_at FROM {rows}"
            " ON CONFLICT (rule_id, fingerprint) DO UPDATE SET seen_at = excluded.seen_at, last_at = excluded.last_at",
            values,
        )
