"""The palette: incidents first, then records, then screens and commands."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

FIELD = "Search incidents, records, screens and commands"


def test_the_palette_finds_an_incident_by_title_and_by_number(visit: Open, service: Service) -> None:
    incident = service.incident("Quasar array of db-7 is degraded", dedupKey="palette:array")
    page = signed_in(visit, service, "/w/home/rules")
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()

    page.get_by_role("button", name="Search or jump to…").click()
    field = page.get_by_role("combobox", name=FIELD)
    field.fill("quasar")
    found = page.get_by_role("group", name="Incidents").get_by_role("option")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("Quasar array of db-7 is degraded")
    field.press("Enter")
    expect(page.get_by_role("heading", name="Quasar array of db-7 is degraded")).to_be_visible()

    page.keyboard.press("Control+k")
    field.fill(f"#{incident['number']}")
    expect(found.first).to_contain_text("Quasar array of db-7 is degraded")
    expect(found.first).to_have_attribute("aria-selected", "true")


def test_the_palette_finds_records_by_name_and_acts_of_the_screen(visit: Open, service: Service) -> None:
    incident = service.incident("An incident with acts", dedupKey="palette:acts")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    expect(page.get_by_role("heading", name="An incident with acts")).to_be_visible()

    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name=FIELD)
    field.fill("backups")
    records = page.get_by_role("group", name="Records").get_by_role("option")
    expect(records.filter(has_text="Source").first).to_contain_text("Backups")
    field.fill("acknowledge")
    page.get_by_role("option", name="Acknowledge").first.click()

    until(lambda: service.get(f"/v1/incidents/{incident['id']}")["state"] == "acknowledged", "it is acknowledged", 30)


def test_the_palette_says_that_nothing_has_the_name(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/rules", size=PHONE)
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()

    page.get_by_role("button", name="Search or jump to…").click()
    page.get_by_role("combobox", name=FIELD).fill("zzqqxx")

    expect(page.get_by_text("Nothing is called “zzqqxx”.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
