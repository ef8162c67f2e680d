"""Bodies of anonymous callers use a separate part of memory, and release it (decision 0008)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from typing import Any

import orjson
import peewee
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.api.http import body_limits
from inbox.api.http.bodies import BEGINNING
from inbox.config.settings import Settings
from tests.browser import Browser, sound
from tests.cast import Cast

Browsers = Callable[[str], Browser]
Uploads = Callable[..., AbstractContextManager[Future[TestResponse]]]
LOGIN, RULE = "/v1/auth/login", "/v1/rules/parse"
SIZE = 12_000
MOST = 20_000
"""Room for one body of `SIZE` and part of another."""

SECONDS = 20.0


class Upload(BytesIO):
    """A body of which the second half is held back until `go_on`."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        self.half_read, self.go_on = threading.Event(), threading.Event()
        self._half = len(body) // 2

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() < self._half:
            return super().read(self._half)
        self.half_read.set()
        assert self.go_on.wait(SECONDS)
        return super().read(size)


def send(browser: Browser, path: str, size: int = SIZE, stream: BytesIO | None = None) -> TestResponse:
    """A body of `size` bytes: an object that no operation accepts."""
    headers = {"Origin": browser.base_url, "Content-Type": "application/json"}
    body: dict[str, Any] = {"input_stream": stream, "content_length": size} if stream else {"data": padded(size)}
    answer = browser.client.open(path, method="POST", headers=headers, **body)
    sound(answer)
    return answer


def padded(size: int) -> bytes:
    return orjson.dumps({"nonsense": 1}).ljust(size)


@pytest.fixture
def uploads() -> Iterator[Uploads]:
    """`with uploads(browser, path):` one body is half read within the block, and the answer is there after it."""
    with ThreadPoolExecutor(4) as threads:

        @contextmanager
        def upload(browser: Browser, path: str, size: int = SIZE) -> Iterator[Future[TestResponse]]:
            stream = Upload(padded(size))
            answer = threads.submit(send, browser, path, size, stream)
            try:
                assert stream.half_read.wait(SECONDS)
                yield answer
            finally:
                stream.go_on.set()
                answer.exception(SECONDS)

        yield upload


@pytest.fixture(autouse=True)
def little_room(ground: peewee.Database, monkeypatch: pytest.MonkeyPatch, in_settings: Callable[..., Settings]) -> None:
    monkeypatch.setattr(body_limits, "ANONYMOUS_ROOM", MOST)
    in_settings(ingest_bytes_in_flight=MOST)


@pytest.mark.parametrize(
    ("size", "status"), [(MOST - SIZE // 2 - 1, 422), (MOST - SIZE // 2, 422), (MOST - SIZE // 2 + 1, 503)]
)
def test_anonymous_bodies_are_read_up_to_their_room_and_no_further(
    size: int, status: int, anonymous: Browser, uploads: Uploads
) -> None:
    with uploads(anonymous, LOGIN):
        answer = send(anonymous, LOGIN, size)

    assert answer.status_code == status
    if status == 503:
        assert (answer.headers["Retry-After"], answer.json["code"]) == ("1", "unavailable")


def test_a_small_anonymous_body_needs_no_room(anonymous: Browser, uploads: Uploads) -> None:
    with uploads(anonymous, LOGIN), uploads(anonymous, LOGIN):
        assert send(anonymous, LOGIN).status_code == 503
        assert send(anonymous, LOGIN, BEGINNING).status_code == 422
        assert send(anonymous, LOGIN, BEGINNING + 1).status_code == 503


def test_anonymous_bodies_take_no_room_of_signed_in_people(
    anonymous: Browser, browser: Browsers, uploads: Uploads
) -> None:
    with uploads(anonymous, LOGIN), uploads(anonymous, LOGIN):
        assert send(anonymous, LOGIN).status_code == 503
        assert send(browser("mia"), RULE, MOST).status_code == 422


def test_bodies_of_signed_in_people_take_no_room_of_anonymous_bodies(
    anonymous: Browser, browser: Browsers, uploads: Uploads
) -> None:
    with uploads(browser("mia"), RULE, MOST), uploads(browser("vic"), RULE, MOST):
        assert send(browser("adam"), RULE).status_code == 503
        assert send(anonymous, LOGIN).status_code == 422


def test_anonymous_bodies_take_no_room_of_senders(anonymous: Browser, cast: Cast, uploads: Uploads, app: Flask) -> None:
    event = orjson.dumps({"title": "Disk full"}).ljust(MOST)
    key = {"Authorization": f"Bearer {cast.key}", "Content-Type": "application/json"}
    with uploads(anonymous, LOGIN), uploads(anonymous, LOGIN):
        assert app.test_client().post("/v1/events", data=event, headers=key).status_code == 202


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(lambda browser: send(browser, LOGIN), id="answered 422"),
        pytest.param(lambda browser: send(browser, LOGIN, SIZE + 1, BytesIO(padded(SIZE))), id="cut off"),
        pytest.param(lambda browser: chunked(browser, body_limits.ANONYMOUS_CAP + 1), id="too large"),
        pytest.param(lambda browser: chunked(browser, SIZE), id="without a length"),
    ],
)
def test_memory_of_a_body_is_released_however_the_request_ends(
    ending: Callable[[Browser], TestResponse], anonymous: Browser, uploads: Uploads
) -> None:
    for _ in range(3):
        assert ending(anonymous).status_code in (400, 413, 422)

    with uploads(anonymous, LOGIN):
        assert send(anonymous, LOGIN, MOST - SIZE // 2).status_code == 422


def chunked(browser: Browser, size: int) -> TestResponse:
    headers = {"Origin": browser.base_url, "Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    answer = browser.client.post(LOGIN, headers=headers, input_stream=BytesIO(padded(size)))
    sound(answer)
    return answer


def test_memory_of_a_refused_body_is_released(anonymous: Browser, uploads: Uploads) -> None:
    with uploads(anonymous, LOGIN), uploads(anonymous, LOGIN):
        assert send(anonymous, LOGIN).status_code == 503

    with uploads(anonymous, LOGIN):
        assert send(anonymous, LOGIN, MOST - SIZE // 2).status_code == 422
