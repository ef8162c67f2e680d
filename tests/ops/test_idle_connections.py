"""How long a connection waits for its first head and for its next one."""

from __future__ import annotations

from collections.abc import Iterator

import gevent
import pytest

from inbox.settings import Settings
from ops.waiting import Waiting
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


def test_idle_connections_outlive_those_of_proxies() -> None:
    assert IDLE_SECONDS > 120  # Caddy's; nginx and Traefik close earlier


def ends_itself(waiting: Waiting, *, first_byte: bool) -> bool:
    """Whether the wait is over long before the minute that a connection is silent."""
    with gevent.Timeout(5, False):
        with waiting:
            if first_byte:
                waiting.begin_head()
                waiting.begin_head()
            gevent.sleep(60)
        return True
    return False


@pytest.mark.parametrize(
    ("head_seconds", "idle_seconds", "first_byte", "ends"),
    [(0.05, None, False, True), (0.05, 60.0, False, False), (0.05, 60.0, True, True), (60.0, 0.05, False, True)],
)
def test_the_time_of_a_head_begins_with_its_first_byte(
    head_seconds: float, idle_seconds: float | None, first_byte: bool, ends: bool
) -> None:
    assert ends_itself(Waiting(head_seconds, idle_seconds, set()), first_byte=first_byte) is ends


def test_a_head_that_is_left_to_gunicorn_has_the_rest_of_its_time() -> None:
    begun, short, long = Waiting(0.05, 60.0, set()), Waiting(0.05, None, set()), Waiting(60.0, None, set())
    with begun:
        begun.begin_head()
    gevent.sleep(0.1)

    assert ends_itself(begun.rest(), first_byte=False)
    assert ends_itself(short.rest(), first_byte=False)
    assert not ends_itself(long.rest(), first_byte=False)
