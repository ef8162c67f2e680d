"""Both readers of pings understand every message alike, however its bytes arrive (decision 0006)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from inbox.database.base import db
from inbox.models.heartbeats.tables import HeartbeatPing
from tests.api.events.exchanges import (
    DIFFERENT,
    Readers,
    cuts,
    exchange,
    plain_requests_of,
    read_alone,
    statuses,
)
from tests.api.events.wire import Wire
from tests.api.heartbeats.raw_pings import PLAIN_PINGS, UNKNOWN, UNUSUAL_PINGS, ping
from tests.cast import Cast
from tests.heartbeats import make_monitor
from tests.live.web import Web

pytestmark = pytest.mark.slow

Row = tuple[str, int | None, str, str, str]


def filled(message: bytes, token: str) -> bytes:
    return message.replace(b"%TOKEN%", token.encode())


def outcomes(web: Web, message: bytes, token: str, *, waits: bool) -> list[tuple[bytes, list[Row]]]:
    """For each cut the answers without what differs by itself, and the pings that were stored."""
    found = []
    for parts in cuts(filled(message, token)):
        answers = exchange(web, parts, waits=waits)
        rows = [
            (row.kind, row.exit_code, row.method, row.user_agent, row.body)
            for row in HeartbeatPing.select().order_by(HeartbeatPing.id)
        ]
        HeartbeatPing.delete().execute()
        found.append((DIFFERENT.sub(b"*", answers), rows))
    return found


@pytest.mark.parametrize("name", PLAIN_PINGS)
def test_plain_pings_get_the_same_answers_and_are_stored_alike(readers: Readers, cast: Cast, name: str) -> None:
    _, token = make_monitor(cast.source)

    fast = outcomes(readers.fast, PLAIN_PINGS[name], token, waits=True)
    by_gunicorn = outcomes(readers.gunicorn, PLAIN_PINGS[name], token, waits=True)

    assert fast == by_gunicorn
    for answers, rows in fast:
        assert statuses(answers) == [401 if "unknown" in name else 200, 200]
        assert len(rows) == (0 if "unknown" in name else 1)


@pytest.mark.parametrize("name", UNUSUAL_PINGS)
def test_unusual_pings_get_the_same_answers_and_are_stored_alike(readers: Readers, cast: Cast, name: str) -> None:
    _, token = make_monitor(cast.source)

    fast = outcomes(readers.fast, UNUSUAL_PINGS[name], token, waits=False)
    by_gunicorn = outcomes(readers.gunicorn, UNUSUAL_PINGS[name], token, waits=False)

    assert fast == by_gunicorn
    assert all(statuses(answers) for answers, _ in fast)


def test_plain_pings_are_read_without_gunicorn_unless_that_is_switched_off(readers: Readers, cast: Cast) -> None:
    _, token = make_monitor(cast.source)
    for web, read_itself in ((readers.fast, True), (readers.gunicorn, False)):
        before = plain_requests_of(web)
        for message in PLAIN_PINGS.values():
            exchange(web, [filled(message, token)], waits=True)

        assert plain_requests_of(web) - before == read_itself * len(PLAIN_PINGS)


@pytest.mark.parametrize("name", [*PLAIN_PINGS, *UNUSUAL_PINGS])
def test_an_unusual_ping_request_is_passed_to_gunicorn_byte_for_byte(name: str) -> None:
    message = filled({**PLAIN_PINGS, **UNUSUAL_PINGS}[name], UNKNOWN)

    request, left = read_alone(message)

    if name in PLAIN_PINGS:
        assert request is not None
    else:
        assert (request, left) == (None, message)


def test_concurrent_pings_share_transactions_and_none_is_lost(readers: Readers, cast: Cast) -> None:
    tokens = [make_monitor(cast.source, name=f"Job {number}")[1] for number in range(32)]

    def run(token: str) -> list[int]:
        with closing(Wire(readers.fast)) as wire:
            found = []
            for _ in range(10):
                wire.send(filled(ping("Host: inbox"), token))
                found.append(wire.receive().status)
            return found

    with ThreadPoolExecutor(32) as pool:
        assert list(pool.map(run, tokens)) == [[200] * 10] * 32

    assert HeartbeatPing.select().count() == 320
    transactions = db.execute_sql("SELECT count(DISTINCT xmin::text) FROM heartbeat_pings").fetchone()[0]
    assert transactions < 160


def test_no_token_of_a_plain_ping_is_logged(readers: Readers, cast: Cast) -> None:
    _, token = make_monitor(cast.source)
    unknown = UNKNOWN[:-8] + "canary00"
    for web in (readers.fast, readers.gunicorn):
        for sent in (token, unknown):
            exchange(web, [filled(ping("Host: inbox", suffix="/start"), sent)], waits=True)

        log = web.log.read_text()
        assert '"route": "/v1/heartbeats/<token>/<signal>"' in log
        assert token not in log
        assert unknown not in log
