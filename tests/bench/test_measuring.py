"""The measuring code: counted answers, requests and the table."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import pytest

from bench.alertmanager_bodies import FRACTION
from bench.figures import Measurement, share, table
from bench.load import LatencyRecorder, event, requests
from bench.paced_sender import PacedSender
from inbox.runtime.distribution import ROOT

ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}"
REFUSED = b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 4\r\n\r\nlate"


def test_an_answer_is_complete_when_its_body_is():
    counts = LatencyRecorder()

    assert not counts.complete(ACCEPTED[:20])
    assert not counts.complete(ACCEPTED[:-1])
    assert counts.complete(ACCEPTED)
    assert counts.complete(ACCEPTED)
    assert (counts.answers, counts.refused) == (2, 0)


def test_a_refusal_counts_as_one_though_it_is_as_long_as_an_answer():
    counts = LatencyRecorder()
    counts.complete(ACCEPTED)
    refused = b"HTTP/1.1 503" + ACCEPTED[12:]

    assert counts.complete(refused)
    assert counts.complete(REFUSED)
    assert (counts.answers, counts.refused) == (3, 2)
    assert counts.first_refusal.startswith("HTTP/1.1 503")


def test_an_alert_of_alerta_has_the_text_and_the_key_of_an_event():
    for number, request in enumerate(islice(requests("alerta", [], 50), 60)):
        head, _, body = request.partition(b"\r\n\r\n")
        sent, ours = json.loads(body), event(number % 50)

        assert head.startswith(b"POST /alert ")
        assert head.endswith(b"Content-Length: %d" % len(body))
        assert (sent["resource"], sent["value"], sent["text"]) == (ours["dedupKey"], ours["title"], ours["body"])


@pytest.mark.parametrize(("kind", "events"), [("single", 1), ("batch", 100), ("alert", 1), ("alerts", 100)])
def test_every_request_is_complete_and_has_a_unique_key(kind: str, events: int):
    keys = set()
    for request in islice(requests(kind, ["svc_src_x"], 50), 120):
        head, _, body = request.partition(b"\r\n\r\n")
        headers = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        sent = json.loads(body)

        assert int(headers[b"Content-Length"]) == len(body)
        assert len(sent.get("events", [sent])) == events
        keys.add(headers[b"Idempotency-Key"])

    assert len(keys) == 120


def test_a_webhook_and_our_batch_have_the_same_hundred_alerts_and_no_repeat():
    webhooks, batches = (
        [request.partition(b"\r\n\r\n") for request in islice(requests(kind, ["svc_src_x"], 5_000), 2)]
        for kind in ("alertmanager", "alertmanager_events")
    )
    alerts = [json.loads(body)["alerts"] for _, _, body in webhooks]
    events = [json.loads(body)["events"] for _, _, body in batches]

    assert webhooks[0][0].startswith(b"POST /v1/hooks/alertmanager ")
    assert batches[0][0].startswith(b"POST /v1/events ")
    for head, _, body in (*webhooks, *batches):
        assert f"Content-Length: {len(body)}".encode() in head.splitlines()
    assert [event["externalId"] for event in events[1]] == [alert["fingerprint"] for alert in alerts[1]]
    assert len(events[1]) == 100
    for times in ({each[0]["startsAt"] for each in alerts}, {each[0]["occurredAt"] for each in events}):
        assert len(times) == 2
        assert not any(FRACTION in time for time in times)


def test_each_request_takes_the_next_token():
    heads = [request.partition(b"\r\n\r\n")[0] for request in islice(requests("single", ["a", "b"], 50), 4)]
    tokens = [head.partition(b"Bearer ")[2].partition(b"\r\n")[0] for head in heads]

    assert tokens == [b"a", b"b", b"a", b"b"]


def test_a_share_of_values_is_the_value_below_which_it_lies():
    assert share(range(100), 0.5) == 50
    assert share(range(100), 0.99) == 99
    assert share([], 0.5) == 0.0


def test_the_table_has_a_line_for_each_figure():
    lines = table(
        [Measurement("routing, 1 worker", 12345.6, "events/s"), Measurement("latency", 1.234, "ms", 0.25)]
    ).splitlines()

    assert len(lines) == 3
    assert "12,346" in lines[1]
    assert lines[2].split() == ["latency", "1.23", "ms", "0.25"]


@contextmanager
def stalled_for(seconds: float, status: int = 202) -> Iterator[int]:
    """The port of a server that answers nobody until so long after its first request."""
    open_at, first = threading.Event(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if not first.is_set():
                first.set()
                threading.Timer(seconds, open_at.set).start()
            open_at.wait()
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def test_a_paced_sender_charges_a_stall_to_every_event_that_had_to_wait():
    with stalled_for(1.0) as port:
        found = PacedSender({"port": port, "token": "svc_src_x", "rate": 40, "seconds": 1, "keys": 5}).run()

    assert (found["sent"], found["refused"]) == (40, 0)
    assert found["p50"] > 250  # the clock starts at the planned moments, which spread over the second of the stall


def test_a_paced_sender_counts_refusals():
    with stalled_for(0.0, status=429) as port:
        found = PacedSender({"port": port, "token": "svc_src_x", "rate": 40, "seconds": 0.5, "keys": 5}).run()

    assert (found["sent"], found["refused"]) == (20, 20)
    assert found["first_refusal"].startswith("429")


def test_every_program_that_is_started_is_a_module() -> None:
    """A renamed module would otherwise be missed until somebody measures."""
    named = {
        name: path.name
        for path in (ROOT / "bench").glob("*.py")
        for name in re.findall(r'Program\("(\w+)"', path.read_text())
    }

    assert len(named) > 4
    assert {name: path for name, path in named.items() if not (ROOT / "bench" / f"{name}.py").is_file()} == {}


def test_a_paced_sender_counts_answers_and_takes_keys_in_turn() -> None:
    order = {"tokens": ["svc_src_x", "svc_src_y"], "rate": 20, "seconds": 0.5, "keys": 10}
    with stalled_for(0.0) as port:
        found = PacedSender({"port": port, **order, "prefix": "at 20", "list_answered": True}).run()

    assert sorted(found["answered"]) == sorted(f"at 20: Job {number} failed" for number in range(10))
