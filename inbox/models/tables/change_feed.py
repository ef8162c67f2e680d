"""The change feed: one row per unit of work, so that a lost publication is found within a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.models.sql.base import Table, TimestampField, db
from inbox.models.sql.bulk_sql import query

OVERLAP_SECONDS = 20
"""Longer than the time between the assignment of `seq` and the commit of its transaction (15 s, `models.sql.base`)."""


class Change(Table):
    """References that one unit of work changed: lines of the stream, each with its audience (specification 14.3)."""

    seq = peewee.BigAutoField()
    at = TimestampField()
    refs = BinaryJSONField(index=False)

    class Meta:
        table_name = "change_feed"

    @classmethod
    def write(cls, refs: str) -> int:
        """Write references (JSON) in the caller's transaction; return the row's `seq`."""
        row = query("INSERT INTO change_feed (refs) VALUES (%s::jsonb) RETURNING seq", (refs,)).fetchone()
        return int(row[0])

    @classmethod
    def recent(cls) -> list[int]:
        """The `seq`s of the last 20 seconds that are visible now, in order, and the newest one before them."""
        rows = db.execute_sql(
            "SELECT seq FROM change_feed WHERE seq >= coalesce("
            " (SELECT max(seq) FROM change_feed WHERE at < now() - make_interval(secs => %s)), 0) ORDER BY seq",
            (OVERLAP_SECONDS,),
        )
        return [seq for (seq,) in rows.fetchall()]

    @classmethod
    def references(cls, seqs: Sequence[int]) -> list[tuple[int, list[dict[str, Any]]]]:
        """The references of these rows, in the order of `seq`."""
        rows = cls.select(cls.seq, cls.refs).where(cls.seq.in_(seqs)).order_by(cls.seq).tuples()
        return list(rows)
