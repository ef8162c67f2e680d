"""The insiders bench: its requests respect the body limits, and its programs measure correctly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from bench import insider_requests as costly
from bench.insider_clients import InsiderClients
from bench.insider_requests import Request
from bench.quiet_neighbour import QuietNeighbour

WORKSPACE, SOURCE, KEY = "wsp_01jh3v6kq2e8rt5y7w9x1z3b5d", "src_01jh3v6kq2e8rt5y7w9x1z3b5d", "svc_src_x"
OF_PEOPLE, OF_SENDERS = 1024 * 1024, 2 * 1024 * 1024

REQUESTS = [
    costly.alertmanager_routes(WORKSPACE),
    costly.alertmanager_silences(WORKSPACE),
    costly.healthchecks_crons(WORKSPACE),
    costly.crontab_lines(WORKSPACE),
    costly.parsed_rule(),
    costly.previewed_rules(WORKSPACE),
    costly.tried_lists(WORKSPACE, SOURCE),
    costly.mapped_zeros(KEY),
    costly.passkey("c"),
    costly.recovered(KEY),
    costly.alerts(KEY),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.path)
def test_a_costly_request_is_json_that_its_address_reads(request_: Request) -> None:
    assert len(request_.body) <= (OF_SENDERS if request_.key else OF_PEOPLE)
    assert isinstance(json.loads(request_.body), dict | list)


@pytest.mark.parametrize("size", [60_000, 970_000])
def test_a_long_match_has_about_the_size_that_was_named(size: int) -> None:
    assert 0.8 * size < len(json.dumps(costly.long_match(size), ensure_ascii=False)) <= 1.2 * size


def test_a_mapping_has_hundreds_of_paths() -> None:
    assert json.dumps(costly.MAPPING).count("{@[*].") == 480


class Service(BaseHTTPRequestHandler):
    """Answers 200 to reads and 202 to events, and 503 to every third request where `unsteady`."""

    unsteady: ClassVar[bool] = False
    count: ClassVar[int] = 0

    def do_GET(self) -> None:
        self._answer(200)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(202)

    def _answer(self, status: int) -> None:
        type(self).count += 1
        self.send_response(503 if self.unsteady and self.count % 3 == 0 else status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def service(*, unsteady: bool = False) -> Iterator[int]:
    handler = type("Service", (Service,), {"unsteady": unsteady, "count": 0})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_each_client_sends_at_least_once_and_stops_by_itself() -> None:
    with service() as port:
        order = {"port": port, "cookie": "a=b", "request": ["POST", "/x", "{}", ""], "clients": 4, "seconds": 0}
        assert InsiderClients(order).run()["answers"] == {"202": 4}


@pytest.mark.parametrize(("unsteady", "failed"), [(False, 0), (True, 6)])
def test_a_quiet_neighbour_counts_failed_requests(unsteady: bool, failed: int) -> None:
    with service(unsteady=unsteady) as port:
        about = {"cookie": "a=b", "workspace": WORKSPACE, "token": KEY, "patience": 10, "prefix": "p"}
        found = QuietNeighbour({"port": port, "rate": 100, "seconds": 0.1, **about}).run()

    assert found["reads"]["count"] == found["events"]["count"] == 10
    assert found["reads"]["failed"] + found["events"]["failed"] == failed
    assert len(found["sent"]) == 10 - found["events"]["failed"]
