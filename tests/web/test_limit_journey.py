"""A workspace with the most destinations: the form says so and keeps what was entered (specification 17.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inbox.services.deliveries.destinations import MAX_DESTINATIONS, TOO_MANY
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

SENTENCE = TOO_MANY.format(MAX_DESTINATIONS)


def refuse(route: Any) -> None:
    """Answer a new destination as a workspace with the most destinations does."""
    if route.request.method != "POST":
        route.continue_()
        return
    problem = {"type": "/problems/conflict", "title": "Conflict", "status": 409, "code": "conflict", "detail": SENTENCE}
    route.fulfill(
        status=409,
        content_type="application/problem+json",
        body=json.dumps({**problem, "requestId": "1", "errors": []}),
    )


def test_the_form_says_that_a_workspace_has_no_room(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/destinations?new")
    page.route("**/v1/destinations", refuse)
    dialog = page.get_by_role("dialog", name="New destination")
    dialog.get_by_role("button", name="ntfy").click()
    dialog.get_by_role("textbox", name="Name", exact=True).fill("Phone of the night shift")
    dialog.get_by_role("textbox", name="Topic").fill("ops-night")
    dialog.get_by_role("button", name="Create the destination").click()

    expect(dialog.get_by_role("alert")).to_have_text(SENTENCE)
    expect(dialog.get_by_role("textbox", name="Topic")).to_have_value("ops-night")
