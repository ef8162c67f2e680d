"""The abuse bench: its hostile clients are limited, and its bodies match their descriptions."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import orjson
import pytest

from bench.hostile import Flood
from bench.hostile_bodies import EACH, SIZES, all_bodies, run
from bench.newcomers import load


def test_the_fifty_abusive_bodies_fit_the_limit_of_the_management_api():
    made = all_bodies()

    assert len(made) == len(set(made)) == 50
    assert max(map(len, made)) <= 1024 * 1024
    assert min(map(len, made)) < SIZES[0]


def test_most_hostile_bodies_are_json_so_that_they_pass_the_parser():
    def parses(body: bytes) -> bool:
        try:
            orjson.loads(body)
        except orjson.JSONDecodeError:
            return False
        return True

    assert sum(map(parses, all_bodies())) >= 40


@pytest.mark.parametrize("kind", ["silent", "half_heads", "slow", "pour"])
def test_a_flood_ends_after_its_time_and_counts_its_connections(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        order = {"port": port, "kind": kind, "connections": 3, "seconds": 0.2, "heads": ["x"], "sources": ["127.0.0.1"]}
        Flood(order).run()

    ready, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert ready == {"ready": 3}
    assert result == {"opened": 3, "answers": {}, "largest": 0}


DOCUMENT = {"paths": {"/v1/rules/{ruleId}": {"get": {}, "patch": {}, "parameters": []}, "/v1/events": {"post": {}}}}


class Service(BaseHTTPRequestHandler):
    """Answers the document, and 202 to everything else; every second connection is cut off where `unsteady`."""

    connections: ClassVar[int] = 0
    unsteady: ClassVar[bool] = False
    requested: ClassVar[Counter[str]] = Counter()

    def setup(self) -> None:
        super().setup()
        Service.connections += 1

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        if Service.unsteady and Service.connections % 2:
            self.close_connection = True
            return
        Service.requested[f"{self.command} {self.path}"] += 1
        body = orjson.dumps(DOCUMENT if self.path == "/v1/openapi.json" else {})
        self.send_response(200 if self.command == "GET" else 202)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PATCH = do_GET

    def log_message(self, *values: object) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[int]:
    """The port of a service that counts."""
    Service.connections, Service.unsteady, Service.requested = 0, False, Counter()
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def bodies_order(port: int, seconds: float) -> dict[str, Any]:
    return {"port": port, "seconds": seconds, "cookie": "c", "tokens": ["t"], "key": "k"}


def test_every_operation_of_the_document_gets_fifty_bodies_and_they_are_counted(service: int):
    result = run(bodies_order(service, 60.0))

    assert (result["operations"], result["each"], result["unsent"], result["opened"]) == (3, EACH, 0, 3 * EACH)
    del Service.requested["GET /v1/openapi.json"]
    rule = "/v1/rules/rul_01jh3v6kq2e8rt5y7w9x1z3b5d"
    assert Service.requested == {f"GET {rule}": EACH, f"PATCH {rule}": EACH, "POST /v1/events": EACH}


def test_bodies_skipped_for_lack_of_time_are_counted(service: int):
    result = run(bodies_order(service, -1.0))

    assert (result["each"], result["unsent"], result["opened"]) == (0, 3 * EACH, 0)


def test_new_clients_open_a_connection_for_each_event(service: int):
    result = load({"port": service, "connections": 2, "requests": 3, "token": "t", "patience": 10})

    assert result["answers"] == Service.requested["POST /v1/events"] == Service.connections == 6
    assert result["refused"] == 0 and result["p99"] > 0


def test_a_client_whose_connection_is_cut_counts_a_refusal_and_reconnects(service: int):
    Service.unsteady = True
    result = load({"port": service, "connections": 1, "requests": 4, "token": "t", "patience": 10})

    assert (result["refused"], result["answers"], Service.connections) == (2, 2, 4)
