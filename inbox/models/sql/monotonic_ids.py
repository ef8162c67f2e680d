"""Identifiers of one moment that sort in the order in which they were made."""

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
    """Makes UUIDv7 of `now`, each greater than the one before; beyond 4,096 they borrow from the next millisecond.

    Between two makers of the same millisecond there is no order.
    """

    def __init__(self, now: datetime) -> None:
        self._millisecond = (now - _EPOCH) // _MILLISECOND
        self._counter = -1

    @property
    def time(self) -> datetime:
        """Of the last one made, in whole milliseconds."""
        return _EPOCH + self._millisecond * _MILLISECOND

    def advance_past(self, moment: datetime) -> None:
        """All that are made from now on are greater than any of that moment, whatever the clock said."""
        after = (moment - _EPOCH) // _MILLISECOND + 1
        if self._millisecond < after:
            self._millisecond, self._counter = after, -1

    def __call__(self) -> UUID:
        self._counter += 1
        if self._counter > COUNTER_MAX:
            self._millisecond, self._counter = self._millisecond + 1, 0
        noise = (self._counter << COUNTER_AT) | (int.from_bytes(os.urandom(8)) & RANDOM)
        return ids.uuid7(self._millisecond, noise.to_bytes(10))
