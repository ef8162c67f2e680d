"""Members and roles in real browsers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import prove, signed_in, stored_secret
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_an_invited_viewer_joins_and_sees_no_acts(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/members")
    page.get_by_role("button", name="Invite", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name="Viewer").check(force=True)
    dialog.get_by_role("button", name="Create the link").click()
    prove(page, done=page.get_by_role("dialog", name="Invite link"))
    link = stored_secret(page)

    vera = visit()
    vera.goto(link)
    vera.get_by_label("Email address").fill("vera@example.org")
    vera.get_by_label("Your name").fill("Vera Viewer")
    vera.get_by_label("Password").first.fill("a long phrase of veras own")
    vera.locator("button[type=submit]").click()
    expect(vera.get_by_role("button", name="Account of Vera Viewer")).to_be_visible()
    expect(page.get_by_role("table", name="Members").get_by_text("Vera Viewer")).to_be_visible()

    assert_reads_only(vera, service)


def assert_reads_only(page: Any, service: Service) -> None:
    [first, *_] = service.get("/v1/incidents?limit=1&state=open")["items"]
    page.goto(f"{service.address}/w/home/incidents/{first['id']}")
    expect(page.get_by_role("heading", name=first["title"])).to_be_visible()
    for act in ("Acknowledge", "Resolve", "Snooze"):
        expect(page.get_by_role("button", name=act, exact=True)).to_have_count(0)
    for path, act in (("rules", "New rule"), ("sources", "New source"), ("destinations", "New destination")):
        page.goto(f"{service.address}/w/home/{path}")
        page.locator("h1").wait_for()
        expect(page.locator("main").get_by_text(act, exact=True)).to_have_count(0)
    page.goto(f"{service.address}/w/home/keys")
    expect(page.get_by_text("You need the Admin role to view them.")).to_be_visible()
