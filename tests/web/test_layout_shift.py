"""An incident that is opened stays where it is: nothing moves while its parts are read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import DESKTOP, PHONE, Open
from tests.web.pages import settled, signed_in
from tests.web.service import Service
from tests.web.test_phone_incident_journey import grouped
from tests.web.test_warning_bars import answer_changed

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value;
  }).observe({ type: 'layout-shift', buffered: true });
}"""
MOST = 0.02


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_an_opened_incident_does_not_move(visit: Open, service: Service, size: dict[str, int]) -> None:
    incident = grouped(service, f"still-{size['width']}", f"second-{size['width']}")
    page: Any = signed_in(visit, service, "/account", size=size)
    page.add_init_script(f"({SHIFTS})()")
    page.goto(f"{service.address}/w/home/incidents/{incident['id']}")
    expect(page.get_by_role("list", name="Timeline").get_by_role("listitem").first).to_be_visible()
    settled(page)

    assert page.evaluate("window.shifted") <= MOST


def refuse_all(answer: dict[str, Any]) -> None:
    for each in answer["items"]:
        each["health"] |= {"state": "retrying"}


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_bar_about_failing_destinations_moves_nothing(visit: Open, service: Service, size: dict[str, int]) -> None:
    destination = service.destination("Fails later")
    page: Any = signed_in(visit, service, "/account", size=size)
    answer_changed(page, "**/v1/destinations?*", refuse_all)
    page.add_init_script(f"({SHIFTS})()")
    page.goto(f"{service.address}/w/home/inbox")
    expect(page.locator("[data-incident]").first).to_be_visible()
    settled(page)
    before = page.evaluate("window.shifted")

    bar = page.get_by_role("status").filter(has_text="Not delivered yet")
    expect(bar).to_be_visible(timeout=60_000)
    settled(page)

    assert page.evaluate("window.shifted") - before <= MOST / 2
    service.delete(f"/v1/destinations/{destination['id']}")
