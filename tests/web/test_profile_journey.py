"""Routing profiles in a real browser."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_profile_is_created_and_shows_the_next_day(visit: Open, service: Service) -> None:
    service.destination("Pager")
    page = signed_in(visit, service, "/w/home/profiles/new")
    page.get_by_role("textbox", name="Name").fill("On call")
    page.get_by_role("combobox", name="Destinations of step 1").click()
    page.get_by_role("option", name="Pager").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="The next 24 hours")).to_be_visible()
    page.get_by_role("button", name="Create the profile").click()

    expect(page.get_by_role("link", name="On call")).to_be_visible()
    page.get_by_role("link", name="On call").click()
    page.get_by_role("button", name="Delete the profile").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the profile").click()
    expect(page.get_by_role("link", name="On call")).to_have_count(0)


def test_an_empty_profile_field_shows_the_value_of_the_workspace(visit: Open, service: Service) -> None:
    [workspace, *_] = service.get("/v1/workspaces")["items"]
    minutes = workspace["settings"]["renotifyMinutes"]["CRITICAL"]
    page = signed_in(visit, service, "/w/home/profiles/new")

    reminder = page.get_by_role("textbox", name="Remind every (critical)")
    expect(reminder).to_have_attribute("placeholder", f"Workspace default: {minutes} min")
    expect(page.get_by_role("textbox", name="Auto-resolve after no events for")).to_have_attribute(
        "placeholder", "Workspace default: never"
    )


def test_a_profile_can_be_deleted_once_no_rule_names_it(visit: Open, service: Service) -> None:
    [workspace, *_] = service.get("/v1/workspaces")["items"]
    step = {"afterMinutes": 0, "destinationIds": [service.destination("Pager")["id"]]}
    own = {"workspaceId": workspace["id"]}
    profile = service.post("/v1/routing-profiles", {**own, "name": "Soon free", "steps": [step]})
    then = {"disposition": "incident", "routingProfileId": profile["id"]}
    rule = service.post("/v1/rules", {**own, "name": "Names it", "matchText": 'title = "named"', "then": then})
    page = signed_in(visit, service, f"/w/home/profiles/{profile['id']}")
    expect(page.get_by_text("It is in use and cannot be deleted.")).to_be_visible()
    expect(page.get_by_text("Used by 1 rule")).to_be_visible()

    service.delete(f"/v1/rules/{rule['id']}")

    page.get_by_role("button", name="Delete the profile").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the profile").click()
    expect(page.get_by_role("heading", name="Soon free")).to_have_count(0)
    assert profile["id"] not in [each["id"] for each in service.get("/v1/routing-profiles")["items"]]
