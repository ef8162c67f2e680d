"""The catalogue of destination kinds, and that it describes what the server takes (specification 9.3)."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable
from typing import Any

import pytest

from inbox.destinations import ROUTABLE
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]


def kinds(browser: Browser) -> dict[str, Any]:
    return {each["kind"]: each for each in browser.get("/v1/destination-kinds").get_json()["items"]}


def value_of(field: dict[str, Any]) -> str:
    """What a form sends for a field of which the person knows nothing."""
    if field["generate"] == "whsec":
        return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    return str(field["example"])


def test_every_kind_is_described_to_whoever_is_signed_in(browser: Browsers) -> None:
    assert set(kinds(browser("vic"))) == set(ROUTABLE)
    for name, described in kinds(browser("eve")).items():
        assert described["label"] and described["summary"]
        assert described["target"] in {field["name"] for field in described["fields"] if not field["secret"]}, name


@pytest.mark.parametrize("kind", sorted(ROUTABLE))
def test_a_form_made_of_the_description_creates_a_destination_and_shows_no_secret(
    browser: Browsers, cast: Cast, kind: str
) -> None:
    adam = browser("adam")
    fields = kinds(adam)[kind]["fields"]
    config = {field["name"]: value_of(field) for field in fields if field["required"]}
    workspace = typeid("wsp", cast.workspace.id)

    made = adam.post("/v1/destinations", {"workspaceId": workspace, "name": "New", "kind": kind, "config": config})

    assert made.status_code == 201
    shown = made.get_json()["config"]
    for field in fields:
        if field["secret"]:
            assert field["name"] not in shown
            assert shown[field["hintName"]] != config[field["name"]]


@pytest.mark.parametrize("kind", sorted(ROUTABLE))
def test_a_field_that_is_required_is_asked_for_by_its_pointer(browser: Browsers, cast: Cast, kind: str) -> None:
    adam = browser("adam")
    workspace = typeid("wsp", cast.workspace.id)
    refused = adam.post("/v1/destinations", {"workspaceId": workspace, "name": "New", "kind": kind, "config": {}})

    required = {f"/config/{field['name']}" for field in kinds(adam)[kind]["fields"] if field["required"]}
    assert {each["pointer"] for each in refused.get_json()["errors"]} == required
