"""A fault of one field is listed beside the faults of all others, by every operation (decision 0008)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.people.accounts import User
from tests.api.openapi.operations import Operation, operations
from tests.api.policy.expectations import EXPECTED
from tests.api.stage import IN_FORCE, Stage, somebody
from tests.browser import Browser
from tests.cast import join, make_key, make_signing_secret, sign_in
from tests.proving import HOME
from tests.stand_ins.phone import Phone, SigningTool

PROOFS = {"factors.add_passkey", "factors.confirm_totp"}
"""Looked at when all else is right: a try counts."""

OF_MAKERS = ("pagerduty.", "opsgenie.", "cloudevents.")
"""They take fields that nobody knows, and some refuse in the shape of the maker, without pointers."""

STATED = {
    "views.edit": [{"filters": {"state": ["opne"]}}],
    "destinations.edit": [{"config": {"url": "https://10.0.0.256/"}}, {"config": {"colour": "red"}}],
    "incidents.bulk": [{"action": "assign", "assigneeId": ids.encode("usr", new_id())}],
    "me.change_password": [{"newPassword": "password1234"}],
    "links.sign_up": [{"password": "password1234"}],
    "workspaces.change": [{"settings": {"requireMfa": True}}],
    "rules.edit": [{"then": {"disposition": None}}],
    "silences.edit": [{"recurrence": {"rrule": "FREQ=SECONDLY", "timezone": "UTC", "durationMinutes": 5}}],
}
"""Faults that do not follow from a schema of the document."""


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


def wrongs(schema: Mapping[str, Any], existing: Mapping[str, Any]) -> Iterator[Any]:
    """Wrong values that fit the schema: ids of nobody, times long past, nonsense."""
    schema = existing[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    match schema:
        case {"allOf": [only]} | {"anyOf": [only, *_]}:
            yield from wrongs(only, existing)
        case {"properties": properties}:
            for name, inner in properties.items():
                yield from ({name: value} for value in wrongs(inner, existing))
        case {"format": "typeid", "example": example}:
            yield ids.encode(example.partition("_")[0], new_id())
        case {"format": "date-time"}:
            yield "1970-01-01T00:00:00Z"
        case {"type": ["array", *_] | "array", "items": items}:
            yield from ([value] for value in wrongs(items, existing) if isinstance(value, str))
        case {"type": ["object", *_] | "object"}:
            yield {"colour": "red"}
        case {"type": ["string", *_] | "string"}:
            yield ""
        case _:
            yield "x"


def laid_over(body: Mapping[str, Any], wrong: Mapping[str, Any]) -> dict[str, Any]:
    return {**body, **{
        name: laid_over(body[name], value) if isinstance(body.get(name), dict) and name != "config" else value
        for name, value in wrong.items()
    }}  # fmt: skip


def enter(app: Flask, operation: Operation) -> tuple[Stage, Browser]:
    stage = Stage()
    if EXPECTED[operation.endpoint].credential == "sourceKey":
        return stage, Phone(app, HOME, make_key(stage.source))
    if EXPECTED[operation.endpoint].credential == "signature":
        return stage, SigningTool(app, HOME, make_signing_secret(stage.source))
    join(stage.workspace, somebody(), "owner")
    User.update(is_instance_admin=True).where(User.id == stage.owner.id).execute()
    token = sign_in(stage.owner)
    stage.act(stage.owner, token)
    return stage, Browser(app, HOME, cookie=token)


def reported(browser: Browser, operation: Operation, path: str, body: Any) -> set[str]:
    with closing(browser.call(operation.method, path, body)) as answer:
        problem = answer.get_json(force=True, silent=True) or {}
        return {each["pointer"] for each in problem.get("errors", ())} if answer.status_code == 422 else set()


def tried(app: Flask) -> Iterator[tuple[Operation, Mapping[str, Any]]]:
    existing = app.test_client().get("/v1/openapi.json").json["components"]["schemas"]
    for operation in operations(app):
        body = operation.described.get("requestBody")
        if (
            body is None
            or "application/json" not in body["content"]
            or operation.endpoint in {"events.create", "setup.create", *PROOFS}
            or operation.endpoint.startswith(OF_MAKERS)
        ):
            continue
        schema = body["content"]["application/json"]["schema"]
        for wrong in [*wrongs(schema, existing), *STATED.get(operation.endpoint, ())]:
            if not ("workspaceId" in wrong and EXPECTED[operation.endpoint].found_by == "body"):  # read first, alone
                yield operation, wrong


@pytest.mark.usefixtures("in_force")
def test_the_faults_of_known_fields_are_reported_beside_an_unknown_field(app: Flask) -> None:
    looked_at, lost = set(), {}
    for operation, wrong in tried(app):
        stage, browser = enter(app, operation)
        path, body = operation.path(app, operation.values(stage)), laid_over(operation.body(stage), wrong)
        alone = reported(browser, operation, path, body)
        if not alone:
            continue
        looked_at.add((operation.endpoint, *sorted(alone)))
        beside = reported(browser, operation, path, {**body, "surplus": 1})
        if beside != alone | {"/surplus"}:
            lost[f"{operation.endpoint} {wrong}"] = sorted(alone), sorted(beside)

    assert not lost, "\n".join(f"{name}: {found}" for name, found in lost.items())
    assert len(looked_at) > 150
    assert all(any(name == endpoint for name, *_ in looked_at) for endpoint in STATED)
