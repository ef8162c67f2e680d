"""The OpenAPI document is valid, complete, and matches the server (specification 1.7)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

import inbox
from app import create_app
from inbox.api.http.policy import POLICY, Credential
from inbox.api.http.problems import KINDS
from inbox.api.openapi.operations import each_operation
from inbox.api.openapi.security_schemes import SECURITY
from inbox.config.settings import Settings


@pytest.fixture(scope="module")
def document(settings: Settings) -> dict[str, Any]:
    found = create_app(settings).test_client().get("/v1/openapi.json")
    assert found.status_code == 200 and found.content_type == "application/json"
    return dict(found.json)


def operations(document: dict[str, Any], app: Flask) -> Iterator[tuple[str, dict[str, Any]]]:
    for rule, method, operation in each_operation(document, app):
        yield f"{method} {rule.rule}", operation | {"endpoint": rule.endpoint}


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    validate(document)


def test_the_openapi_document_describes_exactly_the_served_routes(document: dict[str, Any], app: Flask) -> None:
    described = {(operation["endpoint"], name.split()[0]) for name, operation in operations(document, app)}
    served = {
        (rule.endpoint, method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not rule.endpoint.startswith("dashboard.")  # pages and files for browsers
    }

    assert described == served
    assert {endpoint for endpoint, _ in described} == {each for each in POLICY if not each.startswith("dashboard.")}


def test_every_operation_has_a_summary_and_a_description(document: dict[str, Any], app: Flask) -> None:
    names = []
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    for name, operation in operations(document, app):
        assert operation["summary"][0].isupper() and not operation["summary"].endswith("."), name
        assert re.fullmatch("[a-z][a-zA-Z]+", operation["operationId"]), name
        assert all(tags[tag] for tag in operation["tags"]), name
        names.append(operation["operationId"])

    assert len(names) == len(set(names))


def test_the_documented_security_equals_the_policy(document: dict[str, Any], app: Flask) -> None:
    schemes = document["components"]["securitySchemes"]

    assert set(schemes) == {
        "sessionCookie",
        "deviceBearer",
        "sourceKey",
        "heartbeatToken",
        "pingKey",
        "metricsToken",
    } | {
        "legacyKey",
        "legacyFormatKey",
        *("aliasBearer", "githubSignature", "gitlabToken", "sentrySignature", "grafanaSignature"),
    }
    for _, operation in operations(document, app):
        entry = POLICY[operation["endpoint"]]
        if entry.optional_credential is None:
            assert operation["security"] == SECURITY[entry.credential]
        else:
            assert (
                operation["security"] == [{}, *SECURITY[entry.optional_credential]]
                and entry.credential is Credential.NONE
            )
        assert all(name in schemes for each in operation["security"] for name in each)


def test_an_operation_with_an_optional_credential_documents_it(document: dict[str, Any], app: Flask) -> None:
    takes = {operation["endpoint"]: operation["security"] for _, operation in operations(document, app)}

    assert takes["invites.accept"] == [{}, {"sessionCookie": []}, {"deviceBearer": []}]
    assert takes["oidc.start"] == takes["oidc.callback"] == [{}, {"sessionCookie": []}]
    assert takes["metrics.read"] == [{}, {"metricsToken": []}]
    assert takes["invites.preview"] == takes["auth.login"] == takes["document.read"] == []


def test_no_view_looks_at_a_credential_that_the_policy_does_not_name(app: Flask) -> None:
    lookers = {"identify", "_who", "_session", "may_read", "_intent", "_started_by"}
    for endpoint, entry in POLICY.items():
        names = set(inspect.unwrap(app.view_functions[endpoint]).__code__.co_names)
        if entry.credential is Credential.NONE:
            assert (entry.optional_credential is not None) is bool(names & lookers), endpoint


def test_every_problem_is_described_with_status_code_and_example(document: dict[str, Any], app: Flask) -> None:
    for name, operation in operations(document, app):
        refused = {status: answer for status, answer in operation["responses"].items() if int(status) >= 400}
        assert "500" in refused, name
        for status, answer in refused.items():
            problem = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
            [media] = problem["content"]
            of_maker = operation["endpoint"].startswith(("pagerduty.", "opsgenie."))
            assert media == ("application/json" if of_maker else "application/problem+json")
            codes = list(problem["content"][media]["examples"])
            assert {KINDS[code].status for code in codes} == {int(status)}, name
            assert all(f"`{code}`" in problem["description"] for code in codes)
            assert ("Retry-After" in problem["headers"]) is any(
                KINDS[code].retry_after is not None for code in codes
            ), name


def test_every_answer_carries_its_request_id(document: dict[str, Any], app: Flask) -> None:
    components = document["components"]
    for name, operation in operations(document, app):
        for answer in operation["responses"].values():
            whole = components["responses"][answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
            assert "X-Request-Id" in whole["headers"], name


def test_every_body_has_an_example_that_fits_its_schema(document: dict[str, Any], app: Flask) -> None:
    checked = 0
    for name, operation in operations(document, app):
        for body in [operation.get("requestBody", {}), *operation["responses"].values()]:
            media = body.get("content", {}).get("application/json")
            if media is not None:
                assert "example" in media or "examples" in media, name
                given = (
                    [media["example"]] if "example" in media else [each["value"] for each in media["examples"].values()]
                )
                schema = media["schema"] | {"components": document["components"]}
                for each in given:
                    Draft202012Validator(schema).validate(each)
                    checked += 1

    assert checked > 20


def test_examples_of_problems_are_problems(document: dict[str, Any]) -> None:
    components = document["components"]
    schema = {"$ref": "#/components/schemas/Problem", "components": components}

    assert set(components["examples"]) == set(KINDS)
    for example in components["examples"].values():
        Draft202012Validator(schema).validate(example["value"])


def test_the_document_lists_503_for_the_readiness_check(document: dict[str, Any]) -> None:
    answers = document["paths"]["/readyz"]["get"]["responses"]

    assert answers["503"] == {"$ref": "#/components/responses/unavailable"}


def test_every_extra_field_of_a_refusal_is_documented(document: dict[str, Any]) -> None:
    product = Path(inbox.__file__).parent
    added = {name for path in product.rglob("*.py") for name in re.findall(r'extra=\{"(\w+)":', path.read_text())}

    assert {"requiredRole", "routingProfiles"} <= added
    assert added <= set(document["components"]["schemas"]["Problem"]["properties"])


def test_lists_page_and_changes_name_their_revision(document: dict[str, Any]) -> None:
    listing = document["paths"]["/v1/workspaces"]["get"]
    change = document["paths"]["/v1/workspaces/{workspace_id}"]["patch"]

    assert {"limit", "cursor", "offset", "sort", "order"} <= {each["name"] for each in listing["parameters"]}
    assert {"$ref": "#/components/parameters/IfMatch"} in change["parameters"]
    assert "412" in change["responses"] and "ETag" in change["responses"]["200"]["headers"]


def test_a_password_is_nowhere_answered(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        if "password" in schema.get("properties", {}):
            assert schema["properties"]["password"].get("writeOnly") is True, name


def test_the_openapi_document_is_built_once(app: Flask) -> None:
    client = app.test_client()

    assert client.get("/v1/openapi.json").data is not None
    assert client.get("/v1/openapi.json").data == client.get("/v1/openapi.json").data
