"""The screen of one incident: acts, silence, a note sent once, the start of a snooze, and the key `u`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

SHOWN_WITH_FILTER = "/w/home/inbox?q=tag%3Atwo-notes&sort=number"


def notes(service: Service, incident: dict[str, Any]) -> list[str]:
    """The texts of the notes of an incident."""
    entries = service.get(f"/v1/incidents/{incident['id']}/timeline?limit=200")["items"]
    return [each["details"]["text"] for each in entries if each["kind"] == "note"]


def test_a_note_stays_with_its_incident_and_the_way_back_keeps_the_filter(visit: Open, service: Service) -> None:
    first, second = "First of two", "Second of two"
    for name in (first, second):
        service.incident(name, dedupKey=name, tags=["two-notes"])
    page = signed_in(visit, service, SHOWN_WITH_FILTER)
    links = page.get_by_role("list").get_by_role("link", name=re.compile("of two$"))
    expect(links).to_have_count(2)
    links.first.click()
    for key, name in (("j", second), ("k", first)):
        expect(page.get_by_role("heading", level=1)).not_to_have_text(name)
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=name)).to_be_focused()
    note = page.get_by_role("textbox", name="Note")
    note.fill("About the first one")
    page.get_by_role("heading", name=first).focus()
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name=second)).to_be_focused()

    expect(note).to_have_value("")
    page.keyboard.press("u")
    expect(links).to_have_count(2)
    assert page.url == service.address + SHOWN_WITH_FILTER


def test_a_note_is_sent_once_and_text_typed_meanwhile_stays(visit: Open, service: Service) -> None:
    incident = service.incident("With a slow note", dedupKey="with a slow note")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    held: list[Any] = []
    page.route("**/v1/incidents/*/notes", lambda route: held.append(route))
    note = page.get_by_role("textbox", name="Note")
    note.fill("Found it")
    note.press("Control+Enter")
    until(lambda: page.evaluate("1") and held, "the note is on its way", 60)
    note.press("Control+Enter")
    note.fill("Found it, and more")
    for route in held:
        route.continue_()

    expect(page.get_by_role("list", name="Timeline").get_by_text("Found it")).to_have_count(1)
    expect(page.get_by_role("button", name="Add note")).to_be_enabled()
    expect(note).to_have_value("Found it, and more")
    assert notes(service, incident) == ["Found it"]


def test_a_snooze_counts_from_the_moment_of_its_choice(visit: Open, service: Service) -> None:
    incident = service.incident("Snoozed late", dedupKey="snoozed late")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    page.get_by_role("button", name="Snooze", exact=True).click()
    choice = page.get_by_role("menuitem", name=re.compile("^15 minutes"))
    expect(choice).to_be_visible()
    chosen_at = page.evaluate("Date.now()") / 1000
    choice.click()

    path = f"/v1/incidents/{incident['id']}"
    until_at = until(lambda: page.evaluate("1") and service.get(path)["snoozedUntil"], "the incident is snoozed", 60)
    assert datetime.fromisoformat(until_at).timestamp() >= chosen_at + 15 * 60


def test_a_fact_leads_to_all_incidents_with_it(visit: Open, service: Service) -> None:
    incident = service.incident("First of the rack", dedupKey="rack-1", resource="rack:7 left")
    service.incident("Second of the rack", dedupKey="rack-2", resource="rack:7 left")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    page.get_by_role("complementary", name="Facts").get_by_role("link", name="rack:7 left").click()

    expect(page.get_by_role("link", name="Second of the rack")).to_be_visible()
    expect(page.locator("[data-incident]")).to_have_count(2)
    expect(page.get_by_role("combobox", name="Search incidents", exact=True)).to_have_value('resource:"rack:7 left"')


def test_an_incident_is_snoozed_until_an_entered_time(visit: Open, service: Service) -> None:
    incident = service.incident("Snoozed for days", dedupKey="snoozed for days")
    path = f"/v1/incidents/{incident['id']}"
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    page.get_by_role("button", name="Snooze", exact=True).click()
    page.get_by_role("menuitem", name="Custom…").click()
    dialog = page.get_by_role("dialog", name="Snooze until")
    field = dialog.get_by_label("Until")
    field.fill("2020-01-01T09:00")
    dialog.get_by_role("button", name="Snooze").click()
    expect(dialog.get_by_text("Choose a time in the next 30 days.")).to_be_visible()
    assert service.get(path)["state"] == "open"

    in_three_days = datetime.now(UTC) + timedelta(days=3)
    field.fill(f"{in_three_days:%Y-%m-%dT%H:%M}")
    dialog.get_by_role("button", name="Snooze").click()
    expect(dialog).to_be_hidden()

    until_at = until(lambda: service.get(path)["snoozedUntil"], "the incident is snoozed", 60)
    assert abs(datetime.fromisoformat(until_at) - in_three_days) < timedelta(days=1)


def test_a_silenced_incident_offers_its_permitted_acts_and_links_to_its_silence(visit: Open, service: Service) -> None:
    incident = service.incident("Under a silence", dedupKey="under a silence", tags=["under-a-silence"])
    workspace = service.home()
    ends_at = (datetime.now(UTC) + timedelta(days=3)).isoformat()
    body = {"matchText": 'tags contains "under-a-silence"', "comment": "Known for days", "endsAt": ends_at}
    silence = service.post("/v1/silences", {**body, "workspaceId": workspace["id"]})
    path = f"/v1/incidents/{incident['id']}"
    until(lambda: service.get(path)["state"] == "silenced", "the incident is silenced", 60)
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    expect(page.get_by_role("button", name="Resolve", exact=True)).to_be_visible()
    for refused in ("Acknowledge", "Snooze"):
        expect(page.get_by_role("button", name=refused, exact=True)).to_have_count(0)
    page.get_by_role("button", name="Respond with note").click()
    expect(page.get_by_role("button", name="Resolve with note")).to_be_visible()
    expect(page.get_by_role("button", name="Acknowledge with note")).to_have_count(0)
    page.keyboard.press("Escape")

    chip = page.locator("article header").get_by_text(re.compile("^until "))
    before = chip.inner_text()
    later = (datetime.now(UTC) + timedelta(days=5)).isoformat()
    service.patch(f"/v1/silences/{silence['id']}", {"endsAt": later})
    expect(chip).not_to_have_text(before)
    page.get_by_role("complementary", name="Facts").get_by_role("link", name="Known for days").click()
    expect(page).to_have_url(re.compile(f"/silences/{silence['id']}$"))
    service.delete(f"/v1/silences/{silence['id']}")
    until(lambda: service.get(path)["state"] == "open", "the incident is open again", 60)
    service.post(f"{path}/resolve")
