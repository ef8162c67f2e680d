"""Calendar feeds in a real browser: an address is made, copied, read by a program, and revoked."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in, stored_secret
from tests.web.service import Service
from tests.web.test_secrets import assert_forgotten

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def rota(service: Service, name: str) -> dict[str, Any]:
    """A schedule in which the person of the service is always on call."""
    workspace = service.home()
    layer = {"name": "Weeks", "start": "2026-03-02T09:00", "unit": "week", "every": 1}
    layers = [{**layer, "members": [[service.get("/v1/me")["id"]]]}]
    body = {"workspaceId": workspace["id"], "name": name, "timezone": "UTC", "layers": layers}
    return dict(service.post("/v1/schedules", body))


def test_the_feed_of_a_schedule_is_created_once_shown_and_revoked(visit: Open, service: Service) -> None:
    made = rota(service, "Rota with a feed")
    page = signed_in(visit, service, f"/w/home/on-call/{made['id']}")
    page.get_by_role("button", name="Calendar feed").click()
    page.get_by_role("dialog", name="Calendar feed of").get_by_role("button", name="Create an address").click()
    shown = page.get_by_role("dialog", name="Calendar address")
    expect(shown.locator("[data-secret]")).to_be_visible()
    text, json = (shown.locator("pre").nth(place).inner_text() for place in (1, 2))
    address = stored_secret(page)

    assert "BEGIN:VEVENT" in requests.get(address, timeout=60).text
    assert requests.get(text, timeout=60).text == "Olga Ivanova\n"
    assert requests.get(json, timeout=60).json()["onCallNow"][0]["name"] == "Olga Ivanova"
    assert_forgotten(page, address.rpartition("/")[2].partition(".")[0])

    page.get_by_role("button", name="Calendar feed").click()
    dialog = page.get_by_role("dialog", name="Calendar feed of")
    expect(dialog.get_by_text("Address ending in")).to_contain_text("read")
    dialog.get_by_role("button", name="Revoke").click()
    expect(dialog.get_by_role("button", name="Create an address")).to_be_visible()
    assert requests.get(address, timeout=60).status_code == 404


def test_a_viewer_makes_and_ends_a_feed_of_the_own_shifts_on_a_phone(visit: Open, service: Service) -> None:
    viewer = service.joined("Ylva", "viewer")
    page = signed_in(visit, viewer, "/account", size=PHONE)
    section = page.get_by_role("region", name="Calendar feeds")
    section.get_by_role("button", name="Create a calendar feed of my shifts in Home").tap()
    page.get_by_role("dialog", name="Calendar address").locator("[data-secret]").wait_for()
    address = stored_secret(page)
    assert requests.get(address, timeout=60).ok
    row = section.get_by_role("listitem").filter(has_text="My shifts in Home")
    expect(row).to_contain_text("Address ending in")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

    row.get_by_role("button", name="Revoke My shifts in Home").tap()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").tap()
    expect(section.get_by_text("You have no calendar feed.")).to_be_visible()
    assert requests.get(address, timeout=60).status_code == 404
