"""Timeouts of connections before the first head and between requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inbox.config.settings import Settings
from ops.web import IDLE_SECONDS
from tests.live.web import Web, until
from tests.ops.raw import answer, connect, ended, head

HALF = b"GET /healthz HTTP/1.1\r\nHost: inbox\r\n"
HEAD_SECONDS = 15


@pytest.fixture(scope="module")
def web(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web.start(settings, tmp_path_factory.mktemp("web"), workers=1) as web:
        yield web


@pytest.mark.slow
def test_an_answered_connection_waits_longer_than_one_that_never_sent_a_request(web: Web) -> None:
    request = head("/healthz", method="GET")
    with connect(web.port, sent=request) as idle, connect(web.port) as silent, connect(web.port, sent=request) as half:
        assert answer(idle)[0] == answer(half)[0] == 200
        half.sendall(HALF)
        until(lambda: ended(silent) and ended(half), seconds=4 * HEAD_SECONDS)

        idle.sendall(request)
        assert answer(idle)[0] == 200


def test_idle_connections_outlive_connections_of_proxies() -> None:
    assert IDLE_SECONDS > 120  # Caddy's; nginx and Traefik close earlier
