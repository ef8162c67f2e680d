"""The wall display by a link: an administrator makes it, a screen without an account shows it until it is revoked."""

from __future__ import annotations

import pytest
import requests

from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

SOUNDS = """() => {
  window.sounds = 0;
  window.AudioContext = class extends AudioContext { constructor() { super(); window.sounds += 1; } };
}"""


def test_a_screen_without_an_account_shows_the_wall_until_the_link_is_revoked(
    visit: Open, service: Service, axe: str
) -> None:
    with service.workspace("Kiosk") as workspace:
        source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Cron"})
        key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "tests"})["secret"]
        page = signed_in(visit, service, f"/w/{workspace['slug']}/settings")
        page.get_by_role("button", name="Create a link").click()
        shown = page.get_by_role("status").filter(has_text="The link is shown once.")
        link = shown.locator("pre, code").first.inner_text().strip()
        assert "/wall#token=svc_wall_" in link

        screen = visit()
        screen.add_init_script(f"({SOUNDS})()")
        screen.goto(link.replace(link.split("/wall#")[0], service.address))
        expect(screen.get_by_text("All quiet")).to_be_visible()
        expect(screen.get_by_role("heading", name="Kiosk")).to_be_visible()
        settled(screen)
        assert violations(screen, axe) == []

        headers = {"Authorization": f"Bearer {key}"}
        body = {"title": "Disk of db-1 is full", "severity": "CRITICAL"}
        requests.post(f"{service.address}/v1/events", json=body, headers=headers, timeout=60).raise_for_status()
        expect(screen.get_by_text("Disk of db-1 is full")).to_be_visible()
        expect(screen.locator("main[data-alarm]")).to_be_visible()
        assert screen.evaluate("window.sounds") >= 1
        assert screen.get_by_role("link").count() == 0

        page.get_by_role("button", name="Revoke the link").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke the link").click()
        expect(page.get_by_text("The link is revoked.")).to_be_visible()
        expect(screen.get_by_text("This link no longer works")).to_be_visible()
