"""Counts refused bodies of senders against the limits of events (specification 2.8)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from uuid import UUID

from cachetools import TTLCache

from inbox.api.http.bodies import BEGINNING
from inbox.config import settings
from inbox.domain.values.refusals import BadRequest, RateLimited, TooCostly, ValidationFailed
from inbox.limits.ingest import BURST_SECONDS, Charge, IngestRateLimiter

REFUSED = (BadRequest, TooCostly, ValidationFailed)
"""The refusals of a body that was read."""

TAKEN_SHARE = 5
"""A large body that is taken costs a fifth of a refused one, and its events besides."""

TOO_MANY_LARGE = "Large bodies arrive faster than the rate limit allows."
TOO_FAST = "Refused bodies arrive faster than the rate limit allows."

MAX_WATCHED = 10_000
"""The most keys that a process watches. Above it, the key that is watched longest is left out."""

_rates = IngestRateLimiter()

_watched: TTLCache[str, bool] = TTLCache(MAX_WATCHED, BURST_SECONDS)
"""The keys that sent a refused body in the time that fills an empty bucket."""


class Sender(Protocol):
    """The sender of a body: the digest of the key in hex, and the source of the key."""

    @property
    def hash_hex(self) -> str:
        """The digest of the key in hex."""

    @property
    def source_id(self) -> UUID:
        """The source of the key. May raise `Unauthenticated`."""

    @property
    def workspace_id(self) -> UUID:
        """The workspace of the source. May raise `Unauthenticated`."""


@contextmanager
def counting_refused(sender: Sender, size: int) -> Iterator[None]:
    """Counts a body of `size` bytes whose reading is refused within the block. Raises `RateLimited`.

    A large body of a key that sent a refused one lately is counted before it is read, so that bodies over the limit cost
    nothing. It no longer counts after it was read, because its events count then. Other bodies are counted after their
    refusal: a small one costs no more than an event, and the usual sender is spared two calls of Redis.
    """
    is_counted = size > BEGINNING and sender.hash_hex in _watched
    if is_counted:
        count(sender, size)
    try:
        yield
    except REFUSED:
        if not is_counted:
            count(sender, size)
        raise
    if is_counted:
        _consume(sender, size, gives_back=True)


def count(sender: Sender, size: int) -> None:
    """Counts a body of `size` bytes with a refused item. Raises `RateLimited`."""
    wait = _consume(sender, size)
    _watched[sender.hash_hex] = True
    if wait:
        raise RateLimited(TOO_FAST, retry_after=wait) from None


def count_read_in_part(sender: Sender, size: int) -> None:
    """Counts a body whose events are stored although one item is refused. The body itself is not refused."""
    _consume(sender, size)


def charge_large(sender: Sender, size: int) -> None:
    """Charges a large body that may be taken. Raises `RateLimited`."""
    wait = _consume(sender, size // TAKEN_SHARE)
    if wait:
        raise RateLimited(TOO_MANY_LARGE, retry_after=wait)


def _consume(sender: Sender, size: int, *, gives_back: bool = False) -> int:
    if not settings.current().rate_limits:
        return 0
    charge = Charge(sender.source_id, sender.workspace_id, events=1)
    return _rates.consume_body(charge, size, gives_back=gives_back)
