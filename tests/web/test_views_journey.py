"""Saved views of the inbox: save, open, rename, make the default, delete."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def choose(page: Any, item: str, *, menu: str = "Views") -> None:
    """Choose an item of the menu of views."""
    page.get_by_role("button", name=menu, exact=True).click()
    page.get_by_role("menuitem", name=item).click()


def has_no_violation(page: Any, axe: str) -> None:
    """Check the accessibility of the page, after its animations."""
    page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")
    assert violations(page, axe) == []


def test_a_view_is_saved_opened_renamed_made_the_default_and_deleted(visit: Open, service: Service, axe: str) -> None:
    service.incident("Viewed by a view", dedupKey="view 1", tags=["views"], severity="ERROR")
    page = signed_in(visit, service, "/w/home/inbox?state=all&q=tag%3Aviews%20severity%3E%3Derror")
    choose(page, "Number of events", menu="Sort: Last event, newest first")
    expect(page).to_have_url(re.compile(r"sort=-events"))
    expect(page.get_by_role("link", name="Viewed by a view")).to_be_visible()
    choose(page, "Save as a view")
    dialog = page.get_by_role("dialog", name="Save as a view")
    dialog.get_by_role("textbox", name="Name").fill("Errors of views")
    has_no_violation(page, axe)
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="View: Errors of views")).to_be_visible()
    [view] = service.get("/v1/views")["items"]
    assert view["filters"] == {"tag": ["views"], "minSeverity": "ERROR", "sort": "events", "order": "desc"}

    page.goto(f"{service.address}/w/home/inbox")
    choose(page, "Errors of views")
    expect(page).to_have_url(re.compile(r"state=all&q=tag%3Aviews\+severity%3E%3Derror|q=tag.*state=all"))
    expect(page.get_by_role("button", name="Sort: Number of events, most first")).to_be_visible()
    expect(page.get_by_role("link", name="Viewed by a view")).to_be_visible()

    choose(page, "Manage views", menu="View: Errors of views")
    dialog = page.get_by_role("dialog", name="Views")
    dialog.get_by_role("textbox", name="Name of Errors of views").fill("Worst of views")
    dialog.get_by_role("button", name="Rename").click()
    dialog.get_by_role("button", name="Use Worst of views as the default view").click()
    expect(dialog.get_by_role("button", name="Use Worst of views as the default view", pressed=True)).to_be_visible()
    has_no_violation(page, axe)

    page.goto(f"{service.address}/w/home/rules")
    page.get_by_role("navigation", name="Screens").get_by_role("link", name="Inbox").click()
    expect(page.get_by_role("button", name="View: Worst of views")).to_be_visible()
    page.get_by_role("navigation", name="States").get_by_role("link", name="Acknowledged").click()
    expect(page.get_by_role("button", name="Views", exact=True)).to_be_visible()

    choose(page, "Manage views")
    dialog.get_by_role("button", name="Delete Worst of views").click()
    dialog.get_by_role("button", name="Delete the view").click()
    expect(dialog.get_by_text("No view is saved.")).to_be_visible()
    assert service.get("/v1/views")["items"] == []


def test_a_second_editor_keeps_the_newer_name_of_a_view_or_renames_it_again(visit: Open, service: Service) -> None:
    workspace = service.home()
    fields = {"workspaceId": workspace["id"], "name": "Of all", "list": "incidents", "filters": {}, "shared": True}
    path = f"/v1/views/{service.post('/v1/views', fields)['id']}"
    page = signed_in(visit, service, "/w/home/inbox?state=all")
    page.get_by_role("button", name="View: Of all").click()
    page.get_by_role("menuitem", name="Manage views").click()
    row = page.get_by_role("dialog", name="Views").get_by_role("listitem")
    row.get_by_role("textbox").fill("Mine")
    service.patch(path, {"name": "Theirs"})
    changed = row.get_by_role("alert")
    expect(changed).to_contain_text("Renamed to “Theirs” by someone else. Your change was not saved.")
    changed.get_by_role("button", name="Keep “Theirs”").click()
    expect(row.get_by_role("textbox")).to_have_value("Theirs")

    row.get_by_role("textbox").fill("Mine")
    # The other name is stored between the last reading of the list and the write.
    page.route(f"**{path}", lambda route: (service.patch(path, {"name": "Again"}), route.continue_()), times=1)
    row.get_by_role("button", name="Rename").click()
    changed.get_by_role("button", name="Rename to “Mine”").click()
    expect(changed).to_have_count(0)
    assert service.get(path)["name"] == "Mine"

    page.route(f"**{path}", lambda route: (service.patch(path, {"order": 9}), route.continue_()), times=1)
    row.get_by_role("button", name="Use Mine as the default view").click()
    expect(row.get_by_role("button", name="Use Mine as the default view", pressed=True)).to_be_visible()
    service.delete(path)
