"""The outgoing client and the rules of HTTP/1.1: sent bytes and reused connections."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from inbox.destinations.http import Client
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.addresses import OutboundPolicy
from tests.destinations.receivers import Receiver, Request, answer

HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=20.0)
    yield client
    client.close()


def test_interim_answers_are_passed_over(client: Client) -> None:
    early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    with Receiver(lambda connection, request: connection.sendall(early + HEAD + b"\r\nok")) as receiver:
        exchanged = client.exchange("POST", receiver.url, {}, b"{}")

    assert (exchanged.receipt.status_code, exchanged.body) == (200, b"ok")


@pytest.mark.parametrize(
    "more", [b"Connection: close\r\n\r\nok", b"\r\nok and more", b"\r\nok\r\nHTTP/1.1 401 No\r\n\r\n"]
)
def test_a_connection_that_cannot_serve_again_is_not_kept(client: Client, more: bytes) -> None:
    def script(connection: socket.socket, request: Request) -> bool:
        connection.sendall(HEAD + b"Content-Length: 2\r\n" + more)
        return True

    with Receiver(script) as receiver:
        receipts = [client.post(receiver.url, b"{}", {}) for _ in range(3)]

    assert [receipt.status_code for receipt in receipts] == [200, 200, 200]
    assert receiver.connections == 3


def test_an_unsolicited_response_is_not_taken_for_the_next_answer(client: Client) -> None:
    stated = threading.Event()

    def script(connection: socket.socket, request: Request) -> bool:
        connection.sendall(HEAD + b"Content-Length: 0\r\n\r\n")
        if len(receiver.hits) == 1:
            time.sleep(0.1)
            connection.sendall(b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n")
            stated.set()
        return True

    with Receiver(script) as receiver:
        first = client.post(receiver.url, b"{}", {})
        assert stated.wait(20)
        second = client.post(receiver.url, b"{}", {})

    assert (first.status_code, second.status_code, receiver.connections) == (200, 200, 2)


def test_an_answer_that_comes_before_the_request_is_taken_counts_and_ends_the_connection(client: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as threads:

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1_000)
                connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1_000_000):
                    pass

        refused = threads.submit(refuse)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert client.post(url, b"x" * 5_000_000, {}).status_code == 413
        client.close()
        refused.result(20)


def test_a_path_that_is_not_ascii_is_sent_encoded(client: Client) -> None:
    with Receiver(answer()) as receiver:
        client.post(f'http://127.0.0.1:{receiver.port}/tür%20/a"b?c=ö|', b"{}", {})

    assert receiver.hits[0].path == "/t%C3%BCr%20/a%22b?c=%C3%B6%7C"


@pytest.mark.parametrize(
    ("method", "body", "length"),
    [
        ("POST", b"{}", "2"),
        ("POST", b"", "0"),
        ("POST", None, "0"),
        ("PUT", None, "0"),
        ("GET", None, None),
        ("DELETE", None, None),
        ("GET", b"x", "1"),
    ],
)
def test_a_request_states_its_length_where_its_method_has_a_body(
    client: Client, method: str, body: bytes | None, length: str | None
) -> None:
    with Receiver(answer()) as receiver:
        assert client.exchange(method, receiver.url, {"X-Of": "a person"}, body).receipt.status_code == 200

    (hit,) = receiver.hits
    assert (hit.headers.get("content-length"), hit.headers["x-of"], hit.body) == (length, "a person", body or b"")


def test_a_header_that_http_cannot_carry_is_not_sent(client: Client) -> None:
    with Receiver(answer()) as receiver:
        failure = client.post(receiver.url, b"{}", {"X-Name": "☃"}).failure

    assert (failure, receiver.connections) == (FailureReason.UNSENDABLE, 0)
