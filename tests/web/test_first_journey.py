"""The first journey in a real browser: set up, send, see, acknowledge, resolve; signing in and out; theme; phone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.up import Up
from tests.web.conftest import PHONE, Open
from tests.web.preferences import PATH
from tests.web.service import EMAIL, PASSWORD, FirstAccount, Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def signed_in(visit: Open, service: Service, path: str = "/", **more: Any) -> Any:
    page = visit(service=service, **more)
    page.goto(service.address + path)
    return page


def test_the_setup_link_creates_the_first_account_and_signs_it_in(first_account: FirstAccount, up: Up) -> None:
    assert "tried first" in first_account.refusal
    assert first_account.led_to == f"{up.address}/welcome"


def test_an_event_becomes_an_incident_on_the_page_which_is_acknowledged_resolved_and_undone(
    visit: Open, service: Service
) -> None:
    page = signed_in(visit, service)
    expect(page.locator('[data-connection="live"]')).to_be_visible()
    service.send("Backup of db-1 failed", dedupKey="backup:db-1")
    page.get_by_role("link", name="Backup of db-1 failed").click()
    expect(page.get_by_role("heading", name="Backup of db-1 failed")).to_be_focused()

    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Unacknowledge")).to_be_visible()
    expect(page.get_by_text("Olga Ivanova acknowledged it.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Resolve", exact=True).click()
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    page.keyboard.press("z")
    expect(page.get_by_role("button", name="Unacknowledge")).to_be_visible()


def test_an_acknowledgement_in_one_browser_appears_in_another(visit: Open, service: Service) -> None:
    first, second = signed_in(visit, service), signed_in(visit, service)
    service.send("Seen by two", dedupKey="two")
    expect(second.get_by_role("link", name="Seen by two")).to_be_visible()
    row = first.locator("li", has_text="Seen by two")
    row.hover()
    row.get_by_role("button", name="Acknowledge").click()

    expect(second.get_by_role("link", name="Seen by two")).to_have_count(0)


def test_two_tabs_of_a_browser_share_one_stream(visit: Open, service: Service) -> None:
    page = visit(service=service)
    streams: list[str] = []
    page.context.on("request", lambda sent: streams.append(sent.url) if sent.url.endswith("/v1/stream") else None)
    page.goto(service.address)
    expect(page.locator('[data-connection="live"]')).to_be_visible()
    other = page.context.new_page()
    other.goto(service.address)
    expect(other.locator('[data-connection="live"]')).to_be_visible()
    service.send("For two tabs", dedupKey="tabs")

    expect(other.get_by_role("link", name="For two tabs")).to_be_visible()
    assert len(streams) == 1


def test_selected_incidents_are_resolved_together_by_keys_alone(visit: Open, service: Service) -> None:
    for number in range(3):
        service.send(f"Batch {number}", dedupKey=f"batch:{number}", tags=["batch"])
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Abatch")
    expect(page.get_by_role("link", name=re.compile("Batch"))).to_have_count(3)
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    expect(page.get_by_text("2 incidents selected")).to_be_visible()
    page.keyboard.press("r")

    expect(page.get_by_role("link", name=re.compile("Batch"))).to_have_count(1)


def test_markup_in_a_title_is_text(visit: Open, service: Service) -> None:
    title = "<img src=x onerror=document.title='owned'> & <b>bold</b>"
    service.send(title, dedupKey="markup", tags=["markup"])
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Amarkup")
    expect(page.get_by_role("link", name=title)).to_be_visible()

    assert page.locator("main img").count() == 0 and page.locator("main b").count() == 0


def test_a_signed_out_visitor_signs_in_and_reaches_the_requested_page(visit: Open, service: Service) -> None:
    page = visit()
    page.goto(f"{service.address}/w/home/events")
    page.get_by_label("Email address").fill(EMAIL)
    page.get_by_role("textbox", name="Password").fill("wrong password")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Events")).to_be_visible()
    assert page.url == f"{service.address}/w/home/events"

    page.get_by_role("button", name="Account of Olga Ivanova").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


def test_a_session_that_ends_asks_over_the_page_and_sends_the_act_again(visit: Open, service: Service) -> None:
    service.send("After the session", dedupKey="after")
    page = visit()
    page.goto(f"{service.address}/login")
    page.get_by_label("Email address").fill(EMAIL)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name="After the session").click()
    expect(page.get_by_role("button", name="Acknowledge")).to_be_visible()
    page.context.clear_cookies()
    page.get_by_role("button", name="Acknowledge").click()
    dialog = page.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Email address").fill(EMAIL)
    dialog.get_by_role("textbox", name="Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()

    expect(page.get_by_role("button", name="Unacknowledge")).to_be_visible()


def test_the_theme_follows_the_system_until_one_is_chosen(visit: Open, service: Service, restored: None) -> None:
    page = signed_in(visit, service, theme="dark")
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    page.get_by_role("button", name="Account of Olga Ivanova").click()
    page.get_by_text("Light", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "light")
    page.reload()

    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "light")
    until(lambda: service.get(PATH)["theme"] == "light", "the theme is saved", 20)


def test_a_phone_layout_fits_the_screen_with_large_targets(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, size=PHONE)
    expect(page.get_by_role("link", name="Prepared critical")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    bar = page.get_by_role("navigation", name="Shortcuts")
    heights = [each.bounding_box()["height"] for each in bar.locator("a, button").all()]
    assert len(heights) == 5 and min(heights) >= 44

    bar.get_by_role("button", name="More").click()
    page.get_by_role("dialog", name="Navigation").get_by_role("link", name="Rules").click()
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()


def test_the_palette_and_the_help_open_by_keys(visit: Open, service: Service) -> None:
    page = signed_in(visit, service)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_have_count(0)
    page.keyboard.press("Control+k")
    search = page.get_by_role("combobox", name="Search incidents, records, screens and commands")
    expect(search).to_be_focused()
    search.fill("sour")
    expect(page.get_by_role("option", name="Event senders")).to_be_visible()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Sources")).to_be_visible()
