"""Faults inside the service: the sender gets a problem that says whether to retry (specification 4.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest
from flask import Flask
from werkzeug.test import Client

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.models.events.tables import Event
from tests.api.events.senders import Sender, event
from tests.bad_events import poison  # noqa: F401
from tests.cast import Cast


def test_a_sender_gets_a_retry_time_without_a_database(sender: Sender, no_database: None) -> None:
    answer = sender.post(event())
    assert (answer.status_code, answer.get_json()["code"]) == (503, "unavailable")
    assert int(answer.headers["Retry-After"]) >= 1


@pytest.mark.usefixtures("poison")
def test_a_value_that_only_the_database_refuses_is_a_bad_request(sender: Sender) -> None:
    answer = sender.post({"events": [event(), event(title="unfit")]})
    assert (answer.status_code, answer.get_json()["code"]) == (400, "bad_request")
    assert Event.select().count() == 0


@pytest.mark.usefixtures("poison")
def test_an_unexpected_exception_is_an_internal_error_without_details(app: Flask, cast: Cast, door: str) -> None:
    front: Any = app.wsgi_app
    client = Client(front if door == "front" else front.app)
    headers = {"Authorization": f"Bearer {cast.key}", "X-Request-Id": "request-0001"}

    answer = client.post("/v1/events", data=orjson.dumps(event(title="broken")), headers=headers)

    assert (answer.status_code, answer.content_type) == (500, "application/problem+json")
    problem = answer.get_json()
    assert (problem["code"], problem["requestId"]) == ("internal_error", "request-0001")
    assert answer.headers["X-Request-Id"] == "request-0001"
    assert "broken" not in answer.text


def test_too_many_events_are_refused_with_a_retry_time(sender: Sender, settings: Settings) -> None:
    in_force.use(replace(settings, rate_limits=True, events_per_minute_source=1))
    try:
        sender.stored({"events": [event(), event()]})
        answer = sender.post(event())
    finally:
        in_force.use(settings)
    assert (answer.status_code, answer.get_json()["code"]) == (429, "rate_limited")
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert Event.select().count() == 2


@pytest.mark.parametrize(
    ("body", "status"), [(event(), 202), (event(title=""), 422), (b"{", 400), (b" " * 2_097_153, 413)]
)
def test_the_front_and_the_view_send_the_same_headers(app: Flask, cast: Cast, body: Any, status: int) -> None:
    answers = [Sender(app, cast.key, door=door).post(body) for door in ("front", "view")]
    assert [answer.status_code for answer in answers] == [status, status]
    retained = [
        {name: value for name, value in answer.headers.items() if name not in ("X-Request-Id", "Content-Length")}
        for answer in answers
    ]
    assert retained[0] == retained[1]


def test_an_answer_has_the_safety_headers_of_every_other_answer(sender: Sender, app: Flask) -> None:
    here, there = sender.post(event()).headers, app.test_client().get("/v1/info").headers
    for name in ("X-Content-Type-Options", "Referrer-Policy", "Content-Security-Policy", "Cache-Control"):
        assert here[name] == there[name]


def test_other_methods_and_similar_paths_bypass_the_front(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    assert client.put("/v1/events").status_code == 405
    assert client.post("/v1/events/").status_code == 401
    assert client.post("/v1/eventsx").status_code == 404
    assert client.get("/v1/events").status_code == 401


def test_failures_are_logged_with_their_request_and_without_its_content(
    sender: Sender, cast: Cast, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    answer = sender.post(event(title="", body="canary-7261"), headers={"X-Request-Id": "request-0002"})
    assert answer.status_code == 422

    logged = [line for line in lines() if line["event"] == "request"]
    assert logged
    assert {(line["route"], line["status"], line["request_id"]) for line in logged} == {
        ("/v1/events", 422, "request-0002")
    }
    assert "canary-7261" not in str(lines())
    assert cast.key not in str(lines())
