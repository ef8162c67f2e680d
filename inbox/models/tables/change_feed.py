"""The change feed: one row per unit of work, so that a lost publication is found within a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.models.sql.base import Table, TimestampField, db
from inbox.models.sql.bulk_sql import query

OVERLAP_SECONDS = 20.0
"""Longer than most transactions. Rows that become visible later are found in the gaps (`live.seen_changes`)."""

BEGIN_SECONDS = 60.0
"""How far back the first poll looks for rows that are not visible yet."""

_WITHIN = """
    SELECT pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint, ARRAY(
        SELECT c.seq FROM unnest(%s::bigint[], %s::bigint[]) AS g (low, high)
        CROSS JOIN LATERAL (SELECT seq FROM change_feed WHERE seq BETWEEN g.low AND g.high) c)
    FROM pg_current_snapshot() s
"""


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
    def recent(cls, seconds: float = OVERLAP_SECONDS) -> list[int]:
        """The `seq`s of the last seconds that are visible now, in order, and the newest one before them."""
        rows = db.execute_sql(
            "SELECT seq FROM change_feed WHERE seq >= coalesce("
            " (SELECT max(seq) FROM change_feed WHERE at < now() - make_interval(secs => %s)), 0) ORDER BY seq",
            (seconds,),
        )
        return [seq for (seq,) in rows.fetchall()]

    @classmethod
    def at_the_beginning(cls) -> list[int]:
        """The `seq`s of the last minute that are visible now, in order, and the newest one before them, or 0.

        All other numbers between them may still become visible, since a transaction may run when a stream opens.
        """
        rows = db.execute_sql(
            "WITH newest AS (SELECT coalesce(max(seq), 0) AS seq FROM change_feed WHERE at < now() - make_interval(secs => %s))"
            " SELECT seq FROM newest UNION SELECT c.seq FROM change_feed c, newest n WHERE c.seq >= n.seq ORDER BY seq",
            (BEGIN_SECONDS,),
        )
        return [seq for (seq,) in rows.fetchall()]

    @classmethod
    def within(cls, ranges: Sequence[tuple[int, int]]) -> tuple[list[int], int, int]:
        """The `seq`s in these ranges that are visible now, the oldest transaction that runs, and the next one to begin.

        One statement reads all three, so that what it does not see is not committed before these transactions.
        """
        lows, highs = zip(*ranges, strict=True)
        ((oldest_running, following, seqs),) = db.execute_sql(_WITHIN, (list(lows), list(highs))).fetchall()
        return seqs, oldest_running, following

    @classmethod
    def references(cls, seqs: Sequence[int]) -> list[tuple[int, list[dict[str, Any]]]]:
        """The references of these rows, in the order of `seq`."""
        rows = cls.select(cls.seq, cls.refs).where(cls.seq.in_(seqs)).order_by(cls.seq).tuples()
        return list(rows)
