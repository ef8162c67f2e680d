"""Every JSON body passes one bounded check first, and no body makes a large answer (decision 0008)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import marshmallow as ma
import orjson
import peewee
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.api.http import body_limits
from inbox.api.http.policy import POLICY
from inbox.api.http.problems import problem_bytes
from inbox.api.http.schemas.base import BoundedList
from inbox.config.settings import Settings, current
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.models.people.accounts import User
from tests.api.http.hostile import LARGE, SMALL, bodies
from tests.api.openapi.operations import Operation, document_of, operations
from tests.api.stage import IN_FORCE, Stage
from tests.browser import Browser, sound
from tests.cast import Cast, make_key, make_signing_secret, sign_in
from tests.proving import HOME
from tests.stand_ins.phone import Phone, SigningTool

Browsers = Callable[[str], Browser]
BULK = "/v1/incidents/bulk"
MAX_ERRORS, MAX_BYTES = 50, 64 * 1024
"""Of a problem document."""


def send(browser: Browser, method: str, path: str, body: bytes) -> TestResponse:
    headers = {"Origin": browser.base_url, "Content-Type": "application/json"}
    if isinstance(browser, Phone):
        headers |= {"Origin": "", "Authorization": f"Bearer {browser.access_token}"}
    if isinstance(browser, SigningTool):
        headers |= {"Origin": "", "X-Gitlab-Token": browser.secret}
    answer = browser.client.open(path, method=method, data=body, headers={k: v for k, v in headers.items() if v})
    sound(answer)
    return answer


def entered(app: Flask, endpoint: str) -> tuple[Stage, Browser]:
    """Somebody who may do everything, so that every body is read."""
    stage = Stage()
    User.update(is_instance_admin=True).where(User.id == stage.owner.id).execute()
    if POLICY[endpoint].credential == "sourceKey":
        return stage, Phone(app, HOME, make_key(stage.source))
    if POLICY[endpoint].credential == "signature":
        return stage, SigningTool(app, HOME, make_signing_secret(stage.source))
    token = sign_in(stage.owner)
    stage.act(stage.owner, token)
    return stage, Browser(app, HOME, cookie=token)


def schema_of(operation: Operation) -> dict[str, Any]:
    content = operation.described.get("requestBody", {}).get("content", {})
    found: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    return found


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


@pytest.mark.slow
@pytest.mark.usefixtures("in_force")
@pytest.mark.parametrize("endpoint", sorted(POLICY))
def test_no_body_breaks_an_operation_or_makes_a_large_answer(endpoint: str, app: Flask) -> None:
    components = document_of(app)["components"]
    for operation in (each for each in operations(app) if each.endpoint == endpoint):
        stage, browser = entered(app, endpoint)
        path = operation.path(app, operation.values(stage))
        for name, body in hostile(operation, components):
            answer = send(browser, operation.method, path, body)
            assert answer.status_code < 500, name
            if answer.status_code >= 400:
                assert len(answer.data) <= MAX_BYTES, name
                assert len(json.loads(answer.data).get("errors", [])) <= MAX_ERRORS, name
            answer.close()


def hostile(operation: Operation, components: dict[str, Any]) -> list[tuple[str, bytes]]:
    """All that is sent to the operation: less where no body is read at all, or no field of it."""
    schema = schema_of(operation)
    sizes = [SMALL, LARGE] if schema else [SMALL]
    found = [each for size in sizes for each in bodies(schema, components, size)]
    return found if operation.method != "GET" else found[:1]


def nested(depth: int) -> bytes:
    return b'{"name":' * (depth - 1) + b"{}" + b"}" * (depth - 1)


@pytest.mark.parametrize(
    ("depth", "status"), [(31, 422), (32, 422), (33, 400), (980, 400), (1_023, 400), (5_000, 400)]
)  # fmt: skip
def test_a_body_nests_at_most_32_deep(depth: int, status: int, browser: Browsers) -> None:
    answer = send(browser("mia"), "POST", "/v1/rules/parse", nested(depth))

    assert answer.status_code == status


@pytest.mark.parametrize(("nodes", "status"), [(19_999, 422), (20_000, 422), (20_001, 400), (300_000, 400)])
def test_a_body_holds_at_most_20_000_values(nodes: int, status: int, browser: Browsers) -> None:
    body = orjson.dumps({"ids": [""] * (nodes - 3), "action": "acknowledge"})
    answer = send(browser("mia"), "POST", BULK, body)

    assert answer.status_code == status


def test_an_oversized_list_has_one_fault_whatever_its_items(browser: Browsers) -> None:
    answer = browser("mia").post(BULK, {"ids": [""] * 1_000, "action": "acknowledge"})

    assert [fault["pointer"] for fault in answer.json["errors"]] == ["/ids"]


def test_a_list_of_as_many_items_as_it_may_have_is_read_item_by_item(browser: Browsers) -> None:
    answer = browser("mia").post(BULK, {"ids": [""] * 5, "action": "acknowledge"})

    assert [fault["pointer"] for fault in answer.json["errors"]] == [f"/ids/{index}" for index in range(5)]


def test_the_items_of_a_list_that_is_too_long_are_not_read() -> None:
    read = []

    class Item(ma.fields.Field[Any]):
        def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
            read.append(value)
            return value

    items = BoundedList(Item(), validate=ma.validate.Length(max=3))

    with pytest.raises(ma.ValidationError):
        items.deserialize([1, 2, 3, 4])
    assert read == []
    assert items.deserialize([1, 2, 3]) == read == [1, 2, 3]


def lists(schema: Any, at: str, components: dict[str, Any], seen: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        name = schema.get("$ref", "").rpartition("/")[2]
        if name and name not in seen:
            yield from lists(components["schemas"][name], at, components, (*seen, name))
        if "items" in schema and "array" in schema.get("type", ()):
            yield at, schema
        for key, inner in schema.items():
            yield from lists(inner, f"{at}/{key}", components, seen)
    elif isinstance(schema, list):
        for inner in schema:
            yield from lists(inner, at, components, seen)


def test_every_list_of_a_request_has_a_documented_length(app: Flask) -> None:
    components = document_of(app)["components"]
    found = {
        (operation.endpoint, at): schema
        for operation in operations(app)
        for at, schema in lists(schema_of(operation), "", components)
    }

    assert len(found) > 20
    of_senders = {
        "events.create",
        "pagerduty.enqueue",
        "pagerduty.enqueue_change",
        "prometheus.push",
        "opsgenie.create",
    }
    """What is too much of an event's tags or metadata is cut."""
    assert [where for where, schema in found.items() if "maxItems" not in schema and where[0] not in of_senders] == []


