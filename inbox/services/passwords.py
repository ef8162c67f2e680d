"""Password hashes: Argon2id, computed beside the event loop and not in it (specification 11.6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from gevent import monkey
from gevent.threadpool import ThreadPool

from inbox.domain import passwords as rules
from inbox.domain.passwords import Blocklist, canonical

Result = TypeVar("Result")

HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
THREADS = 2

NO_HASH = "$argon2id$v=19$m=19456,t=2,p=1$2kJRXniMviZKK9K6ihr2dA$WPcb6L3SwW9xWPG0qgtShxoFeZTP11RXvfUjkz+XZZM"
"""The hash of a random text: what is verified when there is no account, so that both take the same work."""

_pool: ThreadPool | None = None


def weakness(password: str, *, email: str = "") -> str | None:
    """Why a password is not accepted, as a sentence; None when it is."""
    return rules.rejection_reason(password, _blocklist(), email=email)


@cache
def _blocklist() -> Blocklist:
    """The lists of zxcvbn: 30,000 passwords, and 64,000 words and names. Loaded when a password is first chosen.

    The library's own estimate is not used: 32 characters that stand for letters take it 12 seconds.
    """
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    words = frozenset(word for name, listed in FREQUENCY_LISTS.items() if name != "passwords" for word in listed)
    return Blocklist(frozenset(FREQUENCY_LISTS["passwords"]), words)


def hashed(password: str) -> str:
    """The hash that is stored; about 50 ms of a core."""
    return _in_thread(HASHER.hash, canonical(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Whether the password is the one; takes its time also where there is no hash to compare with."""
    try:
        _in_thread(HASHER.verify, password_hash or NO_HASH, canonical(password))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def is_outdated(password_hash: str) -> bool:
    """Whether the hash was made with other parameters than today's, so that the next sign-in should renew it."""
    return HASHER.check_needs_rehash(password_hash)


def _in_thread(act: Callable[..., Result], *args: Any) -> Result:
    """Run in one of two real threads where gevent rules: in its loop each hash would stop all other requests."""
    global _pool
    if not monkey.is_module_patched("threading"):
        return act(*args)
    if _pool is None:
        _pool = ThreadPool(THREADS)
    answer: Result = _pool.apply(act, args)
    return answer
