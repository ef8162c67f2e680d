"""Bodies of webhooks above 2 MiB: a process reads one of them at a time, and each is charged by its size (decision 0009)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from inbox.api.senders.refused_bodies import Sender, charge_large
from inbox.domain.values.refusals import Unavailable

_reading = threading.Lock()
"""Held while a large body is parsed and its events are stored. A parsed body takes several times its size."""

BUSY = "Another large webhook is being read at the moment."


@contextmanager
def one_at_a_time(sender: Sender, size: int) -> Iterator[None]:
    """Charges a large body, and keeps others waiting. Raises `RateLimited`, and `Unavailable` while another is read."""
    charge_large(sender, size)
    if not _reading.acquire(blocking=False):
        raise Unavailable(BUSY, retry_after=2)
    try:
        yield
    finally:
        _reading.release()
