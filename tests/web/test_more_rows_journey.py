"""The next page of the inbox and a change that comes meanwhile: both are shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_neither_a_next_page_nor_a_change_ends_the_read_of_the_other(visit: Open, service: Service) -> None:
    service.send_many([{"title": f"More {at}", "dedupKey": f"more {at}", "tags": ["more"]} for at in range(120)])
    until(lambda: len(service.get("/v1/incidents?tag=more&limit=200")["items"]) == 120, "all are incidents")
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Amore")
    expect(page.locator('[aria-setsize="50"]').first).to_be_visible()
    reads = held_reads(page)
    attention = page.get_by_role("navigation", name="States").get_by_role("link", name="Needs attention")

    page.get_by_role("button", name="Show more").click()
    until(lambda: page.evaluate("1") and reads["next"], "the next page is asked for", 60)
    service.incident("Change during a page", dedupKey="more change 1", tags=["more"])
    expect(attention).to_contain_text("121")
    reads["next"].pop().continue_()
    until(lambda: page.evaluate("1") and reads["first"], "the list is read again", 60)
    page.get_by_role("button", name="Show more").click()
    page.unroute_all()

    page.get_by_role("button", name="1 new: show").click()
    expect(page.get_by_role("link", name="Change during a page")).to_be_visible()
    expect(page.locator('[aria-setsize="121"]').first).to_be_visible()
    service.post("/v1/incidents/bulk", {"filter": {"tag": ["more"]}, "expectedCount": 121, "action": "resolve"})


def held_reads(page: Any) -> dict[str, list[Any]]:
    """The requests for rows of the inbox by whether they ask for a next page. Each waits until the test continues it."""
    reads: dict[str, list[Any]] = {"first": [], "next": []}
    page.route(
        "**/v1/incidents?*", lambda route: reads["next" if "cursor=" in route.request.url else "first"].append(route)
    )
    return reads
