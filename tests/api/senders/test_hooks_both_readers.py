"""Both readers of the webhooks of tools understand every message alike, however its bytes arrive (decision 0007)."""

from __future__ import annotations

import pytest

from inbox.models.events.tables import Event
from tests.api.events import raw_messages
from tests.api.events.exchanges import (
    DIFFERENT,
    Readers,
    cuts,
    exchange,
    filled,
    plain_requests_of,
    read_alone,
    runs,
    statuses,
)
from tests.api.events.raw_messages import BODY, RUN, UNUSUAL
from tests.cast import Cast
from tests.live.web import Web

pytestmark = pytest.mark.slow

PAYLOAD = b'{"entity": "run %RUN%", "state": "on"}'.ljust(len(BODY))
PATH = b"/v1/hooks/home_assistant"
SENT = (
    "usual",
    "as curl",
    "slash at the end",
    "behind a proxy",
    "no body",
    "not JSON",
    "large",
    "HTTP in the body",
    "unknown key",
    "other credential",
)
"""The messages of events that are sent as webhooks: plain heads differ in nothing else that a webhook would read."""


def as_webhook(message: bytes) -> bytes:
    return message.replace(b"POST /v1/events", b"POST " + PATH, 1).replace(BODY, PAYLOAD)


PLAIN = {name: as_webhook(message) for name, message in raw_messages.PLAIN.items()}


def outcomes(web: Web, message: bytes, cast: Cast) -> list[tuple[bytes, int]]:
    """For each cut the answers without what differs by itself, and the number of events that were stored."""
    found = []
    for way in range(len(cuts(filled(message, cast.key, RUN)))):
        run = b"%d" % next(runs)
        answers = exchange(web, cuts(filled(message, cast.key, run))[way], waits=True)
        stored = Event.select().where(Event.title.contains(run.decode())).count()
        found.append((DIFFERENT.sub(b"*", answers), stored))
    return found


@pytest.mark.parametrize("name", SENT)
def test_plain_webhooks_get_the_same_answers_and_store_the_same_rows(readers: Readers, cast: Cast, name: str) -> None:
    fast = outcomes(readers.fast, PLAIN[name], cast)
    by_gunicorn = outcomes(readers.gunicorn, PLAIN[name], cast)

    assert fast == by_gunicorn
    for answers, stored in fast:
        first, probe = statuses(answers)
        assert probe == 200  # the connection is kept
        assert stored == (first == 202)


def test_plain_webhooks_are_read_without_gunicorn_unless_that_is_switched_off(readers: Readers, cast: Cast) -> None:
    for web, read_itself in ((readers.fast, True), (readers.gunicorn, False)):
        before = plain_requests_of(web)
        for name in SENT:
            exchange(web, [filled(PLAIN[name], cast.key, b"%d" % next(runs))], waits=True)

        assert plain_requests_of(web) - before == read_itself * len(SENT)


@pytest.mark.parametrize("name", [*PLAIN, *UNUSUAL])
def test_an_unusual_hook_request_is_passed_to_gunicorn_byte_for_byte(name: str) -> None:
    message = filled(PLAIN.get(name) or as_webhook(UNUSUAL[name]), "svc_src_x", RUN)

    request, left = read_alone(message)

    if name in PLAIN:
        assert request is not None
    else:
        assert (request, left) == (None, message)


@pytest.mark.parametrize(("size", "plain"), [(40, True), (41, False)])
def test_a_long_name_of_a_tool_is_not_plain(size: int, plain: bool) -> None:
    head = f"POST /v1/hooks/{'a' * size} HTTP/1.1\r\nHost: a\r\nAuthorization: b\r\nContent-Length: 0\r\n\r\n"

    assert (read_alone(head.encode())[0] is not None) is plain


@pytest.mark.parametrize("path", ["grafana?a=1", "grafana/x", "../events", "grafana%20", ""])
def test_another_path_is_not_plain(path: str) -> None:
    head = f"POST /v1/hooks/{path} HTTP/1.1\r\nHost: a\r\nAuthorization: b\r\nContent-Length: 0\r\n\r\n"

    assert read_alone(head.encode())[0] is None
