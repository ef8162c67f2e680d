"""Answers that leave a body unread: every client gets its document, and nobody else waits for what is dropped."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from ops.client_connection import PIECE, ClientConnection, linger
from tests.cast import Cast
from tests.live.web import Web
from tests.ops.raw import answer, connect, ended, head, pieces, pour

pytestmark = pytest.mark.slow

MIB = 1024 * 1024
SIZES = [int(2.1 * MIB), 4 * MIB, 15 * MIB]
LINGER_BYTES = 16 * MIB
IN_FLIGHT = 16 * MIB
"""What the two kernels hold of what nobody has read, and some more."""


@pytest.fixture(scope="module")
def web(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web.start(settings, tmp_path_factory.mktemp("web"), workers=1) as web:
        yield web


def refused(web: Web, lines: list[str], size: int, *, chunked: bool, path: str = "/v1/events") -> tuple[int, str]:
    """Send all of a body before looking at the answer, as most clients do."""
    framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    with connect(web.port, sent=head(path, framing, *lines)) as client:
        for piece in pieces(size, chunked=chunked):
            client.sendall(piece)
        status, problem = answer(client)
    return status, problem["code"]


@pytest.mark.parametrize("connection", ["keep-alive", "close"])
@pytest.mark.parametrize("chunked", [False, True], ids=["announced", "chunked"])
@pytest.mark.parametrize("size", SIZES)
def test_every_client_gets_its_refusal(web: Web, cast: Cast, size: int, chunked: bool, connection: str) -> None:
    ending = f"Connection: {connection}"
    key = f"Authorization: Bearer {cast.key}"

    assert refused(web, [ending], size, chunked=chunked) == (401, "unauthenticated")
    assert refused(web, [ending, key], size, chunked=chunked) == (413, "payload_too_large")
    assert refused(web, [ending, key, "Content-Encoding: gzip"], size, chunked=chunked)[0] == 415
    assert refused(web, [ending], size, chunked=chunked, path="/v1/auth/login") == (413, "payload_too_large")
    assert refused(web, [ending], size, chunked=chunked, path="/nowhere") == (404, "not_found")
    assert web.get("/healthz").status == 200


def test_a_client_that_is_asked_to_retry_gets_the_answer(settings: Settings, tmp_path: Path, cast: Cast) -> None:
    away = replace(settings, database_url="postgresql://nobody@127.0.0.1:1/nothing")
    with Web.start(away, tmp_path, workers=1) as web:
        for connection in ("keep-alive", "close"):
            lines = [f"Connection: {connection}", f"Authorization: Bearer {cast.key}"]
            assert refused(web, lines, 2 * MIB, chunked=False) == (503, "unavailable")
            assert refused(web, lines, 4 * MIB, chunked=True) == (503, "unavailable")


def test_a_connection_stays_usable_after_a_refusal_dropped_its_body(web: Web) -> None:
    with connect(web.port) as client:
        for chunked in (False, True, False):
            framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {MIB}"
            client.sendall(head("/v1/events", framing))
            for piece in pieces(MIB, chunked=chunked, of=10_000):
                client.sendall(piece)
            assert answer(client)[0] == 401

        client.sendall(head("/healthz", method="GET"))
        assert answer(client) == (200, {"status": "ok"})


@pytest.mark.parametrize("framing", ["Content-Length: 9999999999", "Transfer-Encoding: chunked"])
def test_a_sender_that_continues_after_a_refusal_is_cut_off_without_blocking_others(web: Web, framing: str) -> None:
    chunk = b"%x\r\n" % 9_999_999_999 if "chunked" in framing else b""
    taken: list[int] = []

    def send() -> None:
        with connect(web.port, sent=head("/v1/events", framing) + chunk) as client:
            taken.append(pour(client, 512 * MIB))

    senders = [threading.Thread(target=send) for _ in range(4)]
    for sender in senders:
        sender.start()
    while any(sender.is_alive() for sender in senders):
        assert web.get("/healthz").status == 200
    for sender in senders:
        sender.join()

    assert len(taken) == 4
    assert max(taken) < LINGER_BYTES + IN_FLIGHT


def test_a_client_that_sends_no_more_after_a_refusal_is_closed_in_seconds(web: Web) -> None:
    with connect(web.port, sent=head("/v1/events", "Content-Length: 5000000")) as client:
        assert answer(client)[0] == 401
        assert client.recv(1) == b""
        assert ended(client)


def test_a_request_of_http_1_1_names_its_host(web: Web) -> None:
    with connect(web.port, sent=b"GET /healthz HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello") as client:
        status, problem = answer(client)
        assert (status, problem["code"]) == (400, "bad_request")
        assert "Host" in problem["detail"]
        assert client.recv(1) == b""
    with connect(web.port, sent=b"GET /healthz HTTP/1.0\r\n\r\n") as client:
        assert answer(client)[0] == 200


def test_at_most_16_mib_are_read_after_a_refusal() -> None:
    ours, foreign_one = socket.socketpair()
    sender = threading.Thread(target=pour, args=(foreign_one, 4 * LINGER_BYTES))
    connection = ClientConnection(ours, "client", lambda _: None)
    with foreign_one:
        sender.start()
        with ours:
            linger(connection, None, closing=True)
        sender.join()

    assert connection.received < LINGER_BYTES + MIB


def test_other_requests_are_served_while_a_body_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn of the loop alone (`sleep(0)`) does not look at other sockets."""
    ours, foreign_one = socket.socketpair()
    sender = threading.Thread(target=pour, args=(foreign_one, 4 * LINGER_BYTES))
    connection = ClientConnection(ours, "client", lambda _: None)
    pauses = [0]
    monkeypatch.setattr("gevent.sleep", lambda seconds: pauses.append(connection.received) if seconds else None)
    with foreign_one:
        sender.start()
        with ours:
            linger(connection, None, closing=True)
        sender.join()

    assert pauses[-1] > LINGER_BYTES // 2
    assert max(after - before for before, after in pairwise(pauses)) < 2 * PIECE
