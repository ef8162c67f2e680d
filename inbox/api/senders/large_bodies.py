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


def refuse_while_reading(sender: Sender) -> None:
    """Refuses a large body while another is read, before any of it is read. Raises `Unavailable`.

    Senders that repeat it would else keep the process busy with its bytes. Raises `Unauthenticated` for an ended key.
    """
    if _reading.locked():
        _ = sender.source_id  # only a live key has a source
        raise Unavailable(BUSY, retry_after=2)


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
