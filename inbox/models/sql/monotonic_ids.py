"""Identifiers of one moment that sort in the order of their creation."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from uuid import UUID

from inbox.domain import ids

COUNTER_AT = 62
COUNTER_MAX = (1 << 12) - 1
RANDOM = (1 << COUNTER_AT) - 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class MonotonicIds:
    """Creates UUIDv7 of `now`, each greater than the one before; beyond 4,096 they borrow from the next millisecond.

    Ids of two instances with the same millisecond have no order.
    """

    def __init__(self, now: datetime) -> None:
        self._millisecond = (now - _EPOCH) // _MILLISECOND
        self._counter = -1

    @property
    def time(self) -> datetime:
        """The time of the last created id, in whole milliseconds."""
        return _EPOCH + self._millisecond * _MILLISECOND

    def advance_past(self, moment: datetime) -> None:
        """Make all later ids greater than any id of that moment, whatever the clock shows."""
        after = (moment - _EPOCH) // _MILLISECOND + 1
        if self._millisecond < after:
            self._millisecond, self._counter = after, -1

    def __call__(self) -> UUID:
        self._counter += 1
        if self._counter > COUNTER_MAX:
            self._millisecond, self._counter = self._millisecond + 1, 0
        noise = (self._counter << COUNTER_AT) | (int.from_bytes(os.urandom(8)) & RANDOM)
        return ids.uuid7(self._millisecond, noise.to_bytes(10))
