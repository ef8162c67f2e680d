"""Messages in the legacy push format, in all forms of body and token (specification 19)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.domain.senders import keys
from inbox.models.events.tables import Event, EventQueueRow
from inbox.models.senders.sources import Source, SourceKey
from tests.api.compatible.legacy_push_steps import push
from tests.api.events.senders import only_event
from tests.browser import Browser
from tests.cast import Cast, make_key, typeid

Browsers = Callable[[str], Browser]
PATHS = ("/message", "/v1/legacy/message")
MESSAGE = {"message": "91 % on nas", "title": "Storage", "priority": 8}


@pytest.fixture
def token(cast: Cast) -> str:
    return make_key(cast.source, kind="alias_token")


def allow_query_token(source: Source) -> None:
    Source.update(allow_query_token=True).where(Source.id == source.id).execute()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "header",
    [lambda token: {"X-Legacy-Key": token}, lambda token: {"X-Gotify-Key": token},
     lambda token: {"Authorization": f"bearer {token}"},
     lambda token: {"Authorization": f"Bearer {token}", "X-Gotify-Key": token},
     lambda token: {"Authorization": f"Bearer {token}", "X-Legacy-Key": "A00000000000000"}],
)  # fmt: skip
def test_a_message_is_stored_with_the_token_in_each_header(
    app: Flask, token: str, cast: Cast, path: str, header: Callable[[str], dict[str, str]]
) -> None:
    answer = push(app, None, MESSAGE, path, headers=header(token))

    event, body = only_event(), answer.get_json()
    assert answer.status_code == 200
    assert (event.source_id, event.title, event.body, event.severity) == (
        cast.source.id, "Storage", "91 % on nas", "ERROR",
    )  # fmt: skip
    assert EventQueueRow.select().count() == 1
    assert {name: body[name] for name in MESSAGE} == MESSAGE
    assert (type(body["id"]), type(body["appid"])) == (int, int)
    assert 0 < body["id"] < 2**53 and 0 <= body["appid"] < 2**31
    assert "extras" not in body


@pytest.mark.parametrize(
    "request_of",
    [lambda fields: {"data": fields},
     lambda fields: {"data": fields, "content_type": "multipart/form-data"},
     lambda fields: {"query_string": fields},
     lambda fields: {"data": json.dumps(fields), "content_type": "text/plain"},
     lambda fields: {"data": json.dumps(fields), "content_type": "application/x-www-form-urlencoded"}],
)  # fmt: skip
def test_a_message_is_read_from_every_kind_of_body(
    app: Flask, token: str, request_of: Callable[[dict[str, str]], dict[str, Any]]
) -> None:
    fields = {"message": "Grün & 91 %", "title": "Störung", "priority": "5"}

    answer = push(app, token, **request_of(fields))

    event = only_event()
    assert answer.get_json()["priority"] == 5
    assert (event.title, event.body, event.severity) == ("Störung", "Grün & 91 %", "WARNING")


@pytest.mark.parametrize(
    ("extras", "stored"),
    [('{"client::display": {"contentType": "text/markdown"}}', True), ("no JSON", False), ("[1]", False), ("", False)],
)
def test_extras_of_a_form_are_read_as_an_object_or_left_out(app: Flask, token: str, extras: str, stored: bool) -> None:
    answer = push(app, token, data={"message": "91 %", "extras": extras})

    assert (answer.status_code, "extras" in answer.get_json()) == (200, stored)
    assert ("extras" in (only_event().metadata or {})) is stored


def test_a_token_in_the_query_works_only_where_the_source_allows_it(app: Flask, token: str, cast: Cast) -> None:
    path = f"/message?{urlencode({'token': token})}"

    refused = push(app, None, MESSAGE, path)
    allow_query_token(cast.source)
    accepted = push(app, None, MESSAGE, path)

    assert (refused.status_code, accepted.status_code) == (401, 200)
    assert "allowQueryToken" in refused.get_json()["detail"]


def test_a_token_in_the_query_stands_in_no_log_and_no_answer(
    app: Flask, token: str, cast: Cast, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    allow_query_token(cast.source)
    paths = [f"{path}?token={token}" for path in (*PATHS, "/messages", "/version", "/health")]

    answers = [push(app, None, sent, path).text for path in paths for sent in (MESSAGE, {}, None)]

    assert token not in "".join(answers)
    assert token not in json.dumps(lines())
    assert "/v1/legacy/message" in {line.get("route") for line in lines()}


@pytest.mark.parametrize(
    ("sent", "words"),
    [({"title": "No text"}, "'message' is required"), ({"message": " "}, "'message' is required"),
     ({"message": 3}, "'message' must be a string"), ({"message": "x", "priority": "high"}, "'priority'"),
     ({"message": "x", "priority": True}, "'priority'"), ({"message": "x", "priority": 1.5}, "'priority'"),
     ({"message": "x", "extras": []}, "'extras'"), ({"message": "x", "extras": {"inbox::event": 1}}, "inbox::event"),
     ([], "JSON object")],
)  # fmt: skip
def test_a_bad_message_is_refused_in_both_shapes(app: Flask, token: str, sent: Any, words: str) -> None:
    problem = push(app, token, sent).get_json(force=True)

    assert (problem["status"], problem["errorCode"], problem["code"]) == (400, 400, "bad_request")
    assert problem["errorDescription"] == problem["detail"]
    assert words in problem["detail"]
    assert problem["error"] == "Bad request"
    assert Event.select().count() == 0


@pytest.mark.parametrize("path", PATHS)
def test_credentials_of_other_kinds_are_refused(app: Flask, cast: Cast, token: str, path: str) -> None:
    ended = make_key(cast.source, kind="alias_token")
    SourceKey.update(revoked_at=cast.source.created_at).where(SourceKey.hash == keys.digest(ended)).execute()

    answers = [
        push(app, shown, MESSAGE, path)
        for shown in (None, cast.key, "A" + "x" * 14, token[:-1], token + "x", ended, cast.cookie("olga"))
    ]

    assert {answer.status_code for answer in answers} == {401}
    assert {answer.get_json(force=True)["errorCode"] for answer in answers} == {401}
    assert Event.select().count() == 0


def test_an_alias_token_sends_no_events(app: Flask, token: str) -> None:
    answer = app.test_client().post("/v1/events", json={"title": "x"}, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("priority", "severity"),
    [(-5, "DEBUG"), (0, "DEBUG"), (1, "INFO"), (3, "INFO"), (4, "WARNING"), (7, "WARNING"), (8, "ERROR"), (9, "ERROR"),
     (10, "CRITICAL"), (2**62, "CRITICAL"), (None, "INFO")],
)  # fmt: skip
def test_the_priority_is_the_severity(app: Flask, token: str, priority: int | None, severity: str) -> None:
    assert push(app, token, {"message": "x", "priority": priority}).status_code == 200
    assert only_event().severity == severity


def test_a_message_without_a_title_has_its_first_line(app: Flask, token: str, cast: Cast) -> None:
    answer = push(app, token, {"message": "\nDisk full\non nas"})

    assert answer.get_json()["title"] == cast.source.name
    assert only_event().title == "Disk full"


def test_extras_give_full_control_of_the_event(app: Flask, token: str) -> None:
    ours = {"severity": "CRITICAL", "action": "resolve", "dedupKey": "disk:nas", "resource": "host:nas", "tags": ["a"]}
    click = {"click": {"url": "https://nas.example.org/"}}
    extras = {"inbox::event": ours, "client::notification": click, "my::tool": {"x": 1}}

    answer = push(app, token, {"message": "x", "extras": extras})

    event = only_event()
    assert answer.get_json()["extras"] == extras
    assert (event.severity, event.action, event.dedup_key, event.resource, event.tags) == tuple(ours.values())
    assert event.url == "https://nas.example.org/"
    assert event.metadata == {"extras": {"client::notification": click, "my::tool": {"x": 1}}}


def test_an_invalid_field_of_the_event_is_named(app: Flask, token: str) -> None:
    problem = push(app, token, {"message": "x", "extras": {"inbox::event": {"action": "resolve"}}}).get_json(force=True)

    assert (problem["code"], problem["errorCode"]) == ("validation_failed", 422)
    assert [fault["pointer"] for fault in problem["errors"]] == ["/dedupKey"]


def test_the_same_idempotency_key_stores_one_event(app: Flask, token: str) -> None:
    answers = [push(app, token, MESSAGE, headers={"Idempotency-Key": "k1"}) for _ in range(2)]
    other = push(app, token, {"message": "other"}, headers={"Idempotency-Key": "k1"})

    assert Event.select().count() == 1
    assert answers[0].get_json()["id"] == answers[1].get_json()["id"]
    assert [answer.headers.get("Idempotent-Replayed") for answer in answers] == [None, "true"]
    assert (other.status_code, other.get_json(force=True)["code"]) == (422, "idempotency_mismatch")


def test_the_rate_limit_of_the_source_counts_messages(
    app: Flask, token: str, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [push(app, token, MESSAGE) for _ in range(4)]

    assert [answer.status_code for answer in answers][:2] == [200, 200]
    assert answers[-1].status_code == 429
    assert answers[-1].get_json(force=True)["errorCode"] == 429
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_a_large_or_compressed_body_is_refused(app: Flask, token: str) -> None:
    large = push(app, token, {"message": "x" * 2_200_000})
    compressed = push(app, token, MESSAGE, headers={"Content-Encoding": "gzip"})

    assert (large.status_code, compressed.status_code) == (413, 415)
    assert large.get_json(force=True)["errorCode"] == 413


def test_secrets_are_redacted_in_the_answer_and_in_the_event(app: Flask, token: str, cast: Cast) -> None:
    answer = push(app, token, {"message": f"key {cast.key}", "extras": {"a::b": cast.key}})

    assert cast.key not in answer.text
    assert cast.key not in str(only_event().__data__)


@pytest.mark.parametrize("prefix", ["", "/v1/legacy"])
def test_version_and_health_are_public(anonymous: Browser, settings: Settings, prefix: str) -> None:
    assert set(anonymous.get(f"{prefix}/version").json) == {"version", "commit", "buildDate"}
    assert anonymous.get(f"{prefix}/health").json == {"health": "green", "database": "green"}


def test_an_alias_token_is_made_listed_rotated_and_revoked_as_a_key(app: Flask, browser: Browsers, cast: Cast) -> None:
    adam, path = browser("adam"), f"/v1/sources/{typeid('src', cast.source.id)}/keys"

    made = adam.post(path, {"kind": "alias_token", "name": "Kuma"}).json
    rotated = adam.post(f"{path}/{made['id']}/rotate", {}).json
    listed = {item["id"]: item["kind"] for item in adam.get(path).json["items"]}

    assert (made["kind"], rotated["kind"]) == ("alias_token", "alias_token")
    assert len(made["secret"]) == len(rotated["secret"]) == 15
    assert made["secret"][0] == "A" and made["secret"] not in adam.get(path).text
    assert sorted(listed.values()) == ["alias_token", "alias_token", "source_key"]
    assert [push(app, each["secret"], MESSAGE).status_code for each in (made, rotated)] == [200, 200]
    assert adam.delete(f"{path}/{rotated['id']}").status_code == 204
    assert push(app, rotated["secret"], MESSAGE).status_code == 401
