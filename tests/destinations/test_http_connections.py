"""Connections that the outgoing client keeps, loses and shares between threads."""

from __future__ import annotations

import itertools
import socket
from concurrent.futures import ThreadPoolExecutor

from inbox.destinations.http import Client
from inbox.domain.deliveries.delivery import FailureReason
from tests.destinations.http_steps import (
    ANY,
    HEAD,
    client,  # noqa: F401
)
from tests.destinations.receivers import Receiver, Request, answer, names

# Connections that are kept


def test_a_connection_is_kept_for_the_next_call(client: Client) -> None:
    with Receiver(answer(200, b"ok")) as receiver:
        for _ in range(5):
            client.post(receiver.url, b"{}", {})

    assert (len(receiver.hits), receiver.connections) == (5, 1)


def test_a_connection_is_not_shared_between_names() -> None:
    with Receiver(answer()) as receiver:
        client = Client(ANY, resolver=names(a=["127.0.0.1"], b=["127.0.0.1"]))
        for name in ("a", "b", "a", "b"):
            client.post(f"http://{name}:{receiver.port}/", b"{}", {})

    assert receiver.connections == 2


def test_a_kept_connection_that_the_receiver_closed_is_not_its_answer(client: Client) -> None:
    """The race of a receiver that closes an idle connection just as the next request leaves."""

    def script(connection: socket.socket, request: Request) -> bool:
        if request.body == b"close" and len(receiver.hits) == 2:
            return False
        connection.sendall(HEAD + b"Content-Length: 0\r\n\r\n")
        return True

    with Receiver(script) as receiver:
        receipts = [client.post(receiver.url, body, {}) for body in (b"first", b"close")]

    assert [receipt.status_code for receipt in receipts] == [200, 200]
    assert [hit.body for hit in receiver.hits] == [b"first", b"close", b"close"]


def test_a_new_connection_that_is_lost_is_not_asked_again(client: Client) -> None:
    with Receiver(lambda connection, request: None) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.CONNECTION_LOST

    assert len(receiver.hits) == 1


def test_a_hundred_threads_share_one_client_and_each_gets_its_own_answer(client: Client) -> None:
    def echo(connection: socket.socket, request: Request) -> bool:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(request.body) + request.body)
        return True

    with Receiver(echo) as one, Receiver(echo) as two, ThreadPoolExecutor(100) as threads:
        bodies = [f"{number}".encode() for number in range(600)]
        urls = itertools.cycle([one.url, two.url])
        answers = list(threads.map(lambda body, url: client.exchange("POST", url, {}, body), bodies, urls))

    assert [each.body for each in answers] == bodies
    assert len(one.hits) == len(two.hits) == 300
