"""Signed webhooks over HTTP: verification, stored events, and the life of a signing secret (specification 19.13)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.events.tables import Event
from inbox.models.senders.sources import Source, SourceKey
from tests.api.events.senders import only_event
from tests.browser import Browser, sound
from tests.cast import Cast, make_signing_secret, present, typeid
from tests.intake.payloads import payload

Browsers = Callable[[str], Browser]
RUN = json.dumps(payload("github", "alarm")).encode()
SENTRY_SECRET = "0f8c1d2e3a4b5c6d7e8f9a0b1c2d3e4f"


def signed(secret: str, body: bytes = RUN) -> dict[str, str]:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Hub-Signature-256": f"sha256={digest}", "X-GitHub-Event": "workflow_run"}


def send(app: Flask, source: Source, headers: dict[str, str], body: bytes = RUN, tool: str = "github") -> TestResponse:
    path = f"/v1/hooks/{tool}/{typeid('src', source.id)}"
    answer = app.test_client().post(path, headers=headers, data=body)
    sound(answer)
    return answer


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}/keys"


def create(browser: Browser, path: str, **fields: Any) -> TestResponse:
    return browser.post(path, {"kind": "signing_secret", "tool": "github", **fields})


def test_a_signed_payload_is_stored_as_one_with_a_key(app: Flask, cast: Cast) -> None:
    # A repeat with other content under the same id of a delivery is refused.
    delivery = {"X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958", "X-GitHub-Event": "workflow_run"}
    by_key = app.test_client().post(
        "/v1/hooks/github", headers={"Authorization": f"Bearer {cast.key}", **delivery}, data=RUN
    )

    answer = send(app, cast.source, {**signed(make_signing_secret(cast.source, "github")), **delivery})

    [first], [second] = by_key.get_json()["events"], answer.get_json()["events"]
    assert (answer.status_code, first["status"], second) == (202, "accepted", {**first, "status": "duplicate"})
    assert only_event().source_id == cast.source.id


def test_each_tool_is_authenticated_by_its_header(app: Flask, cast: Cast) -> None:
    token, client_secret = make_signing_secret(cast.source), make_signing_secret(cast.source, "sentry", SENTRY_SECRET)
    body = json.dumps(payload("sentry", "alarm")).encode()
    digest = hmac.new(client_secret.encode(), body, hashlib.sha256).hexdigest()

    of_gitlab = send(
        app, cast.source, {"X-Gitlab-Token": token}, json.dumps(payload("gitlab", "alarm")).encode(), "gitlab"
    )
    of_sentry = send(app, cast.source, {"Sentry-Hook-Signature": digest}, body, "sentry")

    assert (of_gitlab.status_code, of_sentry.status_code, Event.select().count()) == (202, 202, 2)


def test_the_signature_of_a_form_covers_its_raw_bytes(app: Flask, cast: Cast) -> None:
    secret = make_signing_secret(cast.source, "github")
    body = b"payload=%7B%22zen%22%3A+%22Design+for+failure.%22%7D"
    headers = {**signed(secret, body), "Content-Type": "application/x-www-form-urlencoded"}

    assert send(app, cast.source, headers, body).get_json() == {"events": [], "faults": []}


def test_an_unknown_source_is_answered_like_a_wrong_signature(app: Flask, cast: Cast) -> None:
    secret = make_signing_secret(cast.source, "github")
    make_signing_secret(cast.source, "gitlab")
    other = make_signing_secret(cast.foreign_source, "github")
    unknown = Source(id=new_id())
    disabled = Source.create(id=new_id(), workspace=cast.workspace, name="Off", enabled=False, created_at=present())
    of_disabled = make_signing_secret(disabled, "github")

    answers = [
        send(app, cast.source, signed(other)), send(app, cast.source, signed(secret, RUN + b" ")),
        send(app, unknown, signed(secret)), send(app, cast.foreign_source, signed(secret)),
        send(app, disabled, signed(of_disabled)),
    ]  # fmt: skip

    problems = [answer.get_json(force=True) for answer in answers]
    assert {answer.status_code for answer in answers} == {401}
    assert len({json.dumps({**each, "requestId": "", "instance": ""}) for each in problems}) == 1
    assert "secret of the webhook" in problems[0]["detail"]
    assert Event.select().count() == 0


def test_the_refusal_of_an_unsigned_request_names_the_missing_header(app: Flask, cast: Cast) -> None:
    make_signing_secret(cast.source, "github")

    bearer = send(app, cast.source, {"Authorization": f"Bearer {cast.key}"})
    of_gitlab = send(app, cast.source, {}, tool="gitlab")

    assert (bearer.status_code, of_gitlab.status_code) == (401, 401)
    assert "X-Hub-Signature-256" in bearer.get_json(force=True)["detail"]
    assert "X-Gitlab-Token" in of_gitlab.get_json(force=True)["detail"]


def of_grafana(secret: str, body: bytes, at: str) -> dict[str, str]:
    digest = hmac.new(secret.encode(), f"{at}:".encode() + body if at else body, hashlib.sha256).hexdigest()
    return {"X-Grafana-Alerting-Signature": digest, **({"X-Grafana-Alerting-Timestamp": at} if at else {})}


def test_grafana_is_authenticated_by_its_signature_with_and_without_a_time_and_by_a_key(app: Flask, cast: Cast) -> None:
    secret, body = make_signing_secret(cast.source, "grafana"), json.dumps(payload("grafana", "alarm")).encode()
    sent_at = str(int(present().timestamp()))

    believed = [send(app, cast.source, of_grafana(secret, body, at), body, "grafana") for at in ("", sent_at)]
    by_key = app.test_client().post("/v1/hooks/grafana", headers={"Authorization": f"Bearer {cast.key}"}, data=body)

    assert [answer.status_code for answer in (*believed, by_key)] == [202] * 3
    assert {each["status"] for answer in believed for each in answer.get_json()["events"]} == {"accepted", "duplicate"}


def test_a_changed_and_an_old_request_of_grafana_are_refused(app: Flask, cast: Cast) -> None:
    secret, body = make_signing_secret(cast.source, "grafana"), json.dumps(payload("grafana", "alarm")).encode()
    seconds = int(present().timestamp())
    headers = of_grafana(secret, body, str(seconds))
    moved = {"X-Grafana-Alerting-Signature": headers["X-Grafana-Alerting-Signature"]}

    answers = [
        send(app, cast.source, headers, body[:-1] + b" ", "grafana"),
        send(app, cast.source, of_grafana(secret, body, str(seconds - 400)), body, "grafana"),
        send(app, cast.source, {}, body, "grafana"),
        send(app, cast.source, moved, f"{seconds}:".encode() + body, "grafana"),
    ]

    assert [answer.status_code for answer in answers] == [401, 401, 401, 400]
    assert "X-Grafana-Alerting-Signature" in answers[2].get_json(force=True)["detail"]
    assert Event.select().count() == 0


@pytest.mark.parametrize("tool", ["zabbix", "nothing"])
def test_an_unsigned_tool_is_answered_with_the_list_of_signing_tools(app: Flask, cast: Cast, tool: str) -> None:
    answer = send(app, cast.source, {}, tool=tool)

    assert answer.status_code == 404
    assert "github, gitlab, grafana, sentry" in answer.get_json(force=True)["detail"]


def test_a_secret_is_shown_once_and_stored_sealed(browser: Browsers, cast: Cast, path: str) -> None:
    made = create(browser("adam"), path, name="Repository")

    key = SourceKey.get(SourceKey.kind == "signing_secret")
    secret = made.json["secret"]
    assert (made.status_code, made.json["tool"], made.json["kind"]) == (201, "github", "signing_secret")
    assert secret.startswith("whsec_") and made.json["hint"] == secret.rstrip("=")[-4:]
    assert secret.encode() not in bytes(key.sealed) and bytes(key.hash) != hashlib.sha256(secret.encode()).digest()
    listed = browser("adam").get(path).json["items"]
    assert secret not in str(listed) and {each["tool"] for each in listed} == {None, "github"}


def test_a_rotated_secret_works_for_its_grace_and_a_revoked_one_no_more(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    made = create(browser("adam"), path).json
    rotated = browser("adam").post(f"{path}/{made['id']}/rotate").json
    both = [send(app, cast.source, signed(each["secret"])).status_code for each in (made, rotated)]

    SourceKey.update(grace_ends_at=present() - timedelta(seconds=1)).where(
        SourceKey.id == ids.decode("key", made["id"])
    ).execute()
    assert both == [202, 202]
    assert send(app, cast.source, signed(made["secret"])).status_code == 401
    assert browser("adam").delete(f"{path}/{rotated['id']}").status_code == 204
    assert send(app, cast.source, signed(rotated["secret"])).status_code == 401
    assert SourceKey.get(SourceKey.id == ids.decode("key", rotated["id"])).sealed is None


def test_a_secret_that_the_tool_makes_is_entered_and_not_rotated(browser: Browsers, cast: Cast, path: str) -> None:
    made = create(browser("adam"), path, tool="sentry", secret=SENTRY_SECRET)
    rotated = browser("adam").post(f"{path}/{made.json['id']}/rotate")

    assert (made.status_code, made.json["hint"]) == (201, SENTRY_SECRET[-4:])
    assert (rotated.status_code, rotated.get_json(force=True)["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [({"tool": "zabbix"}, "/tool"), ({"tool": None}, "/tool"), ({"secret": "short"}, "/secret"),
     ({"secret": "with a space in its text"}, "/secret"), ({"secret": "x" * 257}, "/secret"),
     ({"tool": "sentry"}, "/secret"), ({"kind": "source_key"}, "/tool"),
     ({"kind": "alias_token", "secret": SENTRY_SECRET}, "/secret")],
)  # fmt: skip
def test_an_invalid_signing_secret_is_refused_with_its_pointer(
    browser: Browsers, cast: Cast, path: str, fields: dict[str, Any], pointer: str
) -> None:
    answer = create(browser("adam"), path, **fields)

    assert answer.status_code == 422
    assert pointer in {each["pointer"] for each in answer.get_json(force=True)["errors"]}


def test_a_signing_secret_needs_its_tool(browser: Browsers, cast: Cast, path: str) -> None:
    answer = browser("adam").post(path, {"kind": "signing_secret"})
    assert [each["pointer"] for each in answer.get_json(force=True)["errors"]] == ["/tool"]


def test_a_source_has_at_most_ten_secrets_of_a_tool(browser: Browsers, cast: Cast, path: str) -> None:
    answers = [create(browser("adam"), path).status_code for _ in range(11)]

    assert answers == [201] * 10 + [409]
    assert create(browser("adam"), path, tool="gitlab").status_code == 201


def test_a_rotation_that_would_exceed_ten_secrets_is_refused_and_ends_none(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    made = [create(browser("adam"), path).json for _ in range(10)]
    refused = browser("adam").post(f"{path}/{made[0]['id']}/rotate")

    assert (refused.status_code, refused.get_json(force=True)["code"]) == (409, "conflict")
    assert SourceKey.select().where(SourceKey.grace_ends_at.is_null(False)).count() == 0
    assert send(app, cast.source, signed(made[0]["secret"])).status_code == 202
    assert browser("adam").delete(f"{path}/{made[9]['id']}").status_code == 204
    assert browser("adam").post(f"{path}/{made[0]['id']}/rotate").status_code == 201
    assert send(app, cast.source, signed(made[0]["secret"])).status_code == 202


def test_a_secret_is_no_key(app: Flask, cast: Cast) -> None:
    secret = make_signing_secret(cast.source)
    headers = {"Authorization": f"Bearer {secret}", "X-Gotify-Key": secret}
    posts = ("/v1/events", "/v1/hooks/github", "/message")

    answers = [app.test_client().post(path, headers=headers, json={"title": "x", "message": "x"}) for path in posts]

    assert [answer.status_code for answer in answers] == [401, 401, 401]


def test_a_signed_hook_has_the_rate_limit_and_body_size_of_a_key(
    app: Flask, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    secret = make_signing_secret(cast.source, "github")
    assert send(app, cast.source, signed(secret), b" " * 2_200_000).status_code == 413
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [send(app, cast.source, signed(secret)) for _ in range(4)]

    assert [answer.status_code for answer in answers][-1] == 503
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_a_secret_appears_nowhere(
    app: Flask, browser: Browsers, cast: Cast, path: str, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    secret = create(browser("adam"), path).json["secret"]
    body = json.dumps({**payload("github", "alarm"), "note": secret}).encode()
    answers = [send(app, cast.source, signed(secret, body), body), send(app, cast.source, {"X-Gitlab-Token": secret})]

    texts = [answer.text for answer in answers] + [str(only_event().__data__), json.dumps(lines())]
    texts.append(browser("olga").get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/audit").text)
    assert secret not in "".join(texts)
