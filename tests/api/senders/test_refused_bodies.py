"""Bodies that are refused count against the limits of events of their source (specification 2.8)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.api.http.bodies import BEGINNING
from inbox.api.senders.ingest import CAP
from inbox.config.settings import Settings
from inbox.limits.ingest import BURST_SECONDS, MIB, SOURCE_SECONDS_PER_MIB, WORKSPACE_SECONDS_PER_MIB
from inbox.models.events.tables import Event
from inbox.models.senders.source_samples import SourceSample
from inbox.runtime.queue import job_queues
from tests.api.senders.test_hooks import ALERT, alerts, bearer, hook
from tests.cast import Cast, make_key, make_source

Limits = Callable[..., Settings]

LARGEST_IN_A_BUCKET = int(BURST_SECONDS / (CAP / MIB * SOURCE_SECONDS_PER_MIB))
NOT_JSON = b"{"
UNREADABLE = {**ALERT, "alerts": ["x"]}

PATHS = {
    "events": ("/v1/events", 400, 429),
    "webhook": ("/v1/hooks/alertmanager", 400, 503),
    "webhook as the dashboard shows it": ("/v1/hooks/alertmanager?x=1", 400, 503),
    "Prometheus": ("/v1/compat/alertmanager/api/v2/alerts", 400, 503),
    "CloudEvents": ("/v1/compat/cloudevents", 400, 429),
    "Opsgenie": ("/v1/compat/opsgenie/v2/alerts", 400, 429),
}


def post(app: Flask, path: str, key: str, body: bytes) -> TestResponse:
    headers = {**bearer(key), "Content-Type": "application/json"}
    return app.test_client().post(path, headers=headers, data=body)


def large(document: Any, size: int) -> bytes:
    return json.dumps(document).encode().ljust(size)


@pytest.mark.parametrize("size", [1, BEGINNING - 1, BEGINNING, BEGINNING + 1], ids=lambda size: f"{size} bytes")
@pytest.mark.parametrize(("path", "refused", "too_many"), PATHS.values(), ids=PATHS)
def test_refused_bodies_count_as_events(
    app: Flask, cast: Cast, in_settings: Limits, path: str, refused: int, too_many: int, size: int
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)
    body = NOT_JSON.ljust(size)

    answers = [post(app, path, cast.key, body) for _ in range(3)]
    accepted = post(app, "/v1/events", cast.key, b'{"title": "x"}')

    assert [answer.status_code for answer in answers] == [refused, refused, too_many]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert accepted.status_code == 429


def test_refused_messages_in_the_other_formats_count_as_events(app: Flask, cast: Cast, in_settings: Limits) -> None:
    alias = make_key(cast.source, kind="alias_token")
    in_settings(rate_limits=True, events_per_minute_source=1)

    messages = [post(app, "/message", alias, b'{"title": 1}') for _ in range(3)]
    in_settings(rate_limits=True, events_per_minute_source=1)
    _, other = make_source(cast.workspace, "Other")
    bodies = [json.dumps({"routing_key": other}).encode() for _ in range(3)]
    alarms = [post(app, "/v1/compat/pagerduty/v2/enqueue", other, body) for body in bodies]

    assert [answer.status_code for answer in messages] == [400, 400, 429]
    assert [answer.status_code for answer in alarms] == [400, 400, 429]


@pytest.mark.parametrize("more", [-1, 0, 1], ids=["below", "at", "above"])
def test_a_refused_body_counts_by_its_size(app: Flask, cast: Cast, in_settings: Limits, more: int) -> None:
    in_settings(rate_limits=True, events_per_minute_source=6_000, events_per_minute_workspace=0)
    body = NOT_JSON.ljust(CAP)
    for _ in range(LARGEST_IN_A_BUCKET - 1 + more):
        post(app, "/v1/hooks/alertmanager", cast.key, body)

    answer = post(app, "/v1/hooks/alertmanager", cast.key, body)

    assert answer.status_code == (503 if more > 0 else 400)


def test_a_body_above_the_limit_is_not_read(app: Flask, cast: Cast, in_settings: Limits) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)
    for _ in range(2):
        post(app, "/v1/hooks/alertmanager", cast.key, NOT_JSON.ljust(BEGINNING + 1))
    SourceSample.delete().execute()

    answer = post(app, "/v1/hooks/alertmanager", cast.key, NOT_JSON.ljust(BEGINNING + 1))

    assert (answer.status_code, SourceSample.select().count()) == (503, 0)


def test_refused_bodies_of_a_source_take_little_from_the_other_sources(
    app: Flask, cast: Cast, in_settings: Limits
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=0, events_per_minute_workspace=6_000)
    assert LARGEST_IN_A_BUCKET * CAP / MIB * WORKSPACE_SECONDS_PER_MIB < BURST_SECONDS / 2
    body = NOT_JSON.ljust(CAP)

    answers = [post(app, "/v1/hooks/alertmanager", cast.key, body) for _ in range(2 * LARGEST_IN_A_BUCKET)]

    assert {answer.status_code for answer in answers} == {400}


def test_an_accepted_body_counts_its_events_alone(app: Flask, cast: Cast, in_settings: Limits) -> None:
    in_settings(rate_limits=True, events_per_minute_source=10, events_per_minute_workspace=10)
    body = large(alerts(5), CAP)

    answers = [post(app, "/v1/hooks/alertmanager", cast.key, body) for _ in range(5)]

    assert [answer.status_code for answer in answers] == [202, 202, 202, 202, 503]


def test_a_large_body_is_counted_once_until_one_of_its_key_is_refused(
    app: Flask, cast: Cast, in_settings: Limits
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=6_000)

    def calls(body: bytes) -> int:
        before = evaluated_scripts()
        post(app, "/v1/hooks/alertmanager", cast.key, body)
        return evaluated_scripts() - before

    accepted, refused = large(alerts(1), BEGINNING + 1), NOT_JSON.ljust(BEGINNING + 1)

    assert [calls(body) for body in (accepted, accepted, refused, accepted)] == [1, 1, 1, 3]


def evaluated_scripts() -> int:
    return int(job_queues().redis.info("commandstats").get("cmdstat_evalsha", {"calls": 0})["calls"])


def test_a_body_that_is_read_in_part_counts_and_its_events_are_stored(
    app: Flask, cast: Cast, in_settings: Limits
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)
    read_in_part = {**ALERT, "alerts": [*ALERT["alerts"], *UNREADABLE["alerts"]]}

    first, second = (hook(app, bearer(cast.key), json=read_in_part) for _ in range(2))

    assert (first.status_code, len(first.get_json()["events"]), len(first.get_json()["faults"])) == (202, 1, 1)
    assert (second.status_code, Event.select().count()) == (503, 1)


def test_a_body_without_a_readable_item_counts(app: Flask, cast: Cast, in_settings: Limits) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [hook(app, bearer(cast.key), json=UNREADABLE) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [422, 422, 503]


def test_a_notice_of_no_interest_does_not_count(app: Flask, cast: Cast, in_settings: Limits) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)
    headers = {**bearer(cast.key), "X-GitHub-Event": "ping"}

    answers = [hook(app, headers, "github", data=large({"zen": "x"}, size)) for size in (10, CAP) for _ in range(3)]

    assert {answer.status_code for answer in answers} == {202}


def test_refused_bodies_count_nowhere_when_limits_are_off(app: Flask, cast: Cast, in_settings: Limits) -> None:
    in_settings(rate_limits=False, events_per_minute_source=1)

    answers = [post(app, "/v1/hooks/alertmanager", cast.key, NOT_JSON.ljust(BEGINNING + 1)) for _ in range(5)]

    assert {answer.status_code for answer in answers} == {400}
