"""Whether a replica has every change that people may know: their own, and what the stream has referred to.

The change feed answers this, because each unit of work that changes what people see adds a row to it. So nothing more is
written for a replica, and Redis is not asked (decision 0044).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from inbox.database.base import db
from inbox.database.replica import IDENTITY

NEWEST = 200
"""A replica may lack this many of the newest rows of the change feed, unless they are for the reader."""

# `xmin` has 32 bits. Its distance to the next transaction gives the whole number.
_POSITION = f"""
    WITH snapshot AS MATERIALIZED (
        SELECT pg_snapshot_xmin(s)::text::bigint AS oldest, pg_snapshot_xmax(s)::text::bigint AS following
        FROM pg_current_snapshot() s
    ), newest AS MATERIALIZED (
        SELECT seq, refs, following - ((following - feed.xmin::text::bigint) & 4294967295) AS transaction,
            row_number() OVER (ORDER BY seq DESC) > {NEWEST} AS is_older
        FROM (SELECT xmin, seq, refs FROM change_feed ORDER BY seq DESC LIMIT {2 * NEWEST}) feed, snapshot
    )
    SELECT coalesce(max(transaction) FILTER (WHERE is_older), min(transaction) - 1, (SELECT oldest - 1 FROM snapshot)),
        coalesce(array_agg(seq) FILTER (WHERE NOT is_older AND refs @> ANY (%s::jsonb[])), '{{}}')
    FROM newest
"""

_IS_REPLAYED = f"""
    SELECT {IDENTITY}, pg_snapshot_xmin(pg_current_snapshot())::text::bigint > %s
        AND (SELECT count(*) FROM change_feed WHERE seq = ANY (%s::bigint[])) = %s
"""


class Position(NamedTuple):
    """What a replica must have replayed: all transactions up to `transaction`, and these rows of the change feed."""

    transaction: int
    seqs: list[int]


def position(audiences: Sequence[str]) -> Position:
    """Returns the position of the newest changes for these audiences: ids of workspaces and people. Asks the primary."""
    wanted = [orjson.dumps([{"to": audience}]).decode() for audience in audiences]
    return Position(*db.execute_sql(_POSITION, (wanted,)).fetchone())


def look(wanted: Position) -> tuple[str, bool]:
    """Returns the identity of the server that is asked, and whether it has replayed the position."""
    identity, is_replayed = db.execute_sql(_IS_REPLAYED, (*wanted, len(wanted.seqs))).fetchone()
    return identity, is_replayed
