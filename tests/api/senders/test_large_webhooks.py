"""Webhooks of a big outage: up to 16 MiB are read, what is refused or left unread is seen (specification 19.5, 19.14)."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.api.senders import hooks, large_bodies
from inbox.config.settings import Settings
from inbox.flow.routing.route import route
from inbox.intake import base
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.senders.source_samples import SourceSample
from tests.browser import sound
from tests.cast import Cast, make_key, present, typeid

MIB = 1024 * 1024
UNKNOWN = "svc_src_" + "A" * 43


def post(app: Flask, path: str, key: str, body: bytes, **more: Any) -> TestResponse:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **more}
    answer = app.test_client().post(path, headers=headers, data=body)
    sound(answer)
    return answer


def group(alerts: int, size: int) -> bytes:
    """A group of alerts of Alertmanager, together about `size` bytes."""
    text = "x" * (size // alerts)
    sent = [
        {"status": "firing", "fingerprint": f"{n:016x}", "labels": {"alertname": "Down"}, "annotations": {"description": text}}
        for n in range(alerts)
    ]  # fmt: skip
    return json.dumps({"version": "4", "status": "firing", "alerts": sent}).encode()


def reports() -> list[tuple[str, str, str | None]]:
    """The titles, severities and types of the open incidents that the service wrote itself."""
    route(present)
    rows = Incident.select().where(Incident.dedup_key.startswith("inbox:")).order_by(Incident.id)
    return [(row.title, row.severity, row.type) for row in rows]


def test_a_group_above_2_mib_is_stored_whole(app: Flask, cast: Cast) -> None:
    body = group(150, 3 * MIB)

    answer = post(app, "/v1/hooks/alertmanager", cast.key, body)

    assert (len(body) > 3 * MIB, answer.status_code, Event.select().count()) == (True, 202, 150)
    assert reports() == []


@pytest.mark.parametrize("tool", ["alertmanager", "grafana"])
def test_a_webhook_above_16_mib_is_refused_and_opens_one_incident(app: Flask, cast: Cast, tool: str) -> None:
    body = b" " * (hooks.HOOK_CAP + 1)

    answers = [post(app, f"/v1/hooks/{tool}", cast.key, body) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [413] * 3
    assert reports() == [("A webhook of 16.8 MB was refused", "CRITICAL", "webhook.refused")]
    sample = SourceSample.get()
    assert (sample.tool, sample.detail) == (tool, "The body may have at most 16777216 bytes.")


WAYS = {
    "/v1/events": "events",
    "/message": "legacy_push",
    "/v1/compat/opsgenie/v2/alerts": "opsgenie",
    "/v1/compat/alertmanager/api/v2/alerts": "prometheus",
    "/v1/compat/cloudevents": "cloudevents",
}


@pytest.mark.parametrize("path", WAYS)
def test_other_ways_in_take_2_mib_and_show_what_they_refuse(app: Flask, cast: Cast, path: str) -> None:
    key = make_key(cast.source, kind="alias_token") if path == "/message" else cast.key

    assert post(app, path, key, b" " * (2 * MIB + 1)).status_code == 413
    assert SourceSample.get().tool == WAYS[path]
    [(title, severity, _)] = reports()
    assert (title.partition(" of ")[2], severity) == ("2.1 MB was refused", "CRITICAL")


@pytest.mark.parametrize(("body", "status"), [(b'{"title": ', 400), (b'{"severity": "ERROR"}', 422)])
@pytest.mark.parametrize("path", ["/v1/events", "/message"])
def test_a_refused_event_or_message_becomes_the_sample(
    app: Flask, cast: Cast, path: str, body: bytes, status: int
) -> None:
    key = make_key(cast.source, kind="alias_token") if path == "/message" else cast.key
    status = 400 if path == "/message" else status

    assert post(app, path, key, body).status_code == status
    sample = SourceSample.get()
    assert (sample.tool, json.dumps(sample.body)[1:11] != "", reports()) == (WAYS[path], True, [])
    assert sample.detail


@pytest.mark.parametrize("path", ["/v1/events", "/v1/hooks/alertmanager"])
def test_a_refusal_without_a_live_key_is_shown_nowhere(app: Flask, cast: Cast, path: str) -> None:
    for key in (UNKNOWN, make_key(cast.source, revoked_at=present())):
        assert post(app, path, key, b" " * (hooks.HOOK_CAP + 1)).status_code in (401, 413)
        assert post(app, path, key, b"{").status_code == 401

    assert (SourceSample.select().count(), reports()) == (0, [])


def test_alerts_beyond_those_that_are_read_are_counted_in_an_incident(app: Flask, cast: Cast) -> None:
    answer = post(app, "/v1/hooks/alertmanager", cast.key, group(base.MOST_ITEMS + 7, MIB // 4))

    assert (answer.status_code, len(answer.get_json()["events"])) == (202, base.MOST_ITEMS)
    assert reports() == [("7 of 5,007 alerts in one webhook were not read", "CRITICAL", "webhook.unread")]


def test_one_large_webhook_is_read_at_a_time(app: Flask, cast: Cast) -> None:
    class Other:
        hash_hex, source_id, workspace_id = "00", cast.source.id, cast.workspace.id

    with large_bodies.one_at_a_time(Other(), 3 * MIB):
        large = post(app, "/v1/hooks/alertmanager", cast.key, group(10, 3 * MIB))
        small = post(app, "/v1/hooks/alertmanager", cast.key, group(10, MIB))

    assert (large.status_code, small.status_code) == (503, 202)
    assert int(large.headers["Retry-After"]) > 0
    assert post(app, "/v1/hooks/alertmanager", cast.key, group(10, 3 * MIB)).status_code == 202


class Unread(io.RawIOBase):
    """A body of which nothing may be read."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        raise AssertionError("the body is read")


