"""A write without a body is accepted as clients send it: without a body or a content type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.people.accounts import User
from tests.api.openapi.operations import Operation, operations
from tests.api.stage import IN_FORCE, Stage
from tests.browser import Browser
from tests.cast import Cast, sign_in
from tests.proving import HOME

WRITES = frozenset({"POST", "PUT", "PATCH"})
Browsers = Callable[[str], Browser]


def bodiless(app: Flask) -> list[Operation]:
    return [each for each in operations(app) if each.method in WRITES and "requestBody" not in each.described]


def test_the_api_has_acts_without_a_body(app: Flask) -> None:
    assert len(bodiless(app)) >= 18


@pytest.mark.usefixtures("ground")
def test_every_act_without_a_body_succeeds_without_a_content_type(
    app: Flask, in_settings: Callable[..., Settings]
) -> None:
    in_settings(**IN_FORCE)
    statuses = {}
    for operation in bodiless(app):
        stage = Stage()
        User.update(is_instance_admin=True).where(User.id == stage.owner.id).execute()
        token = sign_in(stage.owner)
        stage.act(stage.owner, token)
        browser = Browser(app, HOME, cookie=token)
        path = operation.path(app, operation.values(stage))
        answer = browser.call(operation.method, path, headers={"Content-Type": ""})
        statuses[operation.endpoint] = (answer.status_code, operation.success)

    assert {name: got for name, (got, _) in statuses.items()} == {name: due for name, (_, due) in statuses.items()}


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_body_needs_the_content_type_of_json(content_type: str, browser: Browsers, cast: Cast) -> None:
    mia = browser("mia")
    more: dict[str, Any] = {"content_type": content_type} if content_type else {}
    body, headers = b'{"matchText":"any event"}', {"Origin": mia.base_url}
    answer = mia.client.post("/v1/rules/parse", data=body, headers=headers, **more)

    assert (answer.status_code, answer.json["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("content_type", ["", "application/json"])
def test_an_empty_body_is_refused_by_an_operation_that_requires_one(
    content_type: str, browser: Browsers, cast: Cast
) -> None:
    answer = browser("mia").post("/v1/rules/parse", headers={"Content-Type": content_type})

    assert (answer.status_code, answer.json["detail"]) == (400, "The body is empty: send one JSON object.")


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"matchText":\n "x",}', "The body is not valid JSON at line 2, column 5: trailing comma is not allowed."),
        (b'{"matchText": nope}', "The body is not valid JSON at line 1, column 15:"),
        (b'{"matchText": "\xff"}', "The body is not UTF-8 text at byte 16."),
        (b" \n ", "The body is empty: send one JSON object."),
    ],
)
def test_an_answer_says_where_the_json_breaks(body: bytes, detail: str, browser: Browsers, cast: Cast) -> None:
    mia = browser("mia")
    headers = {"Origin": mia.base_url, "Content-Type": "application/json"}
    answer = mia.client.post("/v1/rules/parse", data=body, headers=headers)

    assert answer.status_code == 400 and detail in answer.json["detail"]
