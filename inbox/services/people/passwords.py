"""Password hashes: Argon2id, computed in threads outside the event loop (specification 11.6)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from inbox.database.base import connection_released
from inbox.domain.people import passwords as rules
from inbox.domain.people.passwords import Blocklist, canonical
from inbox.domain.values.networks import network
from inbox.domain.values.refusals import RateLimited, Unavailable
from inbox.limits import rates
from inbox.runtime.real_threads import RealThreads

Result = TypeVar("Result")

HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
THREADS = 2
MOST_WAITING = 50
"""The most hashes of one process that wait for a thread. The last of them waits for more than a second."""

CHECKS_PER_MINUTE = 60
"""The most checks of passwords before they are chosen, from one address."""

NO_HASH = "$argon2id$v=19$m=19456,t=2,p=1$2kJRXniMviZKK9K6ihr2dA$WPcb6L3SwW9xWPG0qgtShxoFeZTP11RXvfUjkz+XZZM"
"""The hash of a random text. It is verified when no account exists, so that both cases take the same work."""

_threads = RealThreads(THREADS)
"""In the event loop, each hash would block all other requests."""

_unfinished = 0


def weakness(password: str, *, email: str = "") -> str | None:
    """Return the reason why a password is rejected, as a sentence, or None."""
    return rules.rejection_reason(password, _blocklist(), email=email)


@cache
def _blocklist() -> Blocklist:
    """Load the lists of zxcvbn, at the first check: 30,000 passwords, and 64,000 words and names.

    The library's own estimate is not used: for 32 characters with letter substitutions it takes 12 seconds.
    """
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    words = frozenset(word for name, listed in FREQUENCY_LISTS.items() if name != "passwords" for word in listed)
    return Blocklist(frozenset(FREQUENCY_LISTS["passwords"]), words)


def check(password: str, email: str, *, address: str, now: datetime) -> str | None:
    """Return the reason why a new password would be rejected, or None. Raises `RateLimited` for the client's address."""
    wait = rates.take(f"password-check:{network(address)}", CHECKS_PER_MINUTE, CHECKS_PER_MINUTE / 60, now)
    if wait:
        raise RateLimited("Too many checks of passwords from this address.", retry_after=wait)
    return weakness(password, email=email)


def hashed(password: str) -> str:
    """Compute the stored hash. It takes about 50 ms of a core. Raises `Unavailable` when too many wait."""
    return _in_thread(HASHER.hash, canonical(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Return whether the password matches. A missing hash takes the same time.

    Raises `Unavailable` when too many wait.
    """
    try:
        _in_thread(HASHER.verify, password_hash or NO_HASH, canonical(password))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def is_outdated(password_hash: str) -> bool:
    """Return whether the hash has outdated parameters. The next sign-in renews such a hash."""
    return HASHER.check_needs_rehash(password_hash)


def _in_thread(act: Callable[..., Result], *args: object) -> Result:
    """Run in a real thread. The caller holds no database connection while it waits, unless it is in a transaction."""
    global _unfinished
    if not _threads.are_used:
        return act(*args)
    if _unfinished >= THREADS + MOST_WAITING:
        raise Unavailable("Too many passwords are being checked at the moment.", retry_after=2)
    _unfinished += 1
    try:
        with connection_released():
            return _threads.run(act, *args)
    finally:
        _unfinished -= 1
