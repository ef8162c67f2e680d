"""Limits requests of a person to the management API by a token bucket in Redis. Fails open (specification 2.8)."""

from __future__ import annotations

from uuid import UUID

from flask import Flask, Response, g

from inbox.config import settings
from inbox.domain.values.refusals import RateLimited
from inbox.limits.buckets import RedisBuckets

BURST_SECONDS = 60.0
"""The capacity of a bucket in seconds: the limit of a minute."""

UNCHANGED = 0.1
"""The share that a read answered with 304 counts."""

_buckets = RedisBuckets(BURST_SECONDS)


def install(app: Flask) -> None:
    """Gives back a part of each read answered 304. Call it before `conditional.install`, which decides about 304."""
    app.after_request(_give_back)


def management(user_id: UUID, *, reads: bool) -> None:
    """Counts one request of this person. Raises `RateLimited`. Reads have a separate limit.

    A read counts in full before its view, because a read answered with 304 is computed, too. `_give_back` corrects it.
    While Redis is unavailable nothing is limited.
    """
    chosen = settings.current()
    a_minute = chosen.management_reads_per_minute_user if reads else chosen.management_per_minute_user
    if not chosen.rate_limits or not a_minute:
        return
    scope = "reads" if reads else "management"
    bucket, share = f"inbox:rate:{scope}:{user_id.hex}", 60 / a_minute
    waits = _buckets.consume([bucket], [share])
    if waits is None:
        return
    if waits[0]:
        raise RateLimited(retry_after=waits[0], extra={"scope": scope})
    g.counted_request = (bucket, share)


def _give_back(response: Response) -> Response:
    if response.status_code == 304 and "counted_request" in g:
        bucket, share = g.pop("counted_request")
        _buckets.consume([bucket], [share * (UNCHANGED - 1)])
    return response
