"""The next page of the inbox and a concurrent change: both are shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

NEXT_PAGE = re.compile(r"/v1/incidents\?.*cursor=")
WHOLE_LIST = re.compile(r"/v1/incidents\?(?!.*cursor=)")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_neither_a_next_page_nor_a_change_ends_the_read_of_the_other(visit: Open, service: Service) -> None:
    service.send_many([{"title": f"More {at}", "dedupKey": f"more {at}", "tags": ["more"]} for at in range(120)])
    until(lambda: len(service.get("/v1/incidents?tag=more&limit=200")["items"]) == 120, "all are incidents")
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Amore")
    expect(page.locator('[aria-setsize="50"]').first).to_be_visible()
    attention = page.get_by_role("navigation", name="States").get_by_role("link", name="Needs attention")
    next_page = held(page, NEXT_PAGE)

    page.get_by_role("button", name="Show more").click()
    until(lambda: page.evaluate("1") and next_page, "the next page is asked for", 60)
    service.incident("Change during a page", dedupKey="more change 1", tags=["more"])
    expect(attention).to_contain_text("121")
    whole_list = held(page, WHOLE_LIST)
    next_page.pop().continue_()
    until(lambda: page.evaluate("1") and whole_list, "the list is read again", 60)
    page.get_by_role("button", name="Show more").click()
    page.unroute_all()

    page.get_by_role("button", name="1 new: show").click()
    expect(page.get_by_role("link", name="Change during a page")).to_be_visible()
    expect(page.locator('[aria-setsize="121"]').first).to_be_visible()
    service.post("/v1/incidents/bulk", {"filter": {"tag": ["more"]}, "expectedCount": 121, "action": "resolve"})


def held(page: Any, address: re.Pattern[str]) -> list[Any]:
    """The requests to this address. Each waits until the test continues it."""
    requests: list[Any] = []

    def wait(route: Any) -> None:
        requests.append(route)

    page.route(address, wait)
    return requests
