"""Identifiers of one moment that sort in the order in which they were made."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from inbox.domain import ids

COUNTER_AT = 62
COUNTER_MAX = (1 << 12) - 1
RANDOM = (1 << COUNTER_AT) - 1


def ids_in_order(now: datetime) -> Callable[[], UUID]:
    """A maker of UUIDv7 of `now`, each greater than the one before; beyond 4,096 they borrow from the next millisecond.

    Between two makers of the same millisecond there is no order.
    """
    moment, counter = int(now.timestamp() * 1000), -1

    def make() -> UUID:
        nonlocal moment, counter
        counter += 1
        if counter > COUNTER_MAX:
            moment, counter = moment + 1, 0
        noise = (counter << COUNTER_AT) | (int.from_bytes(os.urandom(8)) & RANDOM)
        return ids.uuid7(moment, noise.to_bytes(10))

    return make
