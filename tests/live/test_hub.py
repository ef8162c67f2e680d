"""The hub in one process of plain threads: admitted clients, and the ends of streams."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID, uuid4

import peewee
import pytest

from inbox.config.settings import Settings
from inbox.domain.values.refusals import RateLimited, Unavailable
from inbox.live import hub as hubs
from inbox.live import wire
from inbox.live.feed import Reference
from inbox.live.hub import Hub
from inbox.live.stream import Subscriber
from tests.cast import Cast
from tests.live.web import until


@pytest.fixture
def hub(ground: peewee.Database, settings: Settings) -> Iterator[Hub]:
    hub = Hub(settings.redis_url)
    hub.start()
    yield hub
    hub.stop()


def listener(user: UUID | None = None, *workspaces: UUID) -> Subscriber:
    return Subscriber(user or uuid4(), uuid4(), frozenset(workspaces))


def test_the_eleventh_stream_of_a_person_is_refused_until_one_leaves(hub: Hub):
    mia = uuid4()
    streams = [hub.open(listener(mia)) for _ in range(10)]
    hub.open(listener())

    with pytest.raises(RateLimited) as refused:
        hub.open(listener(mia))
    assert refused.value.retry_after

    streams[0].close()
    hub.open(listener(mia))


def test_a_workspace_cannot_take_all_streams_of_a_process(ground: peewee.Database, settings: Settings):
    hub = Hub(settings.redis_url, per_workspace=3)
    busy, other = uuid4(), uuid4()
    streams = [hub.open(listener(None, busy)) for _ in range(3)]

    with pytest.raises(RateLimited):
        hub.open(listener(None, other, busy))
    hub.open(listener(None, other))
    streams[0].close()
    hub.open(listener(None, busy))


def test_a_process_holds_only_so_many_streams(ground: peewee.Database, settings: Settings):
    hub = Hub(settings.redis_url, room=2)
    first = hub.open(listener())
    hub.open(listener())

    with pytest.raises(RateLimited):
        hub.open(listener())
    first.close()
    hub.open(listener())


def test_a_stream_that_cannot_be_opened_takes_no_room(settings: Settings, ground: peewee.Database):
    hub = Hub(settings.redis_url, room=1)

    with ThreadPoolExecutor() as elsewhere, pytest.raises(peewee.InterfaceError):
        elsewhere.submit(hub.open, listener()).result()  # that thread has no connection

    hub.open(listener())


def test_a_stopping_hub_ends_all_streams_and_admits_no_new_one(hub: Hub):
    mia = hub.open(listener())
    hub.stop()

    assert list(mia) == [wire.opening()]
    with pytest.raises(Unavailable):
        hub.open(listener())


def test_the_end_of_the_worker_is_the_end_of_its_streams(ground: peewee.Database, settings: Settings):
    class Worker:
        alive = True

    hub, worker = Hub(settings.redis_url), Worker()
    hub.start(worker)
    mia = hub.open(listener())
    worker.alive = False

    assert list(mia) == [wire.opening()]


def test_a_change_is_sent_once_to_its_audience(hub: Hub):
    acme, other = uuid4(), uuid4()
    mia, eve = hub.open(listener(None, acme)), hub.open(listener(None, other))
    reference = Reference("incident", uuid4(), acme).stored()

    hub.on_changes(1, [reference])
    hub.on_changes(1, [reference])

    next(mia)
    assert next(mia) == wire.line(reference)
    assert len(mia.mailbox) == len(eve.mailbox) == 0


def test_a_stream_that_changes_workspaces_reloads_and_gets_their_changes(hub: Hub):
    acme, other = uuid4(), uuid4()
    mia = hub.open(listener(None, acme))
    hub.update_access(mia, replace(mia.subscriber, workspace_ids=frozenset({other})))
    hub.on_changes(1, [Reference("incident", uuid4(), acme).stored()])
    arrived = Reference("incident", uuid4(), other).stored()
    hub.on_changes(2, [arrived])

    next(mia)
    assert next(mia) == wire.resync() + wire.line(arrived)


@pytest.mark.parametrize("which", ["session", "device", "user"])
def test_closing_ends_the_streams_of_that_session_device_or_person(hub: Hub, which: str):
    mia, adam = hub.open(listener()), hub.open(listener())
    closed = mia.subscriber.user_id if which == "user" else mia.subscriber.credential_id
    hub.close(**{which: str(closed)})

    assert mia.mailbox.closed
    assert not adam.mailbox.closed


def test_a_client_that_falls_behind_is_disconnected(hub: Hub):
    acme = uuid4()
    mia = hub.open(listener(None, acme))
    mia.mailbox.put([b"x"] * 200)
    hub.on_changes(1, [Reference("incident", uuid4(), acme).stored()])

    assert mia.mailbox.closed
    assert len(hub.audiences) == 0


def test_the_hub_of_a_process_is_made_once(ground: peewee.Database, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hubs, "_hub", None)
    found: list[Hub] = []
    threads = [threading.Thread(target=lambda: found.append(hubs.current())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(found)) == 1
    found[0].stop()


def test_a_change_of_place_is_looked_up_at_once(hub: Hub, audience: Cast):
    """Under plain threads, too: the lookout has its own connection."""
    acme, mia = audience.workspace.id, audience.users["mia"]
    audience.cookie("mia")
    session = mia.sessions.get()
    stream = hub.open(Subscriber(mia.id, session.id, frozenset()))
    hub.on_changes(1, [Reference("member", uuid4(), acme, "created").stored()])

    until(lambda: stream.subscriber.workspace_ids == {acme})
