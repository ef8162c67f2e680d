"""Limits the events of a source and of a workspace, across all web processes (specification 2.8)."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.limits.buckets import GRAIN_SECONDS, RedisBuckets

BURST_SECONDS = 120.0
"""The capacity of a bucket in seconds: twice the limit of a minute."""

SOURCE_SECONDS_PER_MIB, WORKSPACE_SECONDS_PER_MIB = 5.0, 1.0
"""The seconds of refilling that each bucket loses for a body with a refused item."""

MIB = 1024 * 1024

MAX_BUCKETS = 10_000
"""Above this number of local buckets, a process drops the full ones."""


@dataclass(frozen=True, slots=True)
class Charge:
    """One request: its source, its workspace and its number of events."""

    source_id: UUID
    workspace_id: UUID
    events: int


class IngestRateLimiter:
    """The buckets; threads must not share an instance. While Redis is unavailable, the process counts its own requests."""

    def __init__(self) -> None:
        self._local_buckets: dict[str, float] = {}
        self._shared = RedisBuckets(BURST_SECONDS)

    def consume(self, charges: Sequence[Charge]) -> list[int]:
        """Returns, for each request in order, 0 if it passes, else the seconds until the next request may pass.

        A refused request consumes nothing. A request larger than a bucket passes when the bucket is full.
        """
        current = settings.current()
        per_source, per_workspace = current.events_per_minute_source, current.events_per_minute_workspace
        if not current.rate_limits or not charges or not (per_source or per_workspace):
            return [0] * len(charges)
        buckets = [name for charge in charges for name in _bucket_names(charge)]
        return self._consume(buckets, [share for charge in charges for share in _bucket_shares(charge, current)])

    def consume_body(self, charge: Charge, size: int, *, gives_back: bool = False) -> int:
        """Charges a body of `size` bytes with a refused item, at least as much as the events of `charge`. See `consume`.

        With `gives_back`, the buckets get back the share that the same call consumed.
        """
        current = settings.current()
        if not current.rate_limits:
            return 0
        least = _bucket_shares(charge, current)
        per_mib = (SOURCE_SECONDS_PER_MIB, WORKSPACE_SECONDS_PER_MIB)
        shares = [max(one, size / MIB * each) if one else 0.0 for one, each in zip(least, per_mib, strict=True)]
        return self._consume(_bucket_names(charge), [-share for share in shares] if gives_back else shares)[0]

    def _consume(self, buckets: Sequence[str], shares: list[float]) -> list[int]:
        waits = self._shared.consume(buckets, shares, each=2)
        return self._consume_locally(buckets, shares, time.monotonic()) if waits is None else waits

    def _consume_locally(self, buckets: Sequence[str], shares: Sequence[float], now: float) -> list[int]:
        if len(self._local_buckets) > MAX_BUCKETS:
            self._local_buckets = {name: moment for name, moment in self._local_buckets.items() if moment > now}
        waits = []
        for first in range(0, len(buckets), 2):
            refilled = {
                bucket: max(self._local_buckets.get(bucket, 0.0), now) + min(share, BURST_SECONDS)
                for bucket, share in zip(buckets[first : first + 2], shares[first : first + 2], strict=True)
                if share
            }
            wait = max((moment - now - BURST_SECONDS for moment in refilled.values()), default=0.0)
            if wait <= GRAIN_SECONDS:
                self._local_buckets.update(refilled)
            waits.append(max(1, math.ceil(wait)) if wait > GRAIN_SECONDS else 0)
        return waits


def _bucket_names(charge: Charge) -> tuple[str, str]:
    return f"inbox:rate:source:{charge.source_id.hex}", f"inbox:rate:workspace:{charge.workspace_id.hex}"


def _bucket_shares(charge: Charge, current: Settings) -> tuple[float, float]:
    """Returns the seconds by which the events move each bucket; 0 for a disabled limit."""
    per_source, per_workspace = current.events_per_minute_source, current.events_per_minute_workspace
    return (
        charge.events * 60 / per_source if per_source else 0.0,
        charge.events * 60 / per_workspace if per_workspace else 0.0,
    )
