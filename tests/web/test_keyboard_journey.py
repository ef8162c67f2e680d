"""An incident from the list to its resolution by keyboard."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Open
from tests.web.pages import go_by_keys, signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_an_incident_is_found_opened_acknowledged_noted_snoozed_and_resolved_by_keys_alone(
    visit: Open, service: Service
) -> None:
    service.send("Only by keys", dedupKey="keys", tags=["keyboard"])
    page = signed_in(visit, service, "/w/home/rules")
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()
    go_by_keys(page, "i", page.get_by_role("heading", name="Inbox"))
    page.keyboard.press("/")
    page.keyboard.type("tag:keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Only by keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("m")
    expect(page).to_have_url(re.compile(r"/silences/new\?match=dedupKey"))
    page.go_back()
    expect(page.get_by_role("link", name="Only by keys")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("o")
    expect(page.get_by_role("heading", name="Only by keys")).to_be_focused()

    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Unacknowledge")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.type("Looked at it")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Looked at it").first).to_be_visible()
    page.get_by_role("heading", name="Only by keys").focus()
    page.keyboard.press("r")
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    page.keyboard.press("u")

    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
