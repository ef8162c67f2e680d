"""Idle connections: the maximum per address, eviction, and the limits of a head and an answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from ops.client_connection import ClientConnection
from ops.connection_limits import ConnectionLimits, client_of
from tests.cast import Cast
from tests.live.web import Web, follow_as, until
from tests.ops.raw import answer, connect, ended, head, was_reset

HALF = b"GET /healthz HTTP/1.1\r\nHost: inbox\r\n"
PER_ADDRESS = 8


@pytest.fixture(scope="module")
def web(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """One process that lets an address hold eight connections."""
    chosen = replace(settings, connections_per_address=PER_ADDRESS)
    with Web.start(chosen, tmp_path_factory.mktemp("web"), workers=1) as web:
        yield web


@pytest.mark.slow
def test_the_oldest_half_sent_heads_of_an_address_give_way_to_its_new_connections(web: Web) -> None:
    with ExitStack() as stack:
        half = [stack.enter_context(connect(web.port, sent=HALF)) for _ in range(4 * PER_ADDRESS)]
        elsewhere = stack.enter_context(connect(web.port, source="127.0.0.9", sent=HALF))
        half += [stack.enter_context(connect(web.port, sent=HALF)) for _ in range(PER_ADDRESS)]

        assert web.get("/healthz").status == 200
        until(lambda: sum(not ended(client) for client in half) < PER_ADDRESS)
        elsewhere.sendall(b"\r\n")
        assert answer(elsewhere)[0] == 200


@pytest.mark.slow
def test_connections_that_served_a_request_give_way_last(web: Web) -> None:
    with ExitStack() as stack:
        sender = stack.enter_context(connect(web.port, sent=head("/healthz", method="GET")))
        assert answer(sender)[0] == 200
        for _ in range(3 * PER_ADDRESS):
            stack.enter_context(connect(web.port, sent=HALF))
        sender.sendall(head("/healthz", method="GET"))

        assert answer(sender)[0] == 200


@pytest.mark.slow
def test_a_client_with_busy_connections_at_its_maximum_is_refused_with_a_retry_time(web: Web, cast: Cast) -> None:
    key = f"Authorization: Bearer {cast.key}"
    half = head("/v1/events", "Content-Length: 4000", key) + b" " * 3000
    with ExitStack() as stack:
        at_work = [stack.enter_context(connect(web.port, source="127.0.0.8", sent=half)) for _ in range(PER_ADDRESS)]

        def refused() -> bool:
            with connect(web.port, source="127.0.0.8", sent=HALF) as client:
                status, problem = answer(client)
                return (status, problem["code"]) == (429, "rate_limited")

        until(refused)
        at_work[0].sendall(b" " * 1000)
        assert answer(at_work[0])[0] == 400
        assert web.get("/healthz").status == 200


@pytest.mark.slow
def test_streams_are_counted_apart(web: Web, cast: Cast) -> None:
    with ExitStack() as stack:
        streams = [stack.enter_context(follow_as(web, cast, "mia")) for _ in range(PER_ADDRESS + 1)]
        for _ in range(3 * PER_ADDRESS):
            stack.enter_context(connect(web.port, sent=HALF))

        assert web.get("/healthz").status == 200
        assert not any(stream.ended.is_set() for stream in streams)


@pytest.mark.slow
def test_a_head_without_an_end_is_refused_before_it_is_large(web: Web) -> None:
    lines = "".join(f"X-{number}: {'a' * 4000}\r\n" for number in range(25))
    with connect(web.port, sent=HALF + lines.encode()) as client:
        assert answer(client)[0] == 431


@pytest.mark.slow
def test_a_client_that_does_not_read_its_answers_is_cut_off(web: Web) -> None:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    client.connect(("127.0.0.1", web.port))
    with client:
        client.sendall(head("/v1/openapi.json", method="GET") * 20)
        until(lambda: was_reset(client))


@pytest.mark.slow
def test_an_address_behind_a_proxy_has_no_connection_limit(settings: Settings, tmp_path: Path) -> None:
    chosen = replace(settings, connections_per_address=PER_ADDRESS, trusted_proxies=1)
    with Web.start(chosen, tmp_path, workers=1) as web, ExitStack() as stack:
        half = [stack.enter_context(connect(web.port, sent=HALF)) for _ in range(3 * PER_ADDRESS)]

        assert web.get("/healthz").status == 200
        # A head has 15 seconds in all, which the first ones may have used up by now.
        assert not any(ended(client) for client in half[-2 * PER_ADDRESS :])


def test_the_kernel_holds_little_of_an_answer_that_nobody_reads() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(listener.getsockname())
        ours, _ = listener.accept()
        with ours:
            ClientConnection(ours, "127.0.0.1", lambda connection: None)
            ours.setblocking(False)
            held = 0
            with pytest.raises(BlockingIOError):
                while True:
                    held += ours.send(b"x" * 65_536)

    assert held <= 512 * 1024


def pair(stack: ExitStack, limits: ConnectionLimits, client: str) -> tuple[ClientConnection, socket.socket]:
    ours, foreign_one = socket.socketpair()
    stack.enter_context(ours)
    stack.enter_context(foreign_one)
    return ClientConnection(ours, client, limits.leave), foreign_one


def test_the_client_with_most_connections_gives_way_in_a_full_process() -> None:
    limits = ConnectionLimits(6, 0)
    with ExitStack() as stack:
        few, few_there = pair(stack, limits, "a")
        many = [pair(stack, limits, "b") for _ in range(5)]
        fresh, _ = pair(stack, limits, "c")

        assert all(limits.admit(connection) for connection in (few, *(ours for ours, _ in many), fresh))

        assert len(limits) == 6
        assert ended(many[0][1])
        assert not any(ended(there) for there in (few_there, *(there for _, there in many[1:])))


def test_a_process_full_of_busy_connections_refuses_new_ones() -> None:
    limits = ConnectionLimits(2, 0)
    with ExitStack() as stack:
        first, second, third = (pair(stack, limits, name)[0] for name in "abc")
        for connection in (first, second):
            assert limits.admit(connection)
            limits.begin_request(connection)

        assert not limits.admit(third)
        limits.leave(first)
        assert limits.admit(third)


def test_a_connection_that_becomes_a_stream_frees_its_place_once() -> None:
    limits = ConnectionLimits(2, 1)
    with ExitStack() as stack:
        stream, later = (pair(stack, limits, "a")[0] for _ in range(2))
        assert limits.admit(stream)
        limits.begin_request(stream)
        stream.become_stream()
        assert limits.admit(later)

        limits.leave(stream)

        assert len(limits) == 1


@pytest.mark.parametrize(
    ("address", "client"),
    [
        (("192.0.2.1", 5), "192.0.2.1"),
        (("::ffff:192.0.2.1", 5, 0, 0), "192.0.2.1"),
        (("2001:db8:1:2:3::4", 5, 0, 0), "2001:db8:1:2::/64"),
        (("2001:db8:1:2:ffff::4", 5, 0, 0), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 5, 0, 2), "fe80::/64"),
        ("", ""),
    ],
)
def test_a_client_is_an_ipv4_address_or_a_network_of_ipv6(address: object, client: str) -> None:
    assert client_of(address) == client
