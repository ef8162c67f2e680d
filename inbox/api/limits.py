"""How fast a person may use the management API: a token bucket in Redis, which fails open (specification 2.8)."""

from __future__ import annotations

from uuid import UUID

from inbox import settings
from inbox.domain.refusals import RateLimited
from inbox.redis_buckets import RedisBuckets

BURST_SECONDS = 60.0
"""The capacity of a bucket in seconds: the limit of a minute."""

_buckets = RedisBuckets(BURST_SECONDS)


def management(user_id: UUID, *, reads: bool) -> None:
    """One request of this person; raises `RateLimited`. Reads have a limit of their own.

    While Redis is unavailable nothing is limited.
    """
    chosen = settings.current()
    a_minute = chosen.management_reads_per_minute_user if reads else chosen.management_per_minute_user
    if not chosen.rate_limits or not a_minute:
        return
    scope = "reads" if reads else "management"
    [wait] = _buckets.consume([f"inbox:rate:{scope}:{user_id.hex}"], [60 / a_minute]) or [0]
    if wait:
        raise RateLimited(retry_after=wait, extra={"scope": scope})
