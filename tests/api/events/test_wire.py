"""Events on the wire, through a real gunicorn worker without a test client (threats T14 and T15)."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import orjson
import psycopg2
import pytest

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.models.events.tables import Event, IdempotencyRecord
from tests.api.events.senders import event, until
from tests.api.events.wire import CAP, GOOD, Wire, chunks, head, sent
from tests.cast import Cast
from tests.live.web import Web


def types() -> list[str | None]:
    return [stored.type for stored in Event.select()]


def test_a_connection_carries_many_requests(wire: Wire, cast: Cast) -> None:
    for number in range(5):
        assert sent(wire, cast.key, orjson.dumps(event(title=f"{number}"))).status == 202
    assert sent(wire, cast.key, orjson.dumps(event(title=""))).problem["code"] == "validation_failed"
    assert sent(wire, cast.key).status == 202
    assert Event.select().count() == 6


@pytest.mark.parametrize("over", [0, 1])
def test_the_cap_is_counted_in_chunked_bodies_too(wire: Wire, cast: Cast, over: int) -> None:
    body = GOOD + b" " * (CAP + over - len(GOOD))
    wire.send(head(cast.key, "Transfer-Encoding: chunked"), *chunks(body))

    arrived = wire.receive()

    if over:
        assert (arrived.status, arrived.problem["code"]) == (413, "payload_too_large")
        assert types() == ["webhook.refused"], "the report of the refusal alone"
    else:
        assert arrived.status == 202


def test_good_json_before_too_many_spaces_is_too_large_and_not_cut(wire: Wire, cast: Cast) -> None:
    body = GOOD + b" " * (5 * 1024 * 1024)
    wire.send(head(cast.key, "Transfer-Encoding: chunked"))
    with suppress(OSError):
        wire.send(*chunks(body))
    assert wire.receive().status == 413
    assert types() == ["webhook.refused"], "the report of the refusal alone"


def test_an_announced_length_over_the_cap_is_refused_before_it_is_sent(wire: Wire, cast: Cast) -> None:
    wire.send(head(cast.key, f"Content-Length: {CAP + 1}"))
    assert wire.receive().problem["code"] == "payload_too_large"


def test_a_bad_key_is_refused_before_the_body_is_sent(wire: Wire) -> None:
    wire.send(head("svc_src_x", "Content-Length: 1000"))
    assert wire.receive().problem["code"] == "unauthenticated"


def test_a_request_with_two_credentials_is_unauthenticated(wire: Wire, cast: Cast) -> None:
    assert sent(wire, cast.key, GOOD, f"Authorization: Bearer {cast.key}").status == 401
    assert Event.select().count() == 0


@pytest.mark.parametrize("value", ["\xe9", "\xff" * 40, "Bearer \xe9", "Bearer \x80"], ids=range(4))
def test_odd_bytes_in_the_credential_are_unauthenticated(wire: Wire, value: str) -> None:
    lines = ("POST /v1/events HTTP/1.1", "Host: inbox", f"Authorization: {value}", "Content-Length: 0", "", "")
    wire.send("\r\n".join(lines).encode("latin-1"))
    assert wire.receive().status == 401


@pytest.mark.parametrize(
    ("lines", "rest", "statuses"),
    [
        (("Transfer-Encoding: gzip, chunked",), b"0\r\n\r\n", {415, 501}),
        (("Transfer-Encoding: chunked", "Content-Length: 3"), b"0\r\n\r\n", {400}),
        (("Content-Length: 3", "Content-Length: 4"), b"{}  ", {400}),
        (("Content-Length: -1",), b"", {400}),
        (("Content-Length: +5",), b"{}   ", {400}),
        (("Transfer-Encoding: chunked",), b"zz\r\n{}\r\n0\r\n\r\n", {400}),
        (("Transfer-Encoding: chunked",), b"2\r\n{}XX0\r\n\r\n", {400}),
        (("Content-Length: 2", "Content-Encoding: gzip"), b"{}", {415}),
    ],
)
def test_odd_framing_is_refused_as_a_problem(
    wire: Wire, cast: Cast, lines: tuple[str, ...], rest: bytes, statuses: set[int]
) -> None:
    wire.send(head(cast.key, *lines) + rest)
    arrived = wire.receive()
    assert arrived.status in statuses
    assert arrived.problem["status"] == arrived.status
    assert Event.select().count() == 0


def test_a_body_that_is_cut_off_stores_nothing(wire: Wire, web: Web, cast: Cast) -> None:
    wire.send(head(cast.key, "Content-Length: 4000") + GOOD)
    wire.socket.shutdown(socket.SHUT_WR)
    assert wire.receive().status == 400
    assert Event.select().count() == 0
    with closing(Wire(web)) as other:
        assert sent(other, cast.key).status == 202


def test_concurrent_requests_of_a_gevent_worker_share_transactions(web: Web, cast: Cast) -> None:
    def run(number: int) -> list[int]:
        with closing(Wire(web)) as wire:
            return [sent(wire, cast.key, GOOD, f"Idempotency-Key: {number}-{index}").status for index in range(20)]

    with ThreadPoolExecutor(32) as pool:
        statuses = [status for found in pool.map(run, range(32)) for status in found]

    assert statuses == [202] * 640
    assert Event.select().count() == IdempotencyRecord.select().count() == 640
    transactions = db.execute_sql("SELECT count(DISTINCT xmin::text) FROM received_events").fetchone()[0]
    assert transactions < 320


def test_a_database_that_ends_all_connections_costs_a_try_and_no_event(
    web: Web, cast: Cast, settings: Settings
) -> None:
    stop = threading.Event()

    def run(number: int) -> dict[str, set[int]]:
        seen: dict[str, set[int]] = {}
        with closing(Wire(web)) as wire:
            index = 0
            while not stop.is_set():
                key = f"{number}-{index}"
                seen.setdefault(key, set()).add(status := sent(wire, cast.key, GOOD, f"Idempotency-Key: {key}").status)
                index += status == 202
        return seen

    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(run, number) for number in range(8)]
        with closing(psycopg2.connect(settings.database_url)) as connection, connection.cursor() as cursor:
            for _ in range(5):
                before = Event.select().count()
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'inbox-%'"
                    " AND application_name <> 'inbox-test' AND datname = current_database()"
                )
                connection.commit()
                until(lambda before=before: Event.select().count() > before + 20)
        stop.set()
        seen = {key: statuses for each in running for key, statuses in each.result().items()}

    assert set().union(*seen.values()) <= {202, 503}
    accepted = {key for key, statuses in seen.items() if 202 in statuses}
    assert {record.key for record in IdempotencyRecord.select()} >= accepted
    assert Event.select().count() == IdempotencyRecord.select().count()


def test_neither_keys_nor_event_contents_are_in_the_log(wire: Wire, web: Web, cast: Cast) -> None:
    canary = "canary-7261"
    broken = cast.key[:-1]
    sent(wire, cast.key, orjson.dumps(event(title=canary, dedupKey=cast.key, body=cast.foreign_key)))
    sent(wire, cast.key, orjson.dumps(event(title="", body=canary)), f"Idempotency-Key: {canary}")
    sent(wire, broken, orjson.dumps(event(title=canary)))
    sent(wire, cast.foreign_key, canary.encode())
    wire.send(head(cast.key, "Transfer-Encoding: chunked") + b"zz\r\n" + canary.encode())
    wire.receive()

    log = web.log.read_text()
    assert '"status":422' in log.replace(" ", "")
    for secret in (canary, cast.key, broken, cast.foreign_key, cast.key[8:]):
        assert secret not in log
