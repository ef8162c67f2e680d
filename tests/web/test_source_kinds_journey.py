"""Kinds of senders in the dashboard: their pictures, texts and settings come from `GET /v1/source-kinds` alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

UNKNOWN_KIND = {
    "kind": "kind_of_tomorrow",
    "label": "Kind of tomorrow",
    "summary": "A sender that this dashboard does not know.",
    "setup": "Enter the address there.",
    "path": "/v1/events",
    "keyKind": "source_key",
    "keyKinds": ["source_key"],
    "icon": "icon_of_tomorrow",
    "docsUrl": None,
    "available": True,
    "unavailableBecause": None,
    "fields": [
        {
            "name": "recoveryPattern",
            "label": "End of an alarm",
            "type": "type_of_tomorrow",
            "help": "What a message of the end contains.",
            "of": "source",
            "required": False,
            "choices": [],
        }
    ],
}


def choose_sender(page: Any, place: Any, text: str, option: str) -> None:
    place.get_by_role("combobox", name="Sender").fill(text)
    page.get_by_role("option", name=option).click()


def sources(service: Service, name: str) -> list[dict[str, Any]]:
    return [each for each in service.get("/v1/sources?limit=200")["items"] if each["name"] == name]


def test_a_source_is_created_with_the_settings_of_its_sender(visit: Open, service: Service, axe: str) -> None:
    page = signed_in(visit, service, "/w/home/sources?new")
    dialog = page.get_by_role("dialog", name="New source")
    choose_sender(page, dialog, "push", "legacy push")
    settled(page)
    assert violations(page, axe, within="[role=dialog]") == []
    dialog.get_by_role("textbox", name="Name").fill("Pushing monitor")
    dialog.get_by_role("combobox", name="Recoveries of a tool").click()
    page.get_by_role("option", name="Uptime Kuma", exact=True).click()
    dialog.get_by_role("textbox", name="Recovery pattern").fill("^(UP")
    dialog.get_by_role("button", name="Create the source").click()
    expect(dialog.get_by_role("textbox", name="Recovery pattern")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_role("textbox", name="Recovery pattern").fill("^UP")
    dialog.get_by_role("button", name="Create the source").click()

    expect(page.get_by_role("heading", name="Pushing monitor")).to_be_visible()
    [stored] = sources(service, "Pushing monitor")
    assert (stored["recoveryPreset"], stored["recoveryPattern"]) == ("uptime_kuma", "^UP")
    expect(page).to_have_url(re.compile("sender=legacy_push"))
    expect(page.get_by_role("button", name="Create an alias token")).to_be_visible()
    page.get_by_role("list", name="Settings for this sender").get_by_role("button", name="Recovery pattern").click()
    expect(page.get_by_role("textbox", name="Recovery pattern")).to_have_value("^UP")


def test_a_source_for_alertmanager_has_an_incident_for_each_group_unless_another_choice_is_made(
    visit: Open, service: Service
) -> None:
    page = signed_in(visit, service, "/w/home/sources?new")
    dialog = page.get_by_role("dialog", name="New source")
    choose_sender(page, dialog, "alertm", "Alertmanager")
    dialog.get_by_role("textbox", name="Name").fill("Alerts of Prometheus")
    chosen = dialog.get_by_role("combobox", name="One incident for each")
    expect(chosen).to_have_value("Group")
    dialog.get_by_role("button", name="Create the source").click()
    expect(page.get_by_role("heading", name="Alerts of Prometheus")).to_be_visible()
    assert sources(service, "Alerts of Prometheus")[0]["incidentFor"] == "group"

    page.get_by_role("list", name="Settings for this sender").get_by_role(
        "button", name="One incident for each"
    ).click()
    page.get_by_role("combobox", name="One incident for each").click()
    page.get_by_role("option", name="Alert", exact=True).click()
    page.get_by_role("button", name="Save the changes").click()
    expect(page.get_by_text("Saved")).to_be_visible()
    assert sources(service, "Alerts of Prometheus")[0]["incidentFor"] == "alert"


def test_a_kind_that_the_dashboard_does_not_know_is_drawn_from_its_description(visit: Open, service: Service) -> None:
    def with_unknown_kind(route: Any) -> None:
        answer = route.fetch()
        body = answer.json()
        route.fulfill(response=answer, json={"items": [*body["items"], UNKNOWN_KIND]})

    page = visit(service=service)
    page.route("**/v1/source-kinds", with_unknown_kind)
    page.goto(f"{service.address}/w/home/sources?new")
    dialog = page.get_by_role("dialog", name="New source")
    choose_sender(page, dialog, "tomorrow", "A sender that this dashboard does not know.")
    dialog.get_by_role("textbox", name="Name").fill("Sender of tomorrow")
    expect(dialog.get_by_text("What a message of the end contains.")).to_be_visible()
    dialog.get_by_role("textbox", name="End of an alarm").fill("^OVER")
    dialog.get_by_role("button", name="Create the source").click()

    expect(page.get_by_role("heading", name="Sender of tomorrow")).to_be_visible()
    assert sources(service, "Sender of tomorrow")[0]["recoveryPattern"] == "^OVER"
    expect(page.get_by_text("Enter the address there.")).to_be_visible()


def test_a_workspace_without_a_source_shows_all_senders(visit: Open, service: Service, axe: str) -> None:
    tilda = service.joined("Tilda")
    empty = tilda.post("/v1/workspaces", {"name": "Tiles"})
    page = signed_in(visit, tilda, f"/w/{empty['slug']}/sources")
    tiles = page.get_by_role("list", name="Senders")
    tiles.get_by_role("link", name="GitHub").wait_for()
    settled(page)
    assert violations(page, axe) == []
    tiles.get_by_role("link", name="GitHub").click()
    dialog = page.get_by_role("dialog", name="New source")
    expect(dialog.get_by_role("combobox", name="Sender")).to_have_value("GitHub")
    dialog.get_by_role("textbox", name="Name").fill("Repositories")
    dialog.get_by_role("button", name="Create the source").click()

    expect(page.get_by_text("/v1/hooks/github/src_").first).to_be_visible()
