"""The required fields of the document are exactly those without which the server refuses a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from inbox.api.http.policy import POLICY
from inbox.config.settings import Settings
from tests.api.http.filled import entered
from tests.api.openapi.operations import Operation, document_of, operations
from tests.api.stage import IN_FORCE
from tests.browser import Browser
from tests.proving import HOME

SIGNED_IN = frozenset({"session", "user", "none"})
ONE_OF_TWO = {"incidents.bulk": {"ids"}, "incidents.snooze": {"until"}, "rules.parse": {"match"}}
"""Named where both fields of a pair are missing. The document describes the pair in words."""

pytestmark = pytest.mark.slow


def required(operation: Operation, components: dict[str, Any]) -> set[str] | None:
    """The required fields of the body, None where it is no plain object."""
    content = operation.described.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = components["schemas"][schema["$ref"].rpartition("/")[2]]
    return set(schema.get("required", ())) if "properties" in schema else None


@pytest.mark.usefixtures("ground")
def test_an_empty_object_is_refused_for_the_required_fields(app: Flask, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)
    components, differ, compared = document_of(app)["components"], {}, 0
    for operation in operations(app):
        documented = required(operation, components)
        if documented is None or POLICY[operation.endpoint].credential not in SIGNED_IN:
            continue
        if operation.endpoint == "setup.create":  # answers while nobody has an account
            continue
        stage, token = entered(app)
        browser = Browser(app, HOME, cookie=token)
        answer = browser.call(operation.method, operation.path(app, operation.values(stage)), {})
        faults = (answer.json or {}).get("errors", []) if answer.status_code == 422 else []
        enforced = {each["pointer"][1:] for each in faults}
        compared += len(documented)
        if documented | ONE_OF_TWO.get(operation.endpoint, set()) != enforced:
            differ[operation.endpoint] = (answer.status_code, documented, enforced)

    assert compared > 50
    assert differ == {}
