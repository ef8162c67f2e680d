"""Settings of alerts: when an incident with several alerts resolves, and how alerts that join are collected."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

ANY = "One of its alerts has ended"


def test_a_rule_that_groups_says_when_its_incidents_resolve(visit: Open, service: Service, axe: str) -> None:
    page = signed_in(visit, service, "/w/home/rules/new")
    page.get_by_role("textbox", name="Name").fill("Groups replicas")
    ends = page.get_by_role("combobox", name="Resolve the incident when")
    expect(page.get_by_role("combobox", name="Routing profile")).to_be_visible()
    expect(ends).to_have_count(0)
    page.get_by_role("textbox", name="Group by").or_(page.get_by_role("combobox", name="Group by")).fill("type")
    page.keyboard.press("Enter")
    expect(ends).to_have_value("All of its alerts have ended")
    ends.click()
    page.get_by_role("option", name=ANY).click()
    settled(page)
    assert violations(page, axe) == []
    page.get_by_role("button", name="Create the rule").click()

    row = page.get_by_role("listitem").filter(has_text="Groups replicas")
    expect(row.get_by_text(re.compile("resolve when one alert has ended"))).to_be_visible()
    [rule] = [each for each in service.get("/v1/rules?limit=200")["items"] if each["name"] == "Groups replicas"]
    assert (rule["then"]["groupBy"], rule["then"]["resolveWhen"]) == (["type"], "any")
    service.delete(f"/v1/rules/{rule['id']}")


def test_a_source_says_when_its_incidents_resolve_and_names_tools_by_their_words(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Replicas"})["id"]
    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=settings")
    page.get_by_role("combobox", name="Resolve an incident when").click()
    page.get_by_role("option", name=ANY).click()
    page.get_by_role("combobox", name="Recoveries of a tool").click()
    page.get_by_role("option", name="Words of states in the title").click()
    page.get_by_role("button", name="Save the changes").click()
    expect(page.get_by_role("button", name="Save the changes")).to_have_count(0)

    stored = service.get(f"/v1/sources/{source}")
    assert (stored["resolveWhen"], stored["recoveryPreset"]) == ("any", "general")
    service.delete(f"/v1/sources/{source}")


def test_the_time_in_which_further_alerts_are_collected_is_set(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/settings")
    page.get_by_role("textbox", name="Collect further alerts for").fill("15")
    page.get_by_role("button", name="Save the settings").click()
    expect(page.get_by_text("Settings saved")).to_be_visible()
    workspace = service.home()
    assert workspace["settings"]["joinedQuietMinutes"] == 15
    service.patch(f"/v1/workspaces/{workspace['id']}", {"settings": {"joinedQuietMinutes": 5}})


def test_the_severity_of_a_mention_is_chosen_by_its_word(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/destinations?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Discord").click()
    dialog.get_by_role("combobox", name="Mention from severity").click()
    expect(page.get_by_role("option", name="Critical", exact=True)).to_be_visible()
    expect(page.get_by_role("option", name="CRITICAL", exact=True)).to_have_count(0)
