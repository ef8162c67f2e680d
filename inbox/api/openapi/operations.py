"""Adds to every operation its name, security, problems and headers, which schemas do not have."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from inbox.api.http.blueprint import ANY_QUERY, REFUSES, Blueprint
from inbox.api.http.policy import PEOPLE, POLICY, Credential, EndpointPolicy
from inbox.api.http.problems import CONTENT_TYPE, KINDS
from inbox.api.http.request_examples import corrected
from inbox.api.http.schemas.base import camel
from inbox.api.openapi.examples import example
from inbox.api.openapi.security_schemes import security
from inbox.config.settings import Settings

JSON = "application/json"
METHODS = ("get", "put", "post", "patch", "delete")
_PARAMETER = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")


def complete(described: dict[str, Any], app: Flask, settings: Settings) -> None:
    """Adds to each operation the parts that follow from the policy. Raises `KeyError` for one without a declaration."""
    components = described.setdefault("components", {})
    components.setdefault("headers", {}).update(HEADERS)
    components.setdefault("examples", {}).update(_examples(settings))
    components.setdefault("parameters", {}).update(PARAMETERS)
    answers = components.setdefault("responses", {})
    answers["NotModified"] = NOT_MODIFIED
    for rule, method, operation in each_operation(described, app):
        _complete(operation, method, rule, app, answers)
    for media in _media(described):
        if "examples" not in media:
            media.setdefault("example", example(media["schema"], components["schemas"]))
    for rule, _, operation in each_operation(described, app):
        sent = operation.get("requestBody", {}).get("content", {}).get(JSON, {})
        if "example" in sent:
            sent["example"] = corrected(app.view_functions[rule.endpoint], deepcopy(sent["example"]))


def each_operation(described: Mapping[str, Any], app: Flask) -> Iterator[tuple[Rule, str, dict[str, Any]]]:
    """Yields route, method and operation of everything that is described."""
    rules = {
        (path_of(rule), method.lower()): rule for rule in app.url_map.iter_rules() for method in rule.methods or ()
    }
    for path, item in described["paths"].items():
        for method in METHODS:
            if method in item:
                yield rules[(path, method)], method, item[method]


def path_of(rule: Rule) -> str:
    """Returns the path of a route in the form of the document, with `{name}` for each parameter."""
    return _PARAMETER.sub(r"{\1}", rule.rule)


def _complete(operation: dict[str, Any], method: str, rule: Rule, app: Flask, answers: dict[str, Any]) -> None:
    endpoint = rule.endpoint
    entry = POLICY[endpoint]
    operation["operationId"] = camel(re.sub(r"[._]", "_", endpoint))
    operation["security"] = security(entry)
    operation |= _access(entry)
    if entry.role is not None:
        role = f"Needs the role `{entry.role}` in the workspace."
        operation["description"] = "\n\n".join(filter(None, (operation.get("description", ""), role)))
    if entry.instance_admin:
        operation["description"] = f"{operation.get('description', '')}\n\nFor administrators of the instance.".strip()
    called = _called(app.view_functions[endpoint])
    if called & {"expected_rev", "check_match"}:
        operation.setdefault("parameters", []).append({"$ref": "#/components/parameters/IfMatch"})
    responses = {str(status): answer for status, answer in operation["responses"].items() if int(status) < 400}
    for status, answer in responses.items():
        sent = ["X-Request-Id", *(["ETag"] if "tagged" in called else []), *(["Location"] if status == "201" else [])]
        answer.setdefault("headers", {}).update({name: {"$ref": f"#/components/headers/{name}"} for name in sent})
    if method == "get" and entry.credential in PEOPLE and JSON in responses.get("200", {}).get("content", {}):
        responses["304"] = {"$ref": "#/components/responses/NotModified"}
    by_status: dict[int, list[str]] = {}
    for code in _codes(operation, method, entry, in_path=bool(rule.arguments)):
        by_status.setdefault(KINDS[code].status, []).append(code)
    for status_code, codes in sorted(by_status.items()):
        responses[str(status_code)] = {
            "$ref": f"#/components/responses/{_refusal(blueprint_of(app, endpoint), codes, answers)}"
        }
    operation["responses"] = responses


def _access(entry: EndpointPolicy) -> dict[str, Any]:
    """Returns the requirements of an operation: role, step-up, and whether it is for administrators."""
    return {
        "x-role": None if entry.role is None else str(entry.role),
        "x-step-up": None if entry.step_up is None else str(entry.step_up),
        "x-instance-admin": entry.instance_admin,
    }


def _called(view: Callable[..., Any]) -> frozenset[str]:
    """Returns the names that a view uses. They show how it uses revisions, so that the document cannot be wrong."""
    return frozenset(inspect.unwrap(view).__code__.co_names)


def _codes(operation: dict[str, Any], method: str, entry: EndpointPolicy, *, in_path: bool) -> list[str]:
    """Returns the codes of all problems that the operation can answer with."""
    own_codes = operation.pop(REFUSES, ())
    operation.pop(ANY_QUERY, None)
    parameters = operation.get("parameters", ())
    is_authenticated = entry.credential is not Credential.NONE
    is_session = entry.credential in PEOPLE
    writes = method != "get" and entry.credential in (Credential.NONE, Credential.SESSION, Credential.USER)
    takes_body = writes or "requestBody" in operation
    by_condition: tuple[tuple[bool, tuple[str, ...]], ...] = (
        (True, ("internal_error", *own_codes)),
        (entry.database or is_authenticated, ("unavailable",)),
        (is_authenticated, ("unauthenticated",)),
        (is_session, ("rate_limited",)),
        (writes or entry.role is not None or entry.instance_admin, ("forbidden",)),
        (entry.role is not None and entry.mfa, ("mfa_required",)),
        (takes_body, ("unsupported_media_type",)),
        (entry.step_up is not None, ("reauth_required",)),
        (in_path, ("not_found",)),
        (takes_body, ("bad_request", "payload_too_large", "validation_failed")),
        (any(each.get("in", "header") == "query" for each in parameters), ("uri_too_long",)),
        ({"$ref": "#/components/parameters/IfMatch"} in parameters, ("rev_mismatch",)),
    )
    return list(dict.fromkeys(code for applies, codes in by_condition if applies for code in codes))


def _media(described: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields every JSON body of the document except problems, which have examples."""
    for item in described["paths"].values():
        for method in METHODS:
            operation = item.get(method, {})
            bodies = [operation.get("requestBody", {}), *operation.get("responses", {}).values()]
            yield from (body["content"][JSON] for body in bodies if "schema" in body.get("content", {}).get(JSON, {}))


