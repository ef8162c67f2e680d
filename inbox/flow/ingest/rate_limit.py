"""The rate limits of events, per source and per workspace, shared by all web processes (specification 2.8)."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from redis import Redis
from redis.exceptions import RedisError

from inbox import queue, settings
from inbox.settings import Settings

BURST_SECONDS = 120.0
"""The capacity of a bucket in seconds: twice the limit of a minute."""

RETRY_REDIS_SECONDS = 5.0
"""The pause after a failure of Redis. During the pause each process counts its own events."""

MAX_BUCKETS = 10_000

GRAIN_SECONDS = 0.001
"""A shorter wait counts as none. Otherwise a rounding error would refuse a request that fills the bucket exactly."""

# A bucket is one number: the time at which it is full again. An event moves this time by its share of a minute.
# The time must not be further ahead than the capacity of the bucket.
_CONSUME = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local burst, grain = tonumber(ARGV[1]), tonumber(ARGV[2])
local full, waits = {}, {}
local function at(bucket)
    if not full[bucket] then full[bucket] = tonumber(redis.call('GET', bucket) or '0') end
    return math.max(full[bucket], now)
end
for i = 1, #KEYS / 2 do
    local wait, moved = 0, {}
    for j = 0, 1 do
        local bucket, share = KEYS[2 * i - 1 + j], tonumber(ARGV[2 * i + 1 + j])
        if share > 0 then
            local after = at(bucket) + math.min(share, burst)
            wait = math.max(wait, after - now - burst)
            moved[bucket] = after
        end
    end
    if wait <= grain then
        for bucket, after in pairs(moved) do full[bucket] = after end
    end
    waits[i] = wait > grain and math.max(1, math.ceil(wait)) or 0
end
for bucket, moment in pairs(full) do
    if moment > now then
        redis.call('SET', bucket, string.format('%.6f', moment), 'PX', math.ceil((moment - now) * 1000))
    end
end
return waits
"""


@dataclass(frozen=True, slots=True)
class Charge:
    """One request: its source, its workspace and its number of events."""

    source_id: UUID
    workspace_id: UUID
    events: int


class IngestRateLimiter:
    """The buckets; threads must not share an instance. While Redis is unavailable, the process counts its own requests."""

    def __init__(self) -> None:
        self._own: dict[str, float] = {}
        self._redis_retry_at = 0.0
        self._redis: Redis | None = None
        self._script = ""

    def consume(self, charges: Sequence[Charge]) -> list[int]:
        """For each request in order: 0 if it passes, else the seconds until the next request may pass.

        A refused request consumes nothing. A request larger than a bucket passes when the bucket is full.
        """
        chosen = settings.current()
        per_source, per_workspace = chosen.events_per_minute_source, chosen.events_per_minute_workspace
        if not chosen.rate_limits or not charges or not (per_source or per_workspace):
            return [0] * len(charges)
        buckets = [name for charge in charges for name in _names(charge)]
        shares = [share for charge in charges for share in _shares(charge, chosen)]
        if time.monotonic() >= self._redis_retry_at:
            try:
                return self._shared(buckets, shares)
            except (RedisError, OSError):
                self._redis_retry_at = time.monotonic() + RETRY_REDIS_SECONDS
        return self._consume_locally(buckets, shares, time.monotonic())

    def _shared(self, buckets: list[str], shares: list[float]) -> list[int]:
        redis = queue.job_queues().redis
        if redis is not self._redis:
            self._redis, self._script = redis, redis.script_load(_CONSUME)
        arguments: list[str | float] = [*buckets, BURST_SECONDS, GRAIN_SECONDS, *shares]
        try:
            return list(redis.evalsha(self._script, len(buckets), *arguments))
        except RedisError as fault:
            if "NOSCRIPT" not in str(fault):
                raise
            return list(redis.eval(_CONSUME, len(buckets), *arguments))

    def _consume_locally(self, buckets: list[str], shares: list[float], now: float) -> list[int]:
        if len(self._own) > MAX_BUCKETS:
            self._own = {name: moment for name, moment in self._own.items() if moment > now}
        waits = []
        for first in range(0, len(buckets), 2):
            refilled = {
                bucket: max(self._own.get(bucket, 0.0), now) + min(share, BURST_SECONDS)
                for bucket, share in zip(buckets[first : first + 2], shares[first : first + 2], strict=True)
                if share > 0
            }
            wait = max((moment - now - BURST_SECONDS for moment in refilled.values()), default=0.0)
            if wait <= GRAIN_SECONDS:
                self._own.update(refilled)
            waits.append(max(1, math.ceil(wait)) if wait > GRAIN_SECONDS else 0)
        return waits


def _names(charge: Charge) -> tuple[str, str]:
    return f"inbox:rate:source:{charge.source_id.hex}", f"inbox:rate:workspace:{charge.workspace_id.hex}"


def _shares(charge: Charge, chosen: Settings) -> tuple[float, float]:
    """The seconds by which the events move each bucket; 0 for a disabled limit."""
    per_source, per_workspace = chosen.events_per_minute_source, chosen.events_per_minute_workspace
    return (
        charge.events * 60 / per_source if per_source else 0.0,
        charge.events * 60 / per_workspace if per_workspace else 0.0,
    )
