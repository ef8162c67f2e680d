"""Password hashes that wait for a thread: their number, and resources of their callers (specification 11.6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import gevent
import peewee
import pytest
from gevent import monkey

from inbox.database.base import db, pool_usage
from inbox.domain.values.refusals import Unavailable
from inbox.services.people import passwords
from inbox.services.people.passwords import MOST_WAITING, THREADS


class Hasher:
    """Computes nothing until `gate` opens."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.began = 0
        self.fails = False

    def hash(self, password: str) -> str:
        self.began += 1
        if self.fails:
            raise ZeroDivisionError
        assert self.gate.wait(20)
        return password


@pytest.fixture
def hasher(ground: peewee.Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hasher]:
    """The process computes hashes in threads, as under gevent, and no hash ends before its gate opens."""
    made = Hasher()
    monkeypatch.setattr(passwords, "HASHER", made)
    monkeypatch.setattr(monkey, "is_module_patched", lambda module: True)
    yield made
    made.gate.set()


def begin(hasher: Hasher, count: int) -> list[gevent.Greenlet[[], str]]:
    """As many callers, each of which waits for its hash."""
    callers = [gevent.spawn(passwords.hashed, f"password {number}") for number in range(count)]
    until = time.monotonic() + 60
    while hasher.began < min(THREADS, count):
        assert time.monotonic() < until
        gevent.sleep(0.01)
    gevent.sleep(0.1)
    return callers


def test_hashes_wait_up_to_the_limit(hasher: Hasher) -> None:
    callers = begin(hasher, THREADS + MOST_WAITING)
    assert (hasher.began, [each for each in callers if each.dead]) == (THREADS, [])

    with pytest.raises(Unavailable) as caught:
        passwords.hashed("one more")
    assert caught.value.retry_after == 2

    hasher.gate.set()
    gevent.joinall(callers, timeout=20, raise_error=True)
    assert [each.value for each in callers] == [f"password {number}" for number in range(len(callers))]


def test_below_the_limit_a_hash_waits_and_room_comes_back(hasher: Hasher) -> None:
    callers = begin(hasher, THREADS + MOST_WAITING - 1)
    last = begin(hasher, 1)
    assert not last[0].dead

    hasher.gate.set()
    gevent.joinall([*callers, *last], timeout=20, raise_error=True)
    assert gevent.joinall(begin(hasher, THREADS + MOST_WAITING), timeout=20, raise_error=True)


def test_a_failed_password_hash_releases_its_slot(hasher: Hasher) -> None:
    hasher.fails = True
    for _ in range(2 * (THREADS + MOST_WAITING)):
        with pytest.raises(ZeroDivisionError):
            passwords.hashed("a password")


def test_a_caller_that_waits_for_a_hash_holds_no_connection(hasher: Hasher) -> None:
    before = pool_usage()[0]
    [caller] = begin(hasher, 1)
    assert (pool_usage()[0], db.is_closed()) == (before - 1, True)

    hasher.gate.set()
    caller.get(timeout=20)
    assert (pool_usage()[0], db.is_closed()) == (before, False)


def test_within_a_transaction_the_connection_stays(hasher: Hasher) -> None:
    before = pool_usage()[0]
    with db.atomic():
        [caller] = begin(hasher, 1)
        assert pool_usage()[0] == before
        hasher.gate.set()
        caller.get(timeout=20)