def test_the_same_fields_are_named_where_nuls_are_few(browser: Browsers) -> None:
    answer = browser("mia").post("/v1/rules/parse", {"matchText": "a\0b", "other": ["\0", "x"], "third": 1})

    pointers = [fault["pointer"] for fault in answer.json["errors"]]
    assert (pointers[:2], sorted(pointers[2:])) == (["/matchText", "/other/0"], ["/other", "/third"])


@pytest.mark.parametrize("count", [49, 50, 51, 1_000])
def test_a_problem_lists_at_most_50_errors_and_says_when_there_are_more(count: int, browser: Browsers) -> None:
    problem = browser("mia").post("/v1/rules/parse", {f"unknown{number}": 1 for number in range(count)}).json

    assert len(problem["errors"]) == min(count, MAX_ERRORS)
    assert ("The first 50 are listed." in problem["detail"]) is (count > MAX_ERRORS)


@pytest.mark.parametrize("length", [10, 1_000, 100_000])
def test_a_problem_has_at_most_64_kib(length: int) -> None:
    errors = [Fault(f"/{number}/" + "\u0001" * length, "é" * length) for number in range(200)]
    _, headers, body = problem_bytes(ValidationFailed("x" * length, errors=errors), "r" * 32, "https://example.org/p")

    assert len(body) <= MAX_BYTES and dict(headers)["Content-Length"] == str(len(body))
    assert json.loads(body)["code"] == "validation_failed" and json.loads(body)["errors"]


def test_a_problem_keeps_its_code_when_its_own_members_are_too_large() -> None:
    refusal = ValidationFailed("no", extra={"usedBy": ["x" * MAX_BYTES]})
    _, _, body = problem_bytes(refusal, "r" * 32, "https://example.org/p")

    assert len(body) <= MAX_BYTES and json.loads(body)["code"] == "validation_failed"


def test_bodies_of_anonymous_clients_have_separate_room(browser: Browsers, anonymous: Browser, cast: Cast) -> None:
    body, most = b"{}".ljust(16 * 1024), current().ingest_bytes_in_flight
    mia = browser("mia")
    body_limits.room.reserve(most, most)
    try:
        existing = send(mia, "POST", "/v1/rules/parse", body)
        unknown = send(anonymous, "POST", "/v1/auth/login", body)
    finally:
        body_limits.room.release(most)

    assert (existing.status_code, unknown.status_code) == (503, 422)


def test_a_secret_in_a_long_name_is_not_repeated() -> None:
    errors = [Fault("/" + "n" * 990 + "/svc_src_" + "S" * 40, "Unknown field.")]
    _, _, body = problem_bytes(ValidationFailed(errors=errors), "r" * 32, "https://example.org/p")

    assert b"SSS" not in body


@pytest.mark.parametrize("path", ["/v1/me/identities/%00", "/v1/me/identities/%ff", "/v1/me/identities/a%ED%A0%80"])
def test_a_path_that_is_no_text_leads_nowhere(path: str, browser: Browsers) -> None:
    assert browser("mia").delete(path).status_code == 404


@pytest.mark.parametrize("value", ["%00", "a%00b", "%ff", "%ED%A0%80", "%C3"])
def test_a_query_that_is_not_text_is_refused_with_its_pointer(value: str, browser: Browsers, cast: Cast) -> None:
    answer = browser("mia").get(f"/v1/events?q={value}&limit=5")

    assert (answer.status_code, [each["pointer"] for each in answer.json["errors"]]) == (422, ["/query/q"])


def test_a_query_in_utf_8_is_read(browser: Browsers, cast: Cast) -> None:
    assert browser("mia").get("/v1/events?q=%C3%BC+%F0%9F%98%80").status_code == 200
