"""The outgoing client against receivers that are slow, endless or broken."""

from __future__ import annotations

import gzip
import socket
import time
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace

import pytest

from inbox.destinations.bounded_response import BODY_BYTES
from inbox.destinations.http import Client
from inbox.destinations.pools import CallFailed, CallTime, PoolKey, Pools
from inbox.destinations.provider_client import ProviderClient
from inbox.domain.deliveries.delivery import FailureReason
from tests.destinations.http_steps import (
    ANY,
    HEAD,
    _listening_at,
    client,  # noqa: F401
)
from tests.destinations.receivers import Receiver, Request, answer, drip


@pytest.fixture(params=[Client, ProviderClient])
def hasty(request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client whose calls end after half a second."""
    client: Client = request.param(ANY, deadline=0.5)
    yield client
    client.close()


# When it ends


def test_dripped_headers_end_with_the_call(hasty: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD)
        drip(connection, b"X-Drip: on and on\r\n")

    with Receiver(script) as receiver:
        receipt = hasty.post(receiver.url, b"{}", {})

    assert receipt.failure is FailureReason.TIMEOUT
    assert receipt.duration_ms >= 400


def test_a_dripped_body_ends_with_the_call_and_its_status_counts() -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        drip(connection, b"drip")

    with Receiver(script) as receiver:
        exchanged = Client(ANY, deadline=3.0).exchange("POST", receiver.url, {}, b"{}")

    assert (exchanged.receipt.status_code, exchanged.receipt.failure) == (200, None)
    assert exchanged.body.startswith(b"dripdrip")


def test_a_silent_receiver_times_out_with_the_call(hasty: Client) -> None:
    with Receiver(lambda connection, request: receiver.closing.wait(60)) as receiver:
        assert hasty.post(receiver.url, b"{}", {}).failure is FailureReason.TIMEOUT


def test_a_call_of_requests_whose_time_ends_while_it_is_sent_is_timed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=count(0, 60).__next__)  # urllib3 looks at it before and after it sends
    monkeypatch.setattr("urllib3.util.timeout.time", clock)
    with Receiver(answer()) as receiver:
        assert ProviderClient(ANY, deadline=0.5).post(receiver.url, b"{}", {}).failure is FailureReason.TIMEOUT


def test_a_call_whose_time_ends_while_it_is_sent_reads_no_answer() -> None:
    with Receiver(answer()) as receiver:
        pool = Pools().get(PoolKey("http", "127.0.0.1", receiver.port, "127.0.0.1"))
        request = b"POST /hook?a=b HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n"
        for _ in range(2):
            with pytest.raises(CallFailed) as failed:
                pool.call("POST", request, CallTime(5.0, time.monotonic() - 1), BODY_BYTES)
            assert failed.value.failure is FailureReason.TIMEOUT
        assert pool.call("POST", request, CallTime(5.0, time.monotonic() + 20), BODY_BYTES).status == 200
        pool.close()

    assert receiver.connections == 3


def test_a_receiver_that_takes_no_more_of_a_request_times_out_with_the_call(hasty: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert hasty.post(url, b"x" * 20_000_000, {}).failure is FailureReason.TIMEOUT


def test_slow_headers_do_not_extend_the_deadline() -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD)
        time.sleep(0.8)
        connection.sendall(b"X-Drip: on\r\n")
        time.sleep(0.8)
        connection.sendall(b"\r\n")

    with Receiver(script) as receiver:
        assert Client(ANY, deadline=1.0).post(receiver.url, b"{}", {}).failure is FailureReason.TIMEOUT


def test_a_flood_of_interim_answers_is_an_invalid_answer(client: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        while True:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)

    with Receiver(script) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.BAD_RESPONSE


def test_interim_answers_without_end_end_with_the_call(hasty: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        while True:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            time.sleep(0.01)

    with Receiver(script) as receiver:
        assert hasty.post(receiver.url, b"{}", {}).failure is FailureReason.TIMEOUT


def test_a_tls_handshake_that_never_comes_ends_with_the_call() -> None:
    with Receiver(answer()) as receiver, _listening_at("127.0.0.3", receiver.port) as silent:
        receipt = Client(ANY, deadline=0.5).post(f"https://127.0.0.3:{receiver.port}/", b"{}", {})

    assert receipt.failure in (FailureReason.TIMEOUT, FailureReason.TLS_FAILED)
    assert silent.connections == 1


def test_a_receiver_that_does_not_read_the_body_times_out_with_the_call() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1) as unreachable:
        url = f"http://127.0.0.1:{unreachable.getsockname()[1]}/"
        receipt = Client(ANY, deadline=0.5).post(url, b"x" * 20_000_000, {})

    assert receipt.failure is FailureReason.TIMEOUT


# How much it reads


def test_an_endless_body_is_left_after_64_kib(client: Client) -> None:
    sent = 0

    def script(connection: socket.socket, request: Request) -> None:
        nonlocal sent
        connection.sendall(HEAD + b"\r\n")
        while True:
            sent += connection.send(b"x" * 65_536)

    with Receiver(script) as receiver:
        exchanged = client.exchange("POST", receiver.url, {}, b"{}")

    assert exchanged.receipt.status_code == 200
    assert exchanged.body == b"x" * BODY_BYTES
    assert sent < 20_000_000


@pytest.mark.parametrize("piece", [b"X-Much: " + b"y" * 60_000 + b"\r\n", b"X: " + b"y" * 70_000, b"X: y\r\n" * 50_000])
def test_endless_headers_are_an_invalid_answer(client: Client, piece: bytes) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD)
        while True:
            connection.sendall(piece)

    with Receiver(script) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.BAD_RESPONSE


def test_a_packed_answer_is_never_unpacked(client: Client) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    with Receiver(answer(200, bomb, Content_Encoding="gzip")) as receiver:
        exchanged = client.exchange("POST", receiver.url, {}, b"{}")

    assert exchanged.receipt.status_code == 200
    assert exchanged.body == bomb[:BODY_BYTES]


@pytest.mark.parametrize(
    "body", [b"5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\nzz\r\n", b"5\r\nhello\r\nffffffffff\r\n", b"5\r\nhello"]
)
def test_a_chunked_answer_is_read_as_far_as_it_makes_sense(client: Client, body: bytes) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body)

    with Receiver(script) as receiver:
        exchanged = client.exchange("POST", receiver.url, {}, b"{}")
    assert (exchanged.receipt.status_code, exchanged.receipt.failure) == (200, None)
    assert exchanged.body in (b"hello", b"")


@pytest.mark.parametrize(
    ("sent", "trouble"),
    [
        (b"", FailureReason.CONNECTION_LOST),
        (b"SSH-2.0-OpenSSH_9.2\r\n", FailureReason.BAD_RESPONSE),
        (b"HTTP/1.1 abc OK\r\n\r\n", FailureReason.BAD_RESPONSE),
        (b"\x00\xff\x00\xff\r\n\r\n", FailureReason.BAD_RESPONSE),
        (b"HTTP/9.9 200 OK\r\n\r\n", FailureReason.BAD_RESPONSE),
        (b"220 mail.example ESMTP\r\n", FailureReason.BAD_RESPONSE),
    ],
)
def test_a_receiver_that_does_not_speak_http_fails(client: Client, sent: bytes, trouble: FailureReason) -> None:
    with Receiver(lambda connection, request: connection.sendall(sent)) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is trouble


def test_a_connection_that_is_reset_is_lost(client: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")

    with Receiver(script) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.CONNECTION_LOST


def test_a_header_that_would_split_the_request_is_not_sent(client: Client) -> None:
    with Receiver(answer()) as receiver:
        receipt = client.post(receiver.url, b"{}", {"X-A": "b\r\nX-C: d"})

    assert (receipt.failure, len(receiver.hits)) == (FailureReason.UNSENDABLE, 0)
