"""The webhook receiver of the measurements: it counts and names webhooks, and answers at once or later."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.programs import Program

A_DAY = 86_400.0


@contextmanager
def sent(receiver: Program, *titles: str) -> Iterator[list[socket.socket]]:
    """Open connections. A webhook was sent over each."""
    port = receiver.read_line()["port"]
    connections = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in titles]
    try:
        for connection, title in zip(connections, titles, strict=True):
            body = json.dumps({"title": title}).encode()
            connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        yield connections
    finally:
        for connection in connections:
            connection.close()


def received(receiver: Program, count: int) -> list[tuple[float, str]]:
    """The arrivals, when so many webhooks have come."""
    arrivals: list[tuple[float, str]] = []
    while len(arrivals) < count:
        arrivals += receiver.request("")["arrivals"]
    return arrivals


def test_a_receiver_answers_at_once_and_names_received_ids() -> None:
    with Program("receiver") as receiver, sent(receiver, "one", "two") as connections:
        answers = [connection.recv(65_536) for connection in connections]

        assert all(answer.startswith(b"HTTP/1.1 204 ") for answer in answers)
        assert sorted(title for _, title in received(receiver, 2)) == ["one", "two"]
        assert receiver.request("") == {"count": 2, "arrivals": []}


def test_a_slow_receiver_answers_after_its_time_and_not_before() -> None:
    with Program("receiver", answer_after=0.2) as receiver, sent(receiver, "one") as (connection,):
        answer, answered_at = connection.recv(65_536), time.monotonic()
        ((arrived_at, _),) = received(receiver, 1)

        assert answer.startswith(b"HTTP/1.1 204 ")
        assert answered_at - arrived_at >= 0.2


def test_a_slow_receiver_takes_other_webhooks_while_answers_wait() -> None:
    with Program("receiver", answer_after=A_DAY) as receiver, sent(receiver, "one", "two", "three"):
        assert {title for _, title in received(receiver, 3)} == {"one", "two", "three"}


def test_a_slow_receiver_survives_a_caller_that_disconnects() -> None:
    with Program("receiver", answer_after=0.2) as receiver, sent(receiver, "gone", "patient") as (gone, patient):
        received(receiver, 2)
        gone.close()

        assert patient.recv(65_536).startswith(b"HTTP/1.1 204 ")
        assert receiver.request("")["count"] == 2
