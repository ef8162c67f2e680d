"""Incidents that people open by hand, in a real browser: by the button, by a key and from the palette."""

from __future__ import annotations

import pytest

from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_an_incident_is_opened_by_hand_on_a_phone(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/inbox?q=severity%3Acritical", size=PHONE)
    page.get_by_role("button", name="New incident").tap()
    dialog = page.get_by_role("dialog", name="New incident")
    dialog.get_by_label("Title").fill("Checkout is slow on phones")
    dialog.get_by_text("Critical", exact=True).tap()
    dialog.get_by_label("Text").fill("Three customers called.")
    dialog.get_by_role("button", name="Open the incident").tap()

    expect(page.get_by_role("heading", name="Checkout is slow on phones")).to_be_visible()
    expect(page.get_by_text("Three customers called.").first).to_be_visible()
    opened = service.get(f"/v1/incidents/{page.url.rpartition('/')[2]}")
    assert (opened["severity"], opened["state"]) == ("CRITICAL", "open")
    page.go_back()
    expect(dialog).to_have_count(0)


def test_the_palette_opens_an_incident_and_people_without_contacts_are_refused_with_a_reason(
    visit: Open, service: Service
) -> None:
    service.joined("Selma")
    page = signed_in(visit, service, "/w/home/rules")
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search incidents").fill("new incident")
    page.get_by_role("option", name="New incident").click()
    dialog = page.get_by_role("dialog", name="New incident")
    dialog.get_by_label("Title").fill("Opened from the palette")
    dialog.get_by_role("combobox", name="Page").click()
    page.get_by_role("option", name="Selma").click()
    # Selma has neither a phone nor, without a mail server, an address.
    dialog.get_by_role("button", name="Open and page").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Selma")
    dialog.get_by_role("combobox", name="Page").press("Backspace")
    dialog.get_by_label("Title").click()
    dialog.get_by_role("button", name="Open the incident").click()

    expect(page.get_by_role("heading", name="Opened from the palette")).to_be_visible()


def test_the_key_of_a_new_incident_is_in_the_help_and_viewers_have_none(visit: Open, service: Service) -> None:
    own = signed_in(visit, service, "/w/home/inbox")
    expect(own.get_by_role("button", name="New incident")).to_be_visible()
    own.keyboard.press("?")
    keys = own.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_text("New incident")).to_be_visible()
    own.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    own.keyboard.press("c")
    expect(own.get_by_role("dialog", name="New incident")).to_be_visible()

    seen = signed_in(visit, service.joined("Vilma", "viewer"), "/w/home/inbox?new=")
    expect(seen.get_by_role("heading", name="Inbox")).to_be_visible()
    expect(seen.get_by_role("navigation", name="States")).to_be_visible()
    expect(seen.get_by_role("button", name="New incident")).to_have_count(0)
    expect(seen.get_by_role("dialog")).to_have_count(0)
