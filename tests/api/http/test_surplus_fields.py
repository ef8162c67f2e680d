"""Every operation refuses unknown fields and parameters (specification 2.2, decision 0008)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.api.http.policy import POLICY, Credential
from inbox.config.settings import Settings
from inbox.models.incidents.tables import Incident
from inbox.models.people.accounts import User
from tests.api.openapi.operations import Operation, operations
from tests.api.stage import IN_FORCE, Stage, somebody
from tests.browser import Browser
from tests.cast import Cast, join, make_key, sign_in, typeid
from tests.flow.routing_fixtures import incident, routed
from tests.proving import HOME
from tests.stand_ins.phone import Phone, pair

IGNORES = frozenset(
    {
        "built_in_receiver.receive",
        "legacy.health",
        "legacy.version",
        "opsgenie.ping",
        "opsgenie.request_status",
        "opsgenie.list_alerts",
        "opsgenie.read_alert",
        "interactions.receive",
        "phone_answers.key",
        "phone_answers.text_message",
        "app_interactions.slack",
        "app_interactions.discord",
        "status_callbacks.receive",
        "unsubscribing.accept",
        "events.create",
        "heartbeats.ping",
        "heartbeats.ping_with_text",
        "heartbeats.ping_handle",
        "heartbeats.ping_handle_with_text",
        "heartbeats.ping_signal",
        "heartbeats.ping_signal_with_text",
        "heartbeats.ping_slug",
        "heartbeats.ping_slug_with_text",
        "push_pings.ping",
        "push_pings.ping_by_post",
        "push_pings.ping_by_put",
        "push_pings.ping_by_patch",
        "push_pings.ping_by_delete",
        "hooks.receive",
        "hooks.receive_signed",
        "hooks.receive_by_put",
        "hooks.receive_signed_by_put",
        "legacy.push",
        "legacy.push_at_root",
        "prometheus.push",
        "cloudevents.receive",
        "opsgenie.create",
        "opsgenie.act",
        "opsgenie.change",
        "opsgenie.ping_by_post",
        "pagerduty.enqueue",
        "pagerduty.enqueue_change",
    }
)
"""Senders may be newer than this server."""

GONE = "setup.create"
"""Not there while there are people."""

ANSWERED = "oidc.callback"
"""Providers add their own parameters."""


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


def writes(app: Flask) -> Iterator[Operation]:
    return (each for each in operations(app) if each.method != "GET" and each.endpoint not in IGNORES | {GONE})


def enter(operation: Operation, app: Flask) -> tuple[Stage, Browser]:
    """A stage, and an owner and instance administrator, who is the last of neither."""
    stage = Stage()
    other = somebody()
    join(stage.workspace, other, "owner")
    User.update(is_instance_admin=True).where(User.id.in_([stage.owner.id, other.id])).execute()
    if POLICY[operation.endpoint].credential is Credential.SOURCE_KEY:
        return stage, Phone(app, HOME, make_key(stage.source))
    if POLICY[operation.endpoint].credential is Credential.DEVICE:
        tokens = pair(stage.owner)
        stage.device = tokens.device_id
        return stage, Phone(app, HOME, tokens.access_token)
    token = sign_in(stage.owner)
    stage.act(stage.owner, token)
    return stage, Browser(app, HOME, cookie=token)


@pytest.mark.usefixtures("in_force")
def test_every_operation_refuses_an_unknown_field_with_its_pointer(app: Flask) -> None:
    answers: dict[str, Any] = {}
    for operation in writes(app):
        stage, browser = enter(operation, app)
        path, body = operation.path(app, operation.values(stage)), operation.body(stage) or {}
        with closing(browser.call(operation.method, path, {**body, "surplus": 1})) as answer:
            reported = [each["pointer"] for each in answer.get_json(force=True).get("errors", ())]
            answers[f"{operation.endpoint} {operation.method}"] = answer.status_code, reported

    assert len(answers) > 80
    assert {name: answer for name, answer in answers.items() if answer != (422, ["/surplus"])} == {}


@pytest.mark.usefixtures("in_force")
@pytest.mark.parametrize("body", [None, {}])
def test_an_operation_without_a_body_accepts_no_body_or_an_empty_one(app: Flask, body: Any) -> None:
    answers, due = {}, {}
    for operation in writes(app):
        if "requestBody" in operation.described:
            continue
        stage, browser = enter(operation, app)
        path = operation.path(app, operation.values(stage))
        json_too = {"Content-Type": "application/json"}
        with closing(browser.call(operation.method, path, body, headers=json_too)) as answer:
            answers[operation.endpoint] = answer.status_code
        due[operation.endpoint] = operation.success

    assert len(answers) > 30
    assert answers == due


@pytest.mark.usefixtures("in_force")
def test_every_operation_refuses_an_unknown_parameter_with_its_pointer(app: Flask) -> None:
    answers: dict[str, Any] = {}
    for operation in operations(app):
        if not operation.rule.rule.startswith("/v1") or operation.endpoint in IGNORES | {ANSWERED}:
            continue
        stage, browser = enter(operation, app)
        path, body = operation.path(app, operation.values(stage)), operation.body(stage)
        with closing(browser.call(operation.method, f"{path}?sur/plus=1", body)) as answer:
            reported = [each["pointer"] for each in answer.get_json(force=True).get("errors", ())]
            answers[f"{operation.endpoint} {operation.method}"] = answer.status_code, reported
        assert "422" in operation.described["responses"], operation.endpoint

    assert len(answers) > 130
    assert {name: answer for name, answer in answers.items() if answer != (422, ["/query/sur~1plus"])} == {}


def test_an_act_with_a_parameter_that_nobody_knows_is_not_done(browser: Callable[[str], Browser], cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    path = f"/v1/incidents/{typeid('inc', existing.id)}"

    assert browser("mia").post(f"{path}/acknowledge?dryRun=true").status_code == 422
    assert browser("mia").call("HEAD", f"{path}?x").status_code == 422
    assert browser("mia").get(f"{path}?").status_code == 200
    assert Incident.get_by_id(existing.id).state == "open"


@pytest.mark.parametrize("address", ["/", "/healthz", "/readyz", "/metrics", "/problems", "/problems/conflict"])
def test_pages_accept_unknown_query_parameters(anonymous: Browser, address: str) -> None:
    assert anonymous.get(f"{address}?utm_source=mail").status_code == 200


def test_senders_and_providers_may_add_parameters_of_their_own(app: Flask, cast: Cast, anonymous: Browser) -> None:
    sender = Phone(app, HOME, make_key(cast.source))

    assert sender.post("/v1/events?format=json", {"title": "Disk full"}).status_code == 202
    assert anonymous.get("/v1/auth/oidc/acme/callback?code=x&state=y&session_state=z").status_code == 303


@pytest.mark.parametrize(("sent", "status"), [("{", 400), ("[]", 400), ("null", 400), ('{"x": "\\u0000"}', 422)])
def test_a_body_that_is_not_an_object_is_refused_by_acts_without_a_body(
    browser: Callable[[str], Browser], cast: Cast, sent: str, status: int
) -> None:
    existing = incident(routed(cast.source).id)
    path = f"/v1/incidents/{typeid('inc', existing.id)}/acknowledge"
    mia = browser("mia")

    answer = mia.client.post(path, data=sent, headers={"Origin": mia.base_url, "Content-Type": "application/json"})

    assert answer.status_code == status
    assert Incident.get_by_id(existing.id).state == "open"
