"""Requests and events are counted by route, outcome and reason, never by data of a request."""

from __future__ import annotations

import pytest
from flask import Flask

from inbox.runtime.metrics import REGISTRY
from tests.api.events.senders import DOORS, Sender
from tests.browser import Browser
from tests.cast import Cast
from tests.runtime.metrics.counted import Counted

EVENTS, REFUSED = "inbox_ingest_events_total", "inbox_ingest_refused_requests_total"


@pytest.fixture(params=DOORS)
def sender(request: pytest.FixtureRequest, app: Flask, cast: Cast) -> Sender:
    return Sender(app, cast.key, door=str(request.param))


def test_a_request_is_counted_by_the_pattern_of_its_route(anonymous: Browser) -> None:
    counted = Counted()
    anonymous.get("/problems/not_found")
    anonymous.get("/problems/rate_limited")

    labels = {"method": "GET", "route": "/problems/<code>"}
    assert counted.of("inbox_http_requests_total", **labels, status="200") == 2
    assert counted.of("inbox_http_request_duration_seconds_count", **labels) == 2


def test_paths_and_methods_that_nobody_has_do_not_become_labels(anonymous: Browser) -> None:
    counted = Counted()
    anonymous.call("BREW", "/secret-canary-4711/teapot")
    text = str([sample for family in REGISTRY.collect() for sample in family.samples])

    assert counted.of("inbox_http_requests_total", method="other", route="unmatched", status="404") == 1
    assert "canary" not in text and "BREW" not in text


def test_accepted_events_duplicates_and_warnings_are_counted_apart(sender: Sender) -> None:
    counted = Counted()
    sender.post({"events": [{"title": "a", "idempotencyKey": "k", "severity": "odd"}, {"title": "b"}]})
    sender.post({"title": "a", "idempotencyKey": "k", "severity": "odd"})

    assert counted.of(EVENTS, outcome="accepted") == 2
    assert counted.of(EVENTS, outcome="duplicate") == 1
    assert counted.of("inbox_ingest_warnings_total", code="severity_unknown") == 2
    assert counted.of("inbox_http_requests_total", method="POST", route="/v1/events", status="202") == 2


def test_a_replay_is_no_event(sender: Sender) -> None:
    sender.post({"title": "a"}, key="once")
    counted = Counted()
    sender.post({"title": "a"}, key="once")

    assert counted.of("inbox_ingest_replays_total") == 1
    assert counted.of(EVENTS, outcome="accepted") == 0


def test_a_refused_request_is_counted_by_its_problem_code(app: Flask, cast: Cast, sender: Sender) -> None:
    counted = Counted()
    sender.post({"title": ""})
    Sender(app, "svc_src_nobody").post({"title": "a"})

    assert counted.of(REFUSED, reason="validation_failed") == 1
    assert counted.of(REFUSED, reason="unauthenticated") == 1
    assert counted.of("inbox_http_requests_total", method="POST", route="/v1/events", status="401") == 1
