"""Token buckets in Postgres for the doors that a flushed Redis must not open: sign-in and its kin.

Specification 2.8.
"""

from __future__ import annotations

import math
from datetime import datetime

from inbox import settings
from inbox.models.sql.base import db

# The row is locked while it is decided, so that any number at once take exactly what is there. What is refused
# changes nothing, and answers no row.
TAKE_TOKEN = """
INSERT INTO rate_limit_buckets AS t (bucket, tokens, filled_at) VALUES (%(bucket)s, %(capacity)s - 1, %(now)s)
ON CONFLICT (bucket) DO UPDATE SET
    tokens = least(%(capacity)s, t.tokens + {elapsed} * %(refill)s) - 1,
    filled_at = greatest(t.filled_at, %(now)s)
WHERE least(%(capacity)s, t.tokens + {elapsed} * %(refill)s) >= 1
RETURNING tokens
"""
REMAINING = (
    "SELECT least(%(capacity)s, t.tokens + {elapsed} * %(refill)s) FROM rate_limit_buckets t WHERE bucket = %(bucket)s"
)
ELAPSED = "greatest(0, extract(epoch FROM %(now)s - t.filled_at))::double precision"


def take(bucket: str, capacity: int, refill_per_second: float, now: datetime) -> int:
    """Take one token; 0 when it was there, else the whole seconds until the next one is.

    Not to be called inside a transaction that may be rolled back: the token would be given back. Always 0 with
    `INBOX_RATE_LIMITS=off`, and with a capacity of 0.
    """
    if not settings.current().rate_limits or not capacity:
        return 0
    values = {"bucket": bucket, "capacity": float(capacity), "refill": refill_per_second, "now": now}
    if db.execute_sql(TAKE_TOKEN.format(elapsed=ELAPSED), values).fetchone() is not None:
        return 0
    left = db.execute_sql(REMAINING.format(elapsed=ELAPSED), values).fetchone()
    return max(1, math.ceil((1 - float(left[0])) / refill_per_second)) if left is not None else 1


def refund(bucket: str, capacity: int) -> None:
    """Put a token back that `take` took for what turned out not to count."""
    statement = "UPDATE rate_limit_buckets SET tokens = least(%s, tokens + 1) WHERE bucket = %s"
    db.execute_sql(statement, (float(capacity), bucket))


def forget(before: datetime) -> int:
    """Remove the buckets that nobody has touched since; they are full by then. Answers how many."""
    return int(db.execute_sql("DELETE FROM rate_limit_buckets WHERE filled_at < %s", (before,)).rowcount)