@pytest.mark.parametrize(("is_live", "status"), [(True, 503), (False, 401)])
def test_nothing_of_a_large_webhook_is_read_while_another_is_read(
    app: Flask, cast: Cast, is_live: bool, status: int
) -> None:
    class Other:
        hash_hex, source_id, workspace_id = "00", cast.source.id, cast.workspace.id

    headers = {"Authorization": f"Bearer {cast.key if is_live else UNKNOWN}"}
    unread = {"wsgi.input": Unread(), "CONTENT_LENGTH": str(3 * MIB)}
    with large_bodies.one_at_a_time(Other(), 3 * MIB):
        answer = app.test_client().post("/v1/hooks/alertmanager", headers=headers, environ_overrides=unread)

    assert answer.status_code == status


def test_large_webhooks_are_charged_by_their_size(app: Flask, cast: Cast, in_settings: Callable[..., Settings]) -> None:
    in_settings(rate_limits=True)
    body = group(1, 15 * MIB)

    answers = [post(app, "/v1/hooks/alertmanager", cast.key, body) for _ in range(12)]

    assert answers[0].status_code == 202
    assert answers[-1].status_code == 503


@pytest.mark.parametrize("body", [b"[" + b"[]," * 1_000_000 + b"1]", b'{"alerts": [' + b"1," * 1_500_000 + b"1]}"])
def test_a_large_body_of_many_values_is_refused_before_it_is_parsed(app: Flask, cast: Cast, body: bytes) -> None:
    answer = post(app, "/v1/hooks/alertmanager", cast.key, body)

    assert (answer.status_code, answer.get_json()["detail"]) == (400, "The body holds more than 600,000 values.")


def test_signed_webhooks_take_2_mib(app: Flask, cast: Cast) -> None:
    path = f"/v1/hooks/github/{typeid('src', cast.source.id)}"
    assert app.test_client().post(path, data=b" " * (2 * MIB + 1)).status_code == 413
