"""Missing and slow bodies: the memory they take, their timeout, and the senders that are admitted."""

from __future__ import annotations

import select
import threading
import time
from contextlib import closing, suppress
from datetime import UTC, datetime

import pytest

from inbox.models.events.tables import Event
from inbox.models.senders.sources import SourceKey
from tests.api.events.wire import CAP, GOOD, Wire, head, sent
from tests.cast import Cast
from tests.live.web import Web

MANAGEMENT_CAP = 1024 * 1024
ANONYMOUS_CAP = 16 * 1024


@pytest.mark.slow
def test_slow_bodies_are_given_up_and_hold_up_nobody(web: Web, cast: Cast) -> None:
    slow = [Wire(web) for _ in range(20)]
    for number, each in enumerate(slow):
        framing = "Transfer-Encoding: chunked" if number % 2 else "Content-Length: 500"
        each.send(head(cast.key, framing) + (b"8\r\n" if number % 2 else b"") + b'{"title"')
    stop = threading.Event()
    dripping = threading.Thread(target=_drip, args=(slow[0], stop))
    dripping.start()

    with closing(Wire(web)) as other:
        assert sent(other, cast.key).status == 202
    for each in slow:
        arrived = each.receive()
        assert (arrived.status, arrived.problem["code"]) == (408, "request_timeout")
        assert each.ended()
        each.close()
    stop.set()
    dripping.join()
    assert Event.select().count() == 1


@pytest.mark.slow
def test_a_body_slower_than_a_kib_a_second_is_given_up_before_a_steady_one_has_come(web: Web, cast: Cast) -> None:
    steady_body = GOOD.ljust(12 * 1024)
    with closing(Wire(web)) as slow, closing(Wire(web)) as steady:
        slow.send(head(cast.key, "Content-Length: 4000") + b"{")
        steady.send(head(cast.key, f"Content-Length: {len(steady_body)}"))
        for start in range(0, len(steady_body), 512):
            time.sleep(0.2)
            steady.send(steady_body[start : start + 512])
            with suppress(OSError):
                slow.send(b" ")
        assert select.select([slow.socket], [], [], 0)[0]
        assert slow.receive().status == 408
        assert steady.receive().status == 202


def _drip(wire: Wire, stop: threading.Event) -> None:
    while not stop.wait(0.5):
        with suppress(OSError):
            wire.send(b" ")


def test_a_body_over_the_memory_limit_is_refused_with_a_retry(web: Web, cast: Cast) -> None:
    body = GOOD + b" " * (CAP - len(GOOD))
    wires = {wire.socket: wire for wire in (Wire(web) for _ in range(3))}
    for wire in wires.values():
        wire.send(head(cast.key, f"Content-Length: {CAP}"), body[:-1])

    answered, _, _ = select.select(wires, [], [], 30)
    with closing(wires.pop(answered[0])) as wire:
        arrived = wire.receive()
        assert (arrived.status, arrived.headers["retry-after"]) == (503, "1")
    for wire in wires.values():
        wire.send(body[-1:])
        assert wire.receive().status == 202
        wire.close()
    with closing(Wire(web)) as wire:
        assert sent(wire, cast.key, body).status == 202


@pytest.mark.parametrize("arrived", [0, 32 * 1024])
def test_bodies_that_are_announced_and_do_not_come_take_no_room(web: Web, cast: Cast, arrived: int) -> None:
    silent = [Wire(web) for _ in range(40)]
    for wire in silent:
        wire.send(head(cast.key, f"Content-Length: {CAP}") + b" " * arrived)
    body = GOOD + b" " * (CAP - len(GOOD))

    with closing(Wire(web)) as wire:
        assert [sent(wire, cast.key, body).status for _ in range(3)] == [202] * 3
    for wire in silent:
        assert wire.receive().status == 408
        wire.close()


@pytest.mark.parametrize("framing", [f"Content-Length: {CAP}", "Transfer-Encoding: chunked"])
def test_a_key_that_is_not_live_is_refused_before_its_body_has_come(
    wire: Wire, web: Web, cast: Cast, framing: str
) -> None:
    with closing(Wire(web)) as other:
        body = GOOD + b" " * (CAP - len(GOOD))
        assert sent(other, cast.key, body).status == 202
        SourceKey.update(revoked_at=datetime.now(UTC)).execute()

        wire.send(head(cast.key, framing))
        if "chunked" in framing:
            wire.send(b"4000\r\n" + b" " * 0x3000)
        assert wire.receive().status == 401
        assert sent(other, cast.key, body).status == 401
    assert Event.select().count() == 1


def request(path: str, *lines: str) -> bytes:
    return "\r\n".join((f"POST {path} HTTP/1.1", "Host: x", "Content-Type: application/json", *lines, "", "")).encode()


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/auth/login", 422), ("/v1/devices/pair", 422), ("/v1/devices/token", 401)]
)
def test_a_body_of_an_anonymous_client_may_have_16_kib(wire: Wire, path: str, status: int) -> None:
    wire.send(request(path, f"Content-Length: {ANONYMOUS_CAP}") + b"{}".ljust(ANONYMOUS_CAP))
    assert wire.receive().status == status

    wire.send(request(path, f"Content-Length: {ANONYMOUS_CAP + 1}"))
    assert wire.receive().status == 413


def test_an_anonymous_request_is_refused_before_its_body_arrives(wire: Wire) -> None:
    for cookie in ("Cookie: inbox_session_8080=made-up", "X-Nothing: 1"):
        wire.send(request("/v1/rules", f"Content-Length: {MANAGEMENT_CAP}", cookie))
        assert wire.receive().status == 401
        wire.send(b" " * MANAGEMENT_CAP)


def test_a_signed_in_person_may_send_a_body_of_one_mebibyte(wire: Wire, cast: Cast) -> None:
    cookie = f"Cookie: inbox_session_8080={cast.cookie('olga')}"
    wire.send(request("/v1/rules", f"Content-Length: {MANAGEMENT_CAP}", cookie) + b"{}".ljust(MANAGEMENT_CAP))
    assert wire.receive().status == 422
