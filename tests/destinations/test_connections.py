"""Connections that are kept: how many, for how many places, and which is handed out."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest

from inbox.destinations.connections import IDLE_SECONDS, MAX_ADDRESSES, Connections, Key

Made = Callable[[], tuple[socket.socket, socket.socket]]


@pytest.fixture
def connections() -> Iterator[Connections]:
    connections = Connections()
    yield connections
    connections.close()


@pytest.fixture
def made() -> Iterator[Made]:
    """A connection, ours and the receiver's end; all are closed at the end."""
    ends: list[socket.socket] = []

    def make() -> tuple[socket.socket, socket.socket]:
        pair = socket.socketpair()
        ends.extend(pair)
        return pair

    yield make
    for end in ends:
        end.close()


def place(number: int) -> Key:
    return ("http", "127.0.0.1", number, "localhost")


def test_the_one_that_rested_least_is_handed_out_first_and_each_once(connections: Connections, made: Made) -> None:
    first, second = made()[0], made()[0]
    connections.put(place(1), first)
    connections.put(place(1), second)

    assert [connections.get(place(1)) for _ in range(3)] == [second, first, None]
    assert connections.get(place(2)) is None


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_of_one_place_32_are_kept_and_one_more_is_closed(connections: Connections, made: Made, over: int) -> None:
    socks = [made()[0] for _ in range(IDLE_SECONDS + over)]
    for sock in socks:
        connections.put(place(1), sock)

    assert sum(sock.fileno() < 0 for sock in socks) == max(0, over)
    assert socks[0].fileno() >= 0


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_those_of_the_place_that_was_called_longest_ago_are_closed_when_there_are_more_than_256(
    connections: Connections, made: Made, over: int
) -> None:
    socks = [made()[0] for _ in range(MAX_ADDRESSES + over)]
    for number, sock in enumerate(socks):
        connections.put(place(number), sock)

    assert [sock.fileno() < 0 for sock in socks] == [True] * max(0, over) + [False] * (MAX_ADDRESSES + min(0, over))


def test_a_place_that_is_called_again_is_not_the_one_called_longest_ago(connections: Connections, made: Made) -> None:
    socks = [made()[0] for _ in range(MAX_ADDRESSES)]
    for number, sock in enumerate(socks):
        connections.put(place(number), sock)
    again = connections.get(place(0))
    assert again is socks[0]
    connections.put(place(0), again)

    connections.put(place(MAX_ADDRESSES), made()[0])

    assert (socks[0].fileno() >= 0, socks[1].fileno() < 0) == (True, True)


@pytest.mark.parametrize("act", ["close", "speak"])
def test_one_that_the_other_side_closed_or_spoke_on_is_closed_and_not_handed_out(
    connections: Connections, made: Made, act: str
) -> None:
    good, _ = made()
    bad, theirs = made()
    connections.put(place(1), good)
    connections.put(place(1), bad)

    if act == "close":
        theirs.close()
    else:
        theirs.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

    assert connections.get(place(1)) is good
    assert bad.fileno() < 0


def test_a_place_that_is_forgotten_has_none(connections: Connections, made: Made) -> None:
    mine, other = made()[0], made()[0]
    connections.put(place(1), mine)
    connections.put(place(2), other)

    connections.discard(place(1))
    connections.discard(place(3))

    assert (connections.get(place(1)), mine.fileno() < 0) == (None, True)
    assert connections.get(place(2)) is other
