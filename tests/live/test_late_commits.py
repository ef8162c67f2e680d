"""A change committed after the poll passed its position reaches the streams with its commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import uuid4

import peewee
import psycopg2
import pytest

from inbox.config.settings import Settings
from inbox.live import wire
from inbox.live.feed import Change, Reference
from inbox.live.hub import Hub
from inbox.live.stream import Stream, Subscriber
from inbox.models.people.accounts import Session
from tests.cast import Cast
from tests.live.web import until

OVERLAP_SECONDS = 0.2


@pytest.fixture
def hub(ground: peewee.Database, settings: Settings) -> Iterator[Hub]:
    """A hub whose look-back is short. It receives nothing from Redis here."""
    hub = Hub(settings.redis_url, overlap_seconds=OVERLAP_SECONDS)
    hub.start()
    yield hub
    hub.stop()


@pytest.fixture
def long_one(settings: Settings) -> Iterator[Any]:
    """A connection whose transaction stays open until the test ends it."""
    connection = psycopg2.connect(settings.database_url)
    yield connection
    connection.close()


def change(cast: Cast) -> dict[str, Any]:
    return Reference("incident", uuid4(), cast.workspace.id).stored()


def has(taken: Callable[[], bytes], reference: dict[str, Any]) -> bool:
    return wire.line(reference) in taken()


def write(connection: Any, *references: dict[str, Any]) -> None:
    """Write a row of the feed in the open transaction."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO change_feed (refs) VALUES (%s::jsonb)", (json.dumps(references),))


def reader(hub: Hub, cast: Cast) -> Callable[[], bytes]:
    """A stream of Mia; answers all that it has received so far."""
    cast.cookie("mia")
    mia = cast.users["mia"].id
    session = Session.get(Session.user == mia)
    stream: Stream = hub.open(Subscriber(mia, session.id, frozenset({cast.workspace.id})))
    received = bytearray()

    def taken() -> bytes:
        received.extend(stream.mailbox.take(0))
        return bytes(received)

    return taken


def pass_look_back(taken: Callable[[], bytes], cast: Cast) -> None:
    """Two later changes arrive one after the other: the look-back then begins behind what was not committed."""
    for _ in range(3):
        later = change(cast)
        Change.write(json.dumps([later]))
        until(partial(has, taken, later))


@pytest.mark.parametrize("is_open_before_the_stream", [False, True])
def test_a_change_that_is_committed_late_is_sent_once(
    hub: Hub, cast: Cast, long_one: Any, is_open_before_the_stream: bool
) -> None:
    late = change(cast)
    if is_open_before_the_stream:
        write(long_one, late)
        Change.write(json.dumps([change(cast)]))
    taken = reader(hub, cast)
    if not is_open_before_the_stream:
        write(long_one, late)
    pass_look_back(taken, cast)
    assert wire.line(late) not in taken()

    long_one.commit()
    until(partial(has, taken, late))
    pass_look_back(taken, cast)

    assert taken().count(wire.line(late)) == 1
    assert b"resync" not in taken().removeprefix(wire.opening())
    until(lambda: pass_look_back(taken, cast) or not hub.seen.gaps)


def test_a_change_of_a_failed_transaction_leaves_nothing_to_look_up(hub: Hub, cast: Cast, long_one: Any) -> None:
    taken = reader(hub, cast)
    write(long_one, change(cast))
    pass_look_back(taken, cast)
    assert hub.seen.gaps

    long_one.rollback()

    until(lambda: pass_look_back(taken, cast) or not hub.seen.gaps)
