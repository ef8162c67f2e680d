"""Lists: filter boxes, headers that sort, rows that are links, and the order and tabs of the inbox."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stand_ins.receivers import Receiver
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def names(page: Any) -> list[str]:
    return list(page.get_by_role("row").locator("td:first-child a").all_inner_texts())


def test_a_list_is_filtered_by_name_and_sorted_by_its_header(visit: Open, service: Service, receiver: Receiver) -> None:
    for name in ("Listed anvil", "Listed zither"):
        service.destination(name, receiver.url)
    page = signed_in(visit, service, "/w/home/destinations")

    page.get_by_role("textbox", name="Search destinations").fill("listed")
    expect(page.get_by_role("row")).to_have_count(3)
    assert names(page) == ["Listed anvil", "Listed zither"]
    page.get_by_role("button", name="Name").click()
    expect(page.get_by_role("columnheader", name="Name")).to_have_attribute("aria-sort", "descending")
    expect(page.locator("td:first-child a").first).to_have_text("Listed zither")
    page.reload()
    expect(page.locator("td:first-child a").first).to_have_text("Listed zither")

    page.get_by_role("link", name="Listed anvil").click()
    drawer = page.get_by_role("dialog", name="Listed anvil", exact=True)
    expect(drawer).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(page.get_by_role("row")).to_have_count(3)

    page.get_by_role("textbox", name="Search destinations").fill("nothing like it")
    expect(page.get_by_role("heading", name="No destination matches")).to_be_visible()
    page.get_by_role("button", name="Clear the search").last.click()
    expect(page.get_by_role("link", name="Listed zither")).to_be_visible()


@pytest.mark.parametrize("path", ["/w/home/sources", "/w/home/rules", "/w/home/profiles", "/w/home/silences"])
def test_each_list_of_the_configuration_has_a_filter_box(
    visit: Open, service: Service, records: dict[str, str], path: str
) -> None:
    page = signed_in(visit, service, f"{path}?q=zzqqxx")

    expect(page.get_by_role("search").get_by_role("textbox")).to_have_value("zzqqxx")
    expect(page.get_by_role("button", name="Clear the search").last).to_be_visible()


@pytest.mark.parametrize("screen", ["events", "deliveries", "audit"])
def test_a_row_is_a_link_that_opens_in_another_tab(
    visit: Open, service: Service, records: dict[str, str], screen: str
) -> None:
    page = signed_in(visit, service, f"/w/home/{screen}")
    link = page.get_by_role("row").nth(1).locator(f"a[href*='/w/home/{screen}']").first
    expect(link).to_be_visible()

    page.goto(service.address + str(link.get_attribute("href")))

    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_inbox_shows_the_most_severe_first(visit: Open, service: Service) -> None:
    service.incident("Ordered critical", dedupKey="ordered 1", severity="CRITICAL", tags=["ordered"])
    service.incident("Ordered warning", dedupKey="ordered 2", severity="WARNING", tags=["ordered"])
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Aordered")
    rows = page.locator("[data-incident] [data-title]")

    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Ordered critical")
    page.get_by_role("button", name="Sort: Severity, highest first").click()
    page.get_by_role("menuitem", name="Last event").click()
    expect(rows.first).to_contain_text("Ordered warning")
    expect(page.get_by_role("button", name="Sort: Last event, newest first")).to_contain_text("Sort: Last event")


def test_a_view_with_several_states_opens_as_a_tab(visit: Open, service: Service) -> None:
    service.incident("Seen in two states", dedupKey="states 1", severity="ERROR", tags=["states"])
    home = service.home()["id"]
    filters = {"state": ["open", "acknowledged"], "tag": ["states"]}
    view = service.post("/v1/views", {"workspaceId": home, "name": "Unfinished", "filters": filters})
    page = signed_in(visit, service, "/w/home/inbox")

    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="Unfinished").click()

    tab = page.get_by_role("navigation", name="States").get_by_role("link", name="Open + acknowledged")
    expect(tab).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("link", name="Seen in two states")).to_be_visible()
    expect(page.get_by_role("button", name="View: Unfinished")).to_be_visible()
    service.delete(f"/v1/views/{view['id']}")
