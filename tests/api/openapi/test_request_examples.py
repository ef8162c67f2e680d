"""Every request example of the document is a request that succeeds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.api.http.policy import POLICY
from inbox.config.settings import Settings
from tests.api.http.filled import entered, example_of, filled, setup_body
from tests.api.openapi.operations import Operation, operations
from tests.api.stage import IN_FORCE
from tests.browser import Browser
from tests.cast import make_key, make_signing_secret
from tests.identity.providers import OwnProvider
from tests.proving import HOME
from tests.stand_ins.phone import Phone, SigningTool, pair

pytestmark = pytest.mark.slow


JSON = "application/json"


def with_bodies(app: Flask) -> dict[str, Operation]:
    """The operations that take JSON. Text has no example."""
    return {each.endpoint: each for each in operations(app) if JSON in _content(each)}


def _content(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = operation.described.get("requestBody", {}).get("content", {})
    return found


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


@pytest.mark.usefixtures("in_force")
@pytest.mark.parametrize("endpoint", sorted(POLICY))
def test_the_example_of_a_request_succeeds(endpoint: str, app: Flask, in_settings: Callable[..., Settings]) -> None:
    operation = with_bodies(app).get(endpoint)
    if operation is None:
        return
    assert example_of(operation) is not None
    if endpoint == "setup.create":
        answer = Browser(app, HOME).post("/v1/setup", setup_body(operation))
    elif endpoint == "oidc.start":
        with OwnProvider(now=int(time.time())) as provider:
            in_settings(**IN_FORCE, oidc_providers=(provider.chosen(),))
            answer = Browser(app, HOME).post("/v1/auth/oidc/own/start", example_of(operation))
    else:
        stage, token = entered(app)
        browser = Browser(app, HOME, cookie=token)
        if POLICY[endpoint].credential == "sourceKey":
            browser = Phone(app, HOME, make_key(stage.source))
        elif POLICY[endpoint].credential == "aliasToken":
            browser = Phone(app, HOME, make_key(stage.source, kind="alias_token"))
        elif POLICY[endpoint].credential == "signature":
            browser = SigningTool(app, HOME, make_signing_secret(stage.source))
        elif POLICY[endpoint].credential == "device":
            browser = Phone(app, HOME, pair(stage.owner).access_token)
        body = filled(operation, stage, app)
        answer = browser.call(operation.method, operation.path(app, operation.values(stage)), body)

    assert 200 <= answer.status_code < 300, (answer.status_code, answer.get_data(as_text=True))
    assert str(answer.status_code) in operation.described["responses"]
