"""Token buckets in PostgreSQL for limits that a flush of Redis must not reset, such as sign-in.

Specification 2.8.
"""

from __future__ import annotations

import math
from datetime import datetime

from inbox.config import settings
from inbox.database.base import db

# The row is locked during the decision, so that concurrent callers take exactly the available tokens. A refusal
# changes nothing and returns no row.
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
    """Take one token. Returns 0 on success, else the seconds until the next token, rounded up.

    It must not run inside a transaction that may be rolled back, because a rollback returns the token. It always
    returns 0 with `INBOX_RATE_LIMITS=off` and with a capacity of 0.
    """
    if not settings.current().rate_limits or not capacity:
        return 0
    values = {"bucket": bucket, "capacity": float(capacity), "refill": refill_per_second, "now": now}
    if db.execute_sql(TAKE_TOKEN.format(elapsed=ELAPSED), values).fetchone() is not None:
        return 0
    left = db.execute_sql(REMAINING.format(elapsed=ELAPSED), values).fetchone()
    return max(1, math.ceil((1 - float(left[0])) / refill_per_second)) if left is not None else 1


def refund(bucket: str, capacity: int) -> None:
    """Gives back the token of an attempt that does not count."""
    statement = "UPDATE rate_limit_buckets SET tokens = least(%s, tokens + 1) WHERE bucket = %s"
    db.execute_sql(statement, (float(capacity), bucket))


def forget(before: datetime) -> int:
    """Deletes buckets that were unused since `before` and are full again. Returns their number."""
    return int(db.execute_sql("DELETE FROM rate_limit_buckets WHERE filled_at < %s", (before,)).rowcount)
