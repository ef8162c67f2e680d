"""How fast a person may use the management API: a token bucket in Redis, which fails open (specification 2.8)."""

from __future__ import annotations

import time
from uuid import UUID

from redis.exceptions import RedisError

from inbox import queue, settings
from inbox.domain.refusals import RateLimited

REQUEST_COST = """
local now = redis.call('TIME')
local at = now[1] + now[2] / 1000000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2])
local tokens = math.min(capacity, (tonumber(bucket[1]) or capacity) + math.max(0, at - (tonumber(bucket[2]) or at)) * rate)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) / rate) end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', string.format('%.6f', at))
redis.call('EXPIRE', KEYS[1], math.ceil(capacity / rate) + 1)
return wait
"""
PAUSE_SECONDS = 5.0

_resting_until = 0.0


def management(user_id: UUID, *, reads: bool) -> None:
    """One request of this person; raises `RateLimited`. Reads have a limit of their own.

    When Redis is away nothing is limited, for 5 s without asking.
    """
    global _resting_until
    chosen = settings.current()
    a_minute = chosen.management_reads_per_minute_user if reads else chosen.management_per_minute_user
    if not chosen.rate_limits or not a_minute or time.monotonic() < _resting_until:
        return
    try:
        wait = queue.job_queues().redis.eval(
            REQUEST_COST, 1, f"inbox:limit:user:{'reads:' if reads else ''}{user_id.hex}", a_minute, a_minute / 60
        )
    except (RedisError, OSError):
        _resting_until = time.monotonic() + PAUSE_SECONDS
        return
    if int(wait):
        raise RateLimited(retry_after=int(wait), extra={"scope": "reads" if reads else "management"})
