"""Token buckets in Redis, shared by all processes (specification 2.8)."""

from __future__ import annotations

import time
from collections.abc import Sequence

from redis import Redis
from redis.exceptions import RedisError

from inbox.runtime import queue

RETRY_SECONDS = 5.0
"""The pause after a failure of Redis."""

GRAIN_SECONDS = 0.001
"""A shorter wait counts as none. Otherwise a rounding error would refuse a request that fills the bucket exactly."""

# A bucket is one number: the time at which it is full again. A request moves this time by its share.
# The time must not be further ahead than the capacity of the bucket, which is a time, too.
_CONSUME = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local burst, grain, each = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full, waits = {}, {}
local function at(bucket)
    if not full[bucket] then full[bucket] = tonumber(redis.call('GET', bucket) or '0') end
    return math.max(full[bucket], now)
end
for first = 1, #KEYS, each do
    local wait, moved = 0, {}
    for i = first, first + each - 1 do
        local bucket, share = KEYS[i], tonumber(ARGV[3 + i])
        if share ~= 0 then
            local after = at(bucket) + math.min(share, burst)
            wait = math.max(wait, after - now - burst)
            moved[bucket] = after
        end
    end
    if wait <= grain then
        for bucket, after in pairs(moved) do full[bucket] = after end
    end
    waits[#waits + 1] = wait > grain and math.max(1, math.ceil(wait)) or 0
end
for bucket, moment in pairs(full) do
    if moment > now then
        redis.call('SET', bucket, string.format('%.6f', moment), 'PX', math.ceil((moment - now) * 1000))
    else
        redis.call('DEL', bucket)
    end
end
return waits
"""


class RedisBuckets:
    """Token buckets in the Redis of the job queues.

    `burst_seconds` is the capacity of each bucket: the time in which an empty bucket becomes full.
    """

    def __init__(self, burst_seconds: float) -> None:
        self._burst_seconds = burst_seconds
        self._redis: Redis | None = None
        self._script = ""
        self._retry_at = 0.0

    def consume(self, buckets: Sequence[str], shares: Sequence[float], *, each: int = 1) -> list[int] | None:
        """Returns for each request in order: 0 if it passes, else the seconds until the next request may pass.

        A request has `each` buckets, and the seconds of refilling that it takes from each. A refused request consumes
        nothing. A share above the capacity passes when the bucket is full. A negative share gives back what a request
        took, and never fills a bucket above its capacity. None while Redis is unavailable.
        """
        redis = queue.job_queues().redis
        if redis is self._redis and time.monotonic() < self._retry_at:
            return None
        arguments: list[str | float] = [*buckets, self._burst_seconds, GRAIN_SECONDS, each, *shares]
        try:
            return self._executed(redis, len(buckets), arguments)
        except (RedisError, OSError):
            self._redis, self._script, self._retry_at = redis, "", time.monotonic() + RETRY_SECONDS
            return None

    def _executed(self, redis: Redis, keys: int, arguments: Sequence[str | float]) -> list[int]:
        script = self._script if redis is self._redis else ""
        if not script:
            script = str(redis.script_load(_CONSUME))
            self._redis, self._script, self._retry_at = redis, script, 0.0
        try:
            return list(redis.evalsha(script, keys, *arguments))
        except RedisError as fault:
            if "NOSCRIPT" not in str(fault):
                raise
            return list(redis.eval(_CONSUME, keys, *arguments))
