"""Creates pairings and tokens of devices."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import TypeVar

import pytest

from inbox.database.base import db
from inbox.domain.values.refusals import PairingInvalid, Unauthenticated
from inbox.models.people.accounts import User
from inbox.services.people import pairings
from inbox.services.people.devices import Tokens
from tests.cast import Cast
from tests.cast import present as real

NOW = real()


MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


Answer = TypeVar("Answer")


@pytest.fixture
def mia(cast: Cast) -> User:
    return cast.users["mia"]


def claim(code: str, now: datetime = NOW) -> Tokens:
    tokens = pairings.claim(code, "Phone", now, address="127.0.0.1").tokens
    assert tokens is not None
    return tokens


def at_once(act: Callable[[], Answer], times: int) -> list[Answer | Exception]:
    """What `act` answers or raises to so many who try at the same moment."""
    start = threading.Barrier(times)

    def one() -> Answer | Exception:
        start.wait(60)
        with db.connection_context():  # the pool is smaller than the crowd: the last ones wait for the first
            try:
                return act()
            except (PairingInvalid, Unauthenticated) as refusal:
                return refusal

    with ThreadPoolExecutor(times) as many:
        return [each.result() for each in [many.submit(one) for _ in range(times)]]