def blueprint_of(app: Flask, endpoint: str) -> Blueprint:
    """Returns the blueprint of an endpoint that the document describes."""
    found = app.blueprints[endpoint.partition(".")[0]]
    assert isinstance(found, Blueprint)
    return found


def _refusal(blp: Blueprint, codes: list[str], answers: dict[str, Any]) -> str:
    """Returns the name of the answer with these codes, after adding it to `answers`."""
    if blp.error_shape is None:
        name = "-".join(codes)
        answers.setdefault(name, _problem(codes))
    else:
        name = "-".join((blp.name, *codes))
        answers.setdefault(name, _error(codes, blp.error_shape))
    return name


def _error(codes: list[str], shape: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the problems in the shape of the maker of a format."""
    examples = {code: {"value": {**example(shape, {}), "code": code, "detail": KINDS[code].meaning}} for code in codes}
    return {**_problem(codes), "content": {JSON: {"schema": shape, "examples": examples}}}


def _problem(codes: list[str]) -> dict[str, Any]:
    headers = {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}}
    if any(code in ("rate_limited", "unavailable", "idempotency_in_progress") for code in codes):
        headers["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
    return {
        "description": "\n".join(f"`{code}`: {KINDS[code].meaning}" for code in codes),
        "headers": headers,
        "content": {
            CONTENT_TYPE: {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {code: {"$ref": f"#/components/examples/{code}"} for code in codes},
            }
        },
    }


HEADERS: Mapping[str, Any] = {
    "X-Request-Id": {
        "description": "This request's id, the same as in a problem and in the server's log.",
        "schema": {"type": "string"},
        "required": True,
    },
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}, "required": True},
    "ETag": {
        "description": "The revision of the record, for `If-Match`; of a read also a digest of its content, for"
        " `If-None-Match`.",
        "schema": {"type": "string", "example": '"7"'},
    },
    "Location": {
        "description": "The address of what was made.",
        "schema": {"type": "string", "format": "uri-reference"},
    },
}
NOT_MODIFIED: Mapping[str, Any] = {
    "description": "The answer is that of the `ETag` in `If-None-Match`. It has no body.",
    "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", "ETag")},
}
PARAMETERS: Mapping[str, Any] = {
    "IfMatch": {
        "in": "header",
        "name": "If-Match",
        "description": "The `ETag` of the revision that is to be changed; without it the last write wins.",
        "schema": {"type": "string", "example": '"7"'},
    }
}


def _examples(settings: Settings) -> dict[str, Any]:
    more: dict[str, dict[str, Any]] = {
        "validation_failed": {"errors": [{"pointer": "/title", "detail": "Must not be blank."}]},
        "forbidden": {"requiredRole": "admin"},
        "reauth_required": {"factors": ["password"]},
    }
    return {
        code: {
            "summary": kind.title,
            "value": {
                "type": f"{settings.problems_url}/{code}",
                "title": kind.title,
                "status": kind.status,
                "detail": kind.meaning,
                "code": code,
                "requestId": "5f0c3c1e9a4b4d0f8a7b6c5d4e3f2a1b",
                **more.get(code, {}),
            },
        }
        for code, kind in KINDS.items()
    }
