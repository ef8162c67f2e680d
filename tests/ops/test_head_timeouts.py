"""The sweep that ends connections which wait too long for a head."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import gevent
import pytest

from ops.client_connection import ClientConnection
from ops.head_timeouts import AT_ONCE, STOP_AFTER_SECONDS, HeadTimeouts

SHORT, LONG = 0.05, 60.0

Pair = tuple[ClientConnection, socket.socket]


@pytest.fixture
def connect() -> Iterator[Callable[[HeadTimeouts], Pair]]:
    """`connect(timeouts)` is a connection that has begun to wait, and the socket of its client."""
    with ExitStack() as stack:

        def pair(timeouts: HeadTimeouts, *, answered: bool = False) -> Pair:
            own, other = (stack.enter_context(each) for each in socket.socketpair())
            connection = ClientConnection(own, "client", lambda _: None)
            connection.timeouts, connection.answered = timeouts, answered
            timeouts.begin(connection)
            return connection, other

        yield pair


def is_ended(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False


@pytest.mark.parametrize(
    ("head_seconds", "idle_seconds", "answered", "first_byte", "ends"),
    [
        (SHORT, LONG, False, False, True),
        (SHORT, LONG, False, True, True),
        (SHORT, LONG, True, False, False),
        (SHORT, LONG, True, True, True),
        (LONG, SHORT, True, False, True),
        (LONG, SHORT, True, True, False),
        (LONG, SHORT, False, False, False),
    ],
)
def test_the_time_of_a_head_begins_with_its_first_byte(
    connect: Callable[..., Pair], head_seconds: float, idle_seconds: float, answered: bool, first_byte: bool, ends: bool
) -> None:
    timeouts = HeadTimeouts(head_seconds, idle_seconds)
    connection, client = connect(timeouts, answered=answered)
    if first_byte:
        client.sendall(b"G")
        connection.recv(1)

    time.sleep(2 * SHORT)
    timeouts.sweep()

    assert is_ended(client) is ends


def test_a_slow_head_gets_no_more_time_for_further_bytes(connect: Callable[..., Pair]) -> None:
    timeouts = HeadTimeouts(SHORT, LONG)
    connection, client = connect(timeouts)
    for byte in (b"G", b"E"):
        client.sendall(byte)
        connection.recv(1)
        time.sleep(SHORT)

    timeouts.sweep()

    assert is_ended(client)


def test_a_head_that_is_read_during_the_sweep_came_in_time(connect: Callable[..., Pair]) -> None:
    timeouts = HeadTimeouts(SHORT, LONG)
    connection, client = connect(timeouts)
    time.sleep(2 * SHORT)

    gevent.spawn(connection.end_head)
    timeouts.sweep()

    assert not is_ended(client)


def test_connections_that_began_together_are_ended_a_few_at_a_time(connect: Callable[..., Pair]) -> None:
    timeouts = HeadTimeouts(SHORT, LONG)
    clients = [connect(timeouts)[1] for _ in range(2 * AT_ONCE + 1)]
    seen: list[int] = []

    def others() -> None:
        while True:
            seen.append(sum(map(is_ended, clients)))
            gevent.sleep(0)

    time.sleep(2 * SHORT)
    others_run = gevent.spawn(others)
    timeouts.sweep()
    others_run.kill()

    assert set(seen) >= {0, AT_ONCE, 2 * AT_ONCE}
    assert all(map(is_ended, clients))


def test_a_stop_ends_waiting_connections_except_new_ones(connect: Callable[..., Pair]) -> None:
    timeouts = HeadTimeouts(LONG, LONG)
    (_, silent), (_, idle) = connect(timeouts), connect(timeouts, answered=True)
    time.sleep(STOP_AFTER_SECONDS + SHORT)
    _, new = connect(timeouts, answered=True)

    timeouts.stop()

    assert is_ended(silent)
    assert is_ended(idle)
    assert not is_ended(new)


def test_bytes_that_arrive_on_an_ended_connection_are_dropped(connect: Callable[..., Pair]) -> None:
    connection, client = connect(HeadTimeouts(LONG, LONG))
    client.sendall(b"GET / HTTP/1.1\r\n\r\n")

    connection.end()

    assert connection.recv(100) == b""
