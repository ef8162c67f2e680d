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
    page.get_by_role("textbox", name="Name").fill("Out of hours")
    page.get_by_role("combobox", name="Destinations of step 1").click()
    page.get_by_role("option", name="Pager").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="The next 24 hours")).to_be_visible()
    page.get_by_role("button", name="Create the profile").click()

    expect(page.get_by_role("link", name="Out of hours")).to_be_visible()
    page.get_by_role("link", name="Out of hours").click()
    page.get_by_role("button", name="Delete the profile").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the profile").click()
    expect(page.get_by_role("link", name="Out of hours")).to_have_count(0)


def test_a_step_pages_who_is_on_call_and_the_preview_says_who_is_not_reached(visit: Open, service: Service) -> None:
    workspace = service.home()
    layer = {"name": "Weeks", "start": "2026-03-02T09:00", "unit": "week", "every": 1}
    layer["members"] = [[service.joined("Wilma").get("/v1/me")["id"]]]
    body = {"workspaceId": workspace["id"], "name": "Paged rota", "timezone": "UTC", "layers": [layer]}
    schedule = service.post("/v1/schedules", body)
    page = signed_in(visit, service, "/w/home/profiles/new")
    page.get_by_role("textbox", name="Name").fill("Pages people")
    page.get_by_role("combobox", name="People of step 1").click()
    page.get_by_role("option", name="Paged rota").click()
    preview = page.get_by_role("complementary", name="The next 24 hours")
    # Wilma has neither a phone nor, without a mail server, an address.
    expect(preview.get_by_text("Wilma cannot be reached").first).to_be_visible()
    page.get_by_role("button", name="Create the profile").click()

    row = page.get_by_role("row").filter(has_text="Pages people")
    expect(row).to_contain_text("whoever is on call by 1 schedule")
    [made] = service.get("/v1/routing-profiles?q=Pages%20people")["items"]
    assert made["steps"][0]["people"] == [{"scheduleId": schedule["id"]}]


def test_an_empty_profile_field_shows_the_value_of_the_workspace(visit: Open, service: Service) -> None:
    workspace = service.home()
    minutes = workspace["settings"]["renotifyMinutes"]["CRITICAL"]
    page = signed_in(visit, service, "/w/home/profiles/new")

    reminder = page.get_by_role("textbox", name="Remind every (critical)")
    expect(reminder).to_have_attribute("placeholder", f"Workspace default: {minutes} min")
    expect(page.get_by_role("textbox", name="Auto-resolve after no events for")).to_have_attribute(
        "placeholder", "Workspace default: never"
    )


def test_a_profile_can_be_deleted_once_no_rule_names_it(visit: Open, service: Service) -> None:
    workspace = service.home()
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
