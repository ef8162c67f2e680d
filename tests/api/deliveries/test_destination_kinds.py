"""The catalogue of destination kinds describes the settings that the server accepts (specification 9.3)."""

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


CHOSEN = {"slack": "url", "mattermost": "url"}
"""A field that a person chooses to fill in, where one of several is needed."""

UNAVAILABLE = {"email"}


def value_of(field: dict[str, Any]) -> Any:
    """What a form sends for a field of which the person knows nothing."""
    if field["generate"] == "whsec":
        return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    return field["example"] if field["default"] is None else field["default"]


def test_every_destination_kind_is_described_to_signed_in_people(browser: Browsers) -> None:
    assert set(kinds(browser("vic"))) == set(ROUTABLE)
    for name, described in kinds(browser("eve")).items():
        assert described["label"] and described["summary"]
        assert described["target"] in {
            field["hintName"] if field["secret"] else field["name"] for field in described["fields"]
        }, name
        assert described["available"] is (name not in UNAVAILABLE)
        assert bool(described["unavailableBecause"]) is (name in UNAVAILABLE)


@pytest.mark.parametrize("kind", sorted(ROUTABLE))
def test_a_form_made_of_the_description_creates_a_destination_and_shows_no_secret(
    browser: Browsers, cast: Cast, kind: str
) -> None:
    adam = browser("adam")
    fields = kinds(adam)[kind]["fields"]
    config = {
        field["name"]: value_of(field) for field in fields if field["required"] or field["name"] == CHOSEN.get(kind)
    }
    workspace = typeid("wsp", cast.workspace.id)

    made = adam.post("/v1/destinations", {"workspaceId": workspace, "name": "New", "kind": kind, "config": config})

    if kind in UNAVAILABLE:
        assert [each["pointer"] for each in made.get_json()["errors"]] == ["/kind"]
        return
    assert made.status_code == 201, made.get_json()
    shown = made.get_json()["config"]
    for field in fields:
        if field["secret"] and field["name"] in config:
            assert field["name"] not in shown
            assert shown[field["hintName"]] != config[field["name"]]


@pytest.mark.parametrize("kind", sorted(ROUTABLE))
def test_a_field_that_is_required_is_asked_for_by_its_pointer(browser: Browsers, cast: Cast, kind: str) -> None:
    adam = browser("adam")
    workspace = typeid("wsp", cast.workspace.id)
    refused = adam.post("/v1/destinations", {"workspaceId": workspace, "name": "New", "kind": kind, "config": {}})

    fields = kinds(adam)[kind]["fields"]
    required = {f"/config/{field['name']}" for field in fields if field["required"] and field["default"] is None}
    required = (
        {"/kind"} if kind in UNAVAILABLE else required | {f"/config/{name}" for name in [CHOSEN.get(kind)] if name}
    )
    assert {each["pointer"] for each in refused.get_json()["errors"]} == required
