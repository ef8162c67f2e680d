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


def test_a_member_of_a_schedule_is_removed_only_with_gaps(visit: Open, service: Service) -> None:
    schedule = on_call(service, "Gabi")
    page = signed_in(visit, service, "/w/home/members")
    page.get_by_role("button", name="Actions for Gabi").click()
    page.get_by_role("menuitem", name="Remove").click()
    dialog = page.get_by_role("dialog", name="Remove Gabi")
    dialog.get_by_role("button", name="Remove", exact=True).click()
    with_gaps = dialog.get_by_role("button", name="Remove and leave gaps")
    prove(page, done=with_gaps)

    expect(dialog.get_by_text("Gabi is named by the on-call schedule “Turns of Gabi”.")).to_be_visible()
    with_gaps.click()
    expect(page.get_by_text("Gabi was removed")).to_be_visible()
    expect(page.get_by_role("table", name="Members").get_by_text("Gabi")).to_have_count(0)
    service.delete(schedule)


def test_a_person_of_a_schedule_is_disabled_only_with_gaps(visit: Open, service: Service) -> None:
    schedule = on_call(service, "Hugo")
    page = signed_in(visit, service, "/admin")
    page.get_by_role("tab", name="People").click()
    page.get_by_role("textbox", name="Search people").fill("hugo@")
    row = page.get_by_role("table", name="People").locator("tbody tr")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Actions for Hugo").click()
    page.get_by_role("menuitem", name="Disable the account").click()
    dialog = page.get_by_role("dialog", name="Disable the account")
    with_gaps = dialog.get_by_role("button", name="Disable and leave gaps")
    prove(page, done=with_gaps)

    expect(dialog.get_by_text("Hugo is named by an on-call schedule.")).to_be_visible()
    with_gaps.click()
    expect(page.get_by_text("Hugo updated")).to_be_visible()
    expect(dialog).to_have_count(0)
    service.delete(schedule)


def on_call(service: Service, name: str) -> str:
    """A new member, who is always on call by a schedule; the path of the schedule."""
    person = service.joined(name).get("/v1/me")["id"]
    workspace = service.home()
    layer = {"name": "Weeks", "start": "2026-01-05T09:00", "unit": "week", "every": 1, "members": [[person]]}
    body = {"workspaceId": workspace["id"], "name": f"Turns of {name}", "timezone": "UTC", "layers": [layer]}
    return f"/v1/schedules/{service.post('/v1/schedules', body)['id']}"
