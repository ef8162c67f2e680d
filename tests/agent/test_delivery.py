"""Delivery of the agent: answers after which a request is stored, and two processes that send at once.

Specification 21.3.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agent.client import EVENTS, Away, Blocked, Client, Refused
from agent.delivery import Post, deliver, flush
from agent.spool import Spool
from tests.stand_ins.receivers import Answer, Receiver, Request

ACCEPTED = Answer(202, b'{"events": []}')
PROBLEM = b'{"code": "%s", "detail": "no"}'
PING = "/v1/heartbeats/0"


@pytest.fixture
def instance() -> Iterator[Receiver]:
    with Receiver(ACCEPTED) as started:
        yield started


@pytest.fixture
def client(instance: Receiver) -> Client:
    return Client(f"http://127.0.0.1:{instance.port}", "svc_src_x")


def body(title: str) -> str:
    return json.dumps({"title": title})


def sent(instance: Receiver) -> list[str]:
    return [request.json["title"] for request in instance.requests]


def send(client: Client, spool: Spool, title: str, seconds: float = 0.5) -> object:
    return deliver(client, spool, Post(EVENTS, body(title), "application/json"), seconds)


@contextmanager
def held(spool: Spool, seconds: float) -> Iterator[None]:
    """Another process that sends what waits for so many seconds, at most until the end of the block."""
    has_lock, is_over = threading.Event(), threading.Event()

    def hold() -> None:
        with spool.locked(0) as alone:
            assert alone
            has_lock.set()
            is_over.wait(seconds)

    thread = threading.Thread(target=hold)
    thread.start()
    assert has_lock.wait(10)
    try:
        yield
    finally:
        is_over.set()
        thread.join()


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        *((Answer(status, b"error code: 521"), Away) for status in (301, 429, 501, 503, 520, 521, 522, 530)),
        *((Answer(status, b"404 page not found"), Blocked) for status in (400, 401, 403, 404, 413)),
        (Answer(404, b'{"code": 404}'), Blocked),
        (Answer(200, b"<html>Sign in</html>"), Away),
        *((Answer(status, PROBLEM % b"internal"), Away) for status in (429, 500, 503, 507)),
        (Answer(409, PROBLEM % b"idempotency_in_progress"), Away),
        *((Answer(status, PROBLEM % b"conflict"), Refused) for status in (400, 401, 404, 409, 413, 422)),
    ],
)
def test_only_a_problem_document_is_a_refusal(
    client: Client, instance: Receiver, answer: Answer, fault: type[Exception]
) -> None:
    instance.answer = answer

    with pytest.raises((Away, Refused)) as raised:
        client.post(EVENTS, b"{}")

    assert type(raised.value) is fault


def test_the_plain_ok_of_a_ping_is_a_success(client: Client, instance: Receiver) -> None:
    instance.answer = Answer(200, b"OK")

    assert client.post(PING, b"", "text/plain") == (200, {})


@pytest.mark.parametrize("answer", [Answer(521, b"error code: 521"), Answer(404, b"404 page not found")])
def test_a_proxy_whose_instance_is_down_drops_nothing(
    client: Client, instance: Receiver, spool: Spool, answer: Answer
) -> None:
    instance.answer = answer
    assert [send(client, spool, title) for title in ("first", "second")] == [None, None]
    assert flush(client, spool, 1) is (answer.status == 404)
    assert len(spool.waiting()) == 2

    instance.answer, tried = ACCEPTED, len(instance.requests)
    assert send(client, spool, "third") == {"events": []}
    assert (sent(instance)[tried:], spool.waiting()) == (["first", "second", "third"], [])


def test_a_request_that_a_server_in_front_blocks_holds_no_other(
    client: Client, instance: Receiver, spool: Spool
) -> None:
    instance.answer = lambda request: Answer(403, b"<html>") if b"../etc" in request.body else ACCEPTED
    send(client, spool, "GET ../etc/passwd")

    assert send(client, spool, "Disk full") == {"events": []}

    [waiting] = spool.waiting()
    assert "../etc" in waiting.read_text()


def test_a_new_request_waits_while_another_process_sends(client: Client, instance: Receiver, spool: Spool) -> None:
    spool.add(EVENTS, body("waited"), "application/json")

    with held(spool, 0.3):
        assert send(client, spool, "new", 20) == {"events": []}

    assert (sent(instance), spool.waiting()) == (["waited", "new"], [])


def test_a_lock_that_stays_busy_parks_no_request(client: Client, instance: Receiver, spool: Spool) -> None:
    spool.add(EVENTS, body("waited"), "application/json")

    with held(spool, 30):
        assert send(client, spool, "new", 0.3) == {"events": []}

    assert (sent(instance), len(spool.waiting())) == (["new"], 1)


def test_a_request_that_is_stored_while_others_are_sent_is_sent_as_well(
    client: Client, instance: Receiver, spool: Spool
) -> None:
    def answer(request: Request) -> Answer:
        if request.json["title"] == "first":
            spool.add(EVENTS, body("meanwhile"), "application/json")
        return ACCEPTED

    instance.answer = answer
    spool.add(EVENTS, body("first"), "application/json")

    assert flush(client, spool, 5)
    assert (sent(instance), spool.waiting()) == (["first", "meanwhile"], [])
