"""New incidents are announced by the system and a sound, by one page of a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open, visits
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

OBSERVED = """(() => {
  window.notices = [];
  window.notes = 0;
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options);
      window.notices.push([title, options.body]);
      window.newest = this;
    }
  };
  const { createOscillator } = AudioContext.prototype;
  AudioContext.prototype.createOscillator = function () {
    window.notes += 1;
    return createOscillator.call(this);
  };
})()"""
"""Chromium has no interface for what it shows and plays. The script notes both and calls the original functions."""


@pytest.fixture
def visit(desktop_browser: Any, service: Service) -> Iterator[Open]:
    """Only this browser shows notifications. Olga's preferences are the default ones after the test."""
    yield from visits(desktop_browser)
    path = f"{service.address}/v1/me/preferences"
    service.session.patch(path, json={"desktopNotices": False, "sound": False}, timeout=60).raise_for_status()


def preferences(service: Service) -> tuple[bool, bool]:
    stored = service.get("/v1/me/preferences")
    return stored["desktopNotices"], stored["sound"]


def notices_of(pages: list[Any]) -> list[Any]:
    return [notice for page in pages for notice in page.evaluate("window.notices")]


def test_one_of_two_pages_announces_a_new_incident_and_links_to_it(visit: Open, service: Service) -> None:
    account = visit(service=service)
    account.context.grant_permissions(["notifications"], origin=service.address)
    account.context.add_init_script(OBSERVED)
    account.goto(f"{service.address}/account")
    for name in ("Desktop notifications", "Sound"):
        account.get_by_role("switch", name=name).click(force=True)
    until(lambda: preferences(service) == (True, True), "the choices are saved", 60)
    other = account.context.new_page()
    other.goto(f"{service.address}/w/home/inbox")
    expect(other.locator("[data-connection=live]")).to_be_visible()
    pages = [account, other]

    incident = service.incident("Announced once", dedupKey="announced once", severity="CRITICAL", resource="host:db-7")
    announced = ["Critical: Announced once", "Backups, host:db-7"]
    until(lambda: announced in notices_of(pages), "the notice is shown", 60)

    notices = notices_of(pages)  # an incident of an earlier test may open meanwhile
    assert notices.count(announced) == 1
    assert sorted(page.evaluate("window.notes") for page in pages) == [0, 2 * len(notices)]
    [reading] = [page for page in pages if page.evaluate("window.notices.length")]
    reading.evaluate("window.newest.dispatchEvent(new Event('click'))")
    expect(reading.get_by_role("heading", name="Announced once")).to_be_visible()
    assert reading.url.endswith(f"/w/home/incidents/{incident['id']}")
    service.post(f"/v1/incidents/{incident['id']}/resolve")


def test_a_browser_that_blocks_notifications_says_so_and_turns_nothing_on(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/account")  # without the permission, Chromium of a test denies it

    page.get_by_role("switch", name="Desktop notifications").evaluate("each => each.click()")

    expect(page.get_by_text("Notifications from this site are blocked.")).to_be_visible()
    expect(page.get_by_role("switch", name="Desktop notifications")).not_to_be_checked()
    assert preferences(service) == (False, False)
