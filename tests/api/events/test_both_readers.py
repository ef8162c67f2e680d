"""Both readers of `POST /v1/events` understand every message alike, however its bytes arrive (decision 0007)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inbox.api.senders import ingest
from inbox.models.events.tables import Event
from inbox.models.senders.sources import SourceKey
from ops import plain_requests
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
from tests.api.events.raw_messages import CUT_OFF, PLAIN, RUN, UNUSUAL
from tests.cast import Cast
from tests.live.web import Web, until

pytestmark = pytest.mark.slow


def outcomes(
    web: Web, message: bytes, cast: Cast, *, waits: bool, probes: bool = True
) -> list[tuple[bytes, list[str]]]:
    """For each cut the answers without what differs by itself, and the titles of the events that were stored."""
    found = []
    for way in range(len(cuts(filled(message, cast.key, RUN)))):
        run = b"%d" % next(runs)
        parts = cuts(filled(message, cast.key, run))[way]
        answers = exchange(web, parts, waits=waits, probes=probes)
        titles = sorted(event.title for event in Event.select().where(Event.title.contains(run.decode())))
        found.append((DIFFERENT.sub(b"*", answers), [title.replace(run.decode(), "*") for title in titles]))
    return found


@pytest.mark.parametrize("name", PLAIN)
def test_plain_messages_get_the_same_answers_and_store_the_same_rows(readers: Readers, cast: Cast, name: str) -> None:
    fast = outcomes(readers.fast, PLAIN[name], cast, waits=True)
    by_gunicorn = outcomes(readers.gunicorn, PLAIN[name], cast, waits=True)

    assert fast == by_gunicorn
    assert all(statuses(answers)[-1] == 200 for answers, _ in fast)  # the connection is kept: the probe is answered
    assert all(bool(titles) is (statuses(answers)[0] == 202) for answers, titles in fast)


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_messages_get_the_same_answers_and_store_the_same_rows(readers: Readers, cast: Cast, name: str) -> None:
    fast = outcomes(readers.fast, UNUSUAL[name], cast, waits=False)
    by_gunicorn = outcomes(readers.gunicorn, UNUSUAL[name], cast, waits=False)

    assert fast == by_gunicorn
    assert all(statuses(answers) for answers, _ in fast)


@pytest.mark.parametrize("name", CUT_OFF)
def test_messages_that_are_cut_off_get_the_same_answers_and_store_nothing(
    readers: Readers, cast: Cast, name: str
) -> None:
    fast = outcomes(readers.fast, CUT_OFF[name], cast, waits=False, probes=False)
    by_gunicorn = outcomes(readers.gunicorn, CUT_OFF[name], cast, waits=False, probes=False)

    assert fast == by_gunicorn
    assert all(not titles for _, titles in fast)


def test_plain_messages_are_read_without_gunicorn_unless_that_is_switched_off(readers: Readers, cast: Cast) -> None:
    for web, read_itself in ((readers.fast, True), (readers.gunicorn, False)):
        before = plain_requests_of(web)
        for message in PLAIN.values():
            whole, _, head_and_body, *_ = cuts(filled(message, cast.key, b"%d" % next(runs)))
            for parts in (whole, head_and_body):
                exchange(web, parts, waits=True)

        assert plain_requests_of(web) - before == read_itself * 2 * len(PLAIN)


def test_the_client_of_a_plain_request_is_the_one_that_the_proxy_names(readers: Readers, cast: Cast) -> None:
    before = plain_requests_of(readers.fast)
    exchange(readers.fast, [filled(PLAIN["behind a proxy"], cast.key, RUN)], waits=True)

    until(lambda: SourceKey.get(source_id=cast.source.id).last_used_network is not None)
    assert SourceKey.get(source_id=cast.source.id).last_used_network == "198.51.100.2"
    assert plain_requests_of(readers.fast) == before + 1


@pytest.mark.parametrize("name", [*PLAIN, *UNUSUAL])
def test_an_unusual_event_request_is_passed_to_gunicorn_byte_for_byte(name: str) -> None:
    message = filled({**PLAIN, **UNUSUAL}[name], "svc_src_x", RUN)

    request, left = read_alone(message)

    if name in PLAIN:
        assert request is not None
    else:
        assert (request, left) == (None, message)


def every_byte(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The head of the message with each of its bytes replaced by each control character, and by one beyond ASCII."""
    for at in range(message.index(b"\r\n\r\n") + 4):
        for byte in (*range(0x20), 0x7F, 0x80, 0xFF):
            if message[at] != byte:
                yield at, message[:at] + bytes([byte]) + message[at + 1 :]


def test_no_control_character_is_read_at_any_place_of_a_head() -> None:
    message = filled(PLAIN["as requests"], "svc_src_x", RUN)

    read = [at for at, changed in every_byte(message) if read_alone(changed)[0] is not None]

    assert read == []


def test_each_field_may_come_once() -> None:
    for name in plain_requests.FIELDS:
        for value in ("1", "keep-alive"):
            line = f"{name}: {value}\r\n"
            usual = "host: a\r\nauthorization: b\r\ncontent-length: 0\r\n"
            once = usual if name in usual else usual + line
            if plain_requests.environment("POST", ingest.PATH, once) is not None:
                assert plain_requests.environment("POST", ingest.PATH, once + line) is None
                break
        else:
            pytest.fail(f"{name} is never plain")


@pytest.mark.parametrize(("size", "plain"), [(ingest.CAP - 1, True), (ingest.CAP, True), (ingest.CAP + 1, False)])
def test_a_body_above_the_limit_is_not_plain(size: int, plain: bool) -> None:
    head = f"POST {ingest.PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: b\r\nContent-Length: {size}\r\n\r\n"

    assert (read_alone(head.encode())[0] is not None) is plain


@pytest.mark.parametrize(("size", "plain"), [(1024, True), (1025, False)])
def test_a_long_value_is_not_plain(size: int, plain: bool) -> None:
    head = f"POST {ingest.PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: {'b' * size}\r\nContent-Length: 0\r\n\r\n"

    assert (read_alone(head.encode())[0] is not None) is plain
