"""A process works on a few reads at once; the others wait, and senders and writes do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

import pytest
from flask import Flask, request_finished
from werkzeug.test import TestResponse

from inbox.api.http import read_slots
from inbox.api.http.read_slots import READS_AT_ONCE
from inbox.runtime import work_budget
from inbox.runtime.low_priority import is_low
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]

LONG = 60.0
MOMENT = 0.3
MATCH = {"field": "title", "op": "eq", "value": "x"}
ABSENT = "inc_01h00000000000000000000000"


@contextmanager
def all_taken() -> Iterator[Callable[[], None]]:
    """All slots are taken. What this gives releases one of them."""
    taken = [read_slots._slots.acquire(timeout=LONG) for _ in range(READS_AT_ONCE)]
    assert all(taken)

    def release() -> None:
        taken.pop()
        read_slots._slots.release()

    try:
        yield release
    finally:
        while taken:
            release()


def test_a_read_waits_for_a_slot(browser: Browsers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_slots, "WAIT_SECONDS", (LONG, LONG))
    vic = browser("vic")
    with all_taken() as release, ThreadPoolExecutor(1) as pool:
        answer: Future[TestResponse] = pool.submit(vic.get, "/v1/incidents")
        assert not wait([answer], timeout=MOMENT).done
        release()

        assert answer.result(timeout=LONG).status_code == 200


def test_a_read_that_waited_too_long_begins_without_a_slot(browser: Browsers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_slots, "WAIT_SECONDS", (0.01, 0.01))
    with all_taken():
        assert browser("vic").get("/v1/incidents").status_code == 200
        assert not read_slots._slots.acquire(blocking=False)


@pytest.mark.parametrize("path", ["/v1/incidents", f"/v1/incidents/{ABSENT}", "/v1/incidents?limit=x", "/v1/sources/x"])
def test_each_read_releases_its_slot(path: str, browser: Browsers) -> None:
    vic = browser("vic")
    for _ in range(READS_AT_ONCE + 1):
        assert vic.get(path).status_code in (200, 404, 422)

    with all_taken():
        assert not read_slots._slots.acquire(blocking=False)


def test_writes_events_and_anonymous_requests_do_not_wait_for_read_slots(
    browser: Browsers, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writes, events, the state of the service and requests without a session need no slot."""
    monkeypatch.setattr(read_slots, "WAIT_SECONDS", (LONG, LONG))
    olga, stranger = browser("olga"), Browser(browser("olga").client.application, "http://127.0.0.1:8080")
    key = {"Authorization": f"Bearer {cast.key}", "Origin": ""}
    with all_taken(), ThreadPoolExecutor(1) as pool:
        answers = {
            name: pool.submit(*call)
            for name, call in {
                "write": (olga.patch, f"/v1/sources/{typeid('src', cast.source.id)}", {"name": "Renamed"}),
                "event": (lambda: stranger.post("/v1/events", {"title": "x"}, headers=key),),
                "ready": (stranger.get, "/readyz"),
            }.items()
        }
        statuses = {name: answer.result(timeout=LONG / 2).status_code for name, answer in answers.items()}

    assert statuses == {"write": 200, "event": 202, "ready": 200}


def test_a_refused_read_releases_its_slot(browser: Browsers) -> None:
    stranger = Browser(browser("vic").client.application, "http://127.0.0.1:8080")
    for _ in range(READS_AT_ONCE + 1):
        assert stranger.get("/v1/incidents").status_code == 401

    with all_taken():
        pass


def test_a_read_has_low_priority_and_a_write_has_not(browser: Browsers, cast: Cast) -> None:
    olga, found = browser("olga"), list[bool]()

    def note(_: Flask, **__: object) -> None:
        found.append(is_low.get())

    with request_finished.connected_to(note):
        assert olga.get("/v1/sources").status_code == 200
        assert olga.patch(f"/v1/sources/{typeid('src', cast.source.id)}", {"name": "Renamed"}).status_code == 200

    assert found == [True, False]
    assert not is_low.get()


def test_a_read_that_computes_long_releases_its_slot_early(
    browser: Browsers, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga, free = browser("olga"), list[int]()
    for name in ("First", "Second"):
        rule = {"workspaceId": typeid("wsp", cast.workspace.id), "name": name, "match": MATCH}
        assert olga.post("/v1/rules", {**rule, "then": {"disposition": "notify"}}).status_code == 201

    def count(_: Flask, **__: object) -> None:
        taken = [read_slots._slots.acquire(blocking=False) for _ in range(READS_AT_ONCE)]
        free.append(sum(taken))
        for _ in range(sum(taken)):
            read_slots._slots.release()

    with request_finished.connected_to(count):
        assert olga.get("/v1/rules").status_code == 200
        monkeypatch.setattr(work_budget, "STEP_SECONDS", 0.0)
        assert olga.get("/v1/rules").status_code == 200

    assert free == [READS_AT_ONCE - 1, READS_AT_ONCE]
