"""Lines of large audiences: in slices, in order, and only to streams that still belong to the audience."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID, uuid4

import peewee
import pytest

from inbox.config.settings import Settings
from inbox.domain.values import ids
from inbox.live.fan_out import SLICE, FanOut
from inbox.live.hub import Hub
from inbox.live.stream import Stream, Subscriber
from tests.live.web import until

MANY = 2 * SLICE + 1


@pytest.fixture
def hub(ground: peewee.Database, settings: Settings) -> Iterator[Hub]:
    """Without the other threads: the access check would end streams of nobody."""
    hub = Hub(settings.redis_url)
    thread = threading.Thread(target=hub._fan_out.run)
    thread.start()
    yield hub
    hub.stop()
    thread.join()


def opened(hub: Hub, workspace_id: UUID, count: int) -> list[Stream]:
    return [hub.open(Subscriber(uuid4(), uuid4(), frozenset({workspace_id}))) for _ in range(count)]


def change(workspace_id: UUID, number: int) -> dict[str, Any]:
    workspace = ids.encode("wsp", workspace_id)
    return {
        "to": workspace,
        "type": "incident",
        "id": f"inc_{number}",
        "workspaceId": workspace,
        "op": "changed",
        "rev": 1,
    }


def send(hub: Hub, workspace_id: UUID, *numbers: int) -> None:
    for number in numbers:
        hub.on_changes(number, [change(workspace_id, number)])


@pytest.mark.parametrize("count", [SLICE, SLICE + 1, MANY])
def test_every_stream_of_an_audience_gets_a_line(hub: Hub, count: int):
    workspace_id = uuid4()
    streams = opened(hub, workspace_id, count)

    send(hub, workspace_id, 1)

    until(lambda: all(len(stream.mailbox) == 1 for stream in streams))


def test_a_stream_that_has_left_the_audience_gets_no_line_that_waits_for_it(hub: Hub):
    workspace_id = uuid4()
    *others, leaving = opened(hub, workspace_id, MANY)
    with hub._lock:  # the thread waits for it
        send(hub, workspace_id, 1)
        hub.update_access(leaving, Subscriber(leaving.subscriber.user_id, uuid4(), frozenset()))

    until(lambda: all(len(stream.mailbox) == 1 for stream in others))
    assert b"inc_1" not in leaving.mailbox.take(0)


def test_lines_of_a_shrunken_audience_do_not_overtake_waiting_lines(hub: Hub):
    workspace_id = uuid4()
    first, *others = opened(hub, workspace_id, SLICE + 1)
    with hub._lock:
        send(hub, workspace_id, 1)
        others[-1].close()
        hub._windows.clear()  # the next change is sent at once
        send(hub, workspace_id, 2)

    until(lambda: len(first.mailbox) == 2)
    taken = first.mailbox.take(0)
    assert taken.index(b"inc_1") < taken.index(b"inc_2")


class Recorder:
    """What a fan-out sends. It fails once while `fails` is set."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, int, Sequence[bytes]]] = []
        self.fails = False

    def send(self, audience: str, streams: Sequence[Stream], lines: Sequence[bytes]) -> None:
        if self.fails:
            self.fails = False
            raise ValueError
        self.sent.append((audience, len(streams), lines))


@pytest.fixture
def recorder() -> Iterator[tuple[Recorder, FanOut]]:
    recorder = Recorder()
    fan_out = FanOut(recorder.send)
    thread = threading.Thread(target=fan_out.run)
    thread.start()
    yield recorder, fan_out
    fan_out.stop()
    thread.join()


def test_a_slice_has_at_most_so_many_streams(hub: Hub, recorder: tuple[Recorder, FanOut]):
    sent, fan_out = recorder
    streams = opened(hub, uuid4(), MANY)

    fan_out.add("wsp_1", streams, [b"1"])
    fan_out.add("wsp_1", streams[:1], [b"2"])

    until(lambda: not fan_out.is_busy)
    assert sent.sent == [
        ("wsp_1", SLICE, [b"1"]),
        ("wsp_1", SLICE, [b"1"]),
        ("wsp_1", 1, [b"1"]),
        ("wsp_1", 1, [b"2"]),
    ]


def test_a_failed_slice_does_not_stop_the_next_one(hub: Hub, recorder: tuple[Recorder, FanOut]):
    sent, fan_out = recorder
    sent.fails = True

    fan_out.add("wsp_1", opened(hub, uuid4(), SLICE + 1), [b"1"])

    until(lambda: not fan_out.is_busy)
    assert sent.sent == [("wsp_1", 1, [b"1"])]
