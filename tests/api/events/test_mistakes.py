"""The answer to a sender's mistake says how to correct it, and repeats nothing secret."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from inbox.domain.senders.keys import KeyKind, mint
from tests.api.events.senders import Sender, event, only_event, until
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.stand_ins.phone import Phone

NO_KEY = "No source key was sent. Send `Authorization: Bearer svc_src_…`."
INCOMPLETE = "The key is incomplete; copy it again."


def refusal(answer: Any) -> tuple[int, str, str]:
    problem = answer.get_json(force=True)
    return answer.status_code, problem["code"], problem["detail"]


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic b2xnYTp4",
        "Bearer " + mint(KeyKind.HEARTBEAT, b"h" * 32),
        "Bearer $TOKEN",
        mint(KeyKind.SOURCE, b"s" * 32),
    ],
)
def test_a_refusal_without_a_source_key_shows_the_header(app: Flask, cast: Cast, door: str, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = Sender(app, None, door=door).post(event(), headers=headers)

    assert refusal(answer) == (401, "unauthenticated", NO_KEY)


def test_an_incomplete_key_is_to_be_copied_again(app: Flask, cast: Cast, door: str) -> None:
    swapped = cast.key[:-1] + ("A" if cast.key[-1] != "A" else "B")
    for key in (cast.key[:-1], cast.key[:20], cast.key + "x", swapped, "svc_src_", "svc_src_…"):
        header = {"Authorization": f"Bearer {key}".encode().decode("latin-1")}
        answer = Sender(app, None, door=door).post(event(), headers=header)

        assert refusal(answer) == (401, "unauthenticated", INCOMPLETE)
        assert key[8:] == "" or key[8:] not in answer.get_data(as_text=True)


def test_an_unknown_key_is_not_said_to_be_unknown(app: Flask, cast: Cast, door: str) -> None:
    key = mint(KeyKind.SOURCE, b"u" * 32)
    status, code, detail = refusal(Sender(app, key, door=door).post(event()))

    assert (status, code) == (401, "unauthenticated") and detail not in (NO_KEY, INCOMPLETE) and key not in detail


@pytest.mark.parametrize("path", ["/v1/me", "/v1/incidents", "/v1/sources"])
def test_a_source_key_elsewhere_is_reported_where_it_is_good(path: str, app: Flask, cast: Cast) -> None:
    answer = Phone(app, "http://127.0.0.1:8080", cast.key).get(path)

    assert refusal(answer) == (
        401,
        "unauthenticated",
        "A source key is valid for events and check-ins only.",
    )
    assert cast.key not in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "The body is empty: send one JSON object."),
        (b" ", "The body is empty: send one JSON object."),
        (b'{"title": "ok"', "The body is not valid JSON at line 1, column 15: unexpected end of data."),
        (b"{'title': 'ok'}", "The body is not valid JSON at line 1, column 2:"),
        (b'{\n"title": "ok",\n}', "The body is not valid JSON at line 2, column 14:"),
        (b"title=ok", "The body is a form (name=value). Send one JSON object, with `Content-Type: application/json`."),
        (b"event%5Btitle%5D=ok&x=1", "The body is a form (name=value)."),
        (b"title: a=b", "The body is not valid JSON at line 1, column 1:"),
        (b'"ok"', "The body must be a JSON object: one event, or a batch in `events`."),
    ],
)
def test_a_malformed_body_is_refused_with_the_position_of_the_fault(sender: Sender, body: bytes, detail: str) -> None:
    status, code, stated = refusal(sender.post(body, content_type="application/x-www-form-urlencoded"))

    assert (status, code) == (400, "bad_request") and stated.startswith(detail)


def test_an_unknown_field_is_a_warning_that_names_the_known_one(sender: Sender) -> None:
    [receipt] = sender.stored(event(dedup_key="disk:db-1"))

    detail = "unknown field, not stored; did you mean `dedupKey`?"
    assert receipt["warnings"] == [{"code": "field_unknown", "pointer": "/dedup_key", "detail": detail}]
    assert only_event().warnings == receipt["warnings"] and only_event().dedup_key is None


def test_the_warning_of_an_unknown_severity_names_the_known_ones(sender: Sender) -> None:
    [receipt] = sender.stored(event(severity="emergency"))
    [warning] = receipt["warnings"]

    assert warning["code"] == "severity_unknown"
    assert all(name in warning["detail"] for name in ("DEBUG", "SUCCESS", "WARNING", "CRITICAL", "warn", "fatal"))


def test_warnings_are_counted_by_source_and_shown_with_the_latest(
    sender: Sender, other_sender: Sender, app: Flask, cast: Cast
) -> None:
    olga = Browser(app, "http://127.0.0.1:8080", cookie=cast.cookie("olga"))
    path = f"/v1/sources/{typeid('src', cast.source.id)}"
    assert olga.get(path).json["warnings"] == []

    def counts() -> dict[str, int]:
        return {each["code"]: each["count"] for each in olga.get(path).json["warnings"]}

    secret = mint(KeyKind.SOURCE, b"x" * 32)
    for number in range(3):
        sender.stored(
            {"events": [event(**{f"dedupKey{number}": 1}), event(), event(severity="bad", idempotencyKey=f"k{number}")]}
        )
    sender.stored(event(severity="bad", idempotencyKey="k0"), key="again")
    other_sender.stored(event(severity="worse"))
    until(lambda: counts() == {"field_unknown": 3, "severity_unknown": 3})
    sender.stored(event(**{secret: 1}))  # it is written after the others, and added to what they came to

    until(lambda: counts() == {"field_unknown": 4, "severity_unknown": 3})
    found = {each["code"]: each for each in olga.get(path).json["warnings"]}
    assert found["field_unknown"]["example"]["pointer"] == "/svc_[REDACTED]"
    assert "dedupKey" not in found["field_unknown"]["example"]["detail"]
    assert found["severity_unknown"]["example"]["pointer"] == "/severity"
    assert found["severity_unknown"]["lastAt"].endswith("Z")
    [listed] = olga.get(f"/v1/sources?workspaceId={typeid('wsp', cast.workspace.id)}").json["items"]
    assert {each["code"]: each["count"] for each in listed["warnings"]} == {"field_unknown": 4, "severity_unknown": 3}
