"""Settings of legacy push messages of a source in the dashboard: stored, with faults at their fields."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_the_reading_of_messages_is_set_and_a_fault_stands_at_its_field(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Messages"})["id"]
    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=settings")
    pattern = page.get_by_role("textbox", name="Recovery pattern")
    pattern.fill("^(RESOLVED")
    page.get_by_role("button", name="Save the changes").click()
    expect(pattern).to_have_attribute("aria-invalid", "true")
    described = pattern.get_attribute("aria-describedby") or ""
    error = next(each for each in described.split() if each.endswith("-error"))
    expect(page.locator(f"id={error}")).not_to_be_empty()
    assert service.get(f"/v1/sources/{source}")["recoveryPattern"] is None

    pattern.fill("^RESOLVED (?P<key>.+)")
    page.get_by_role("combobox", name="Recoveries of a tool").click()
    page.get_by_role("option", name="Uptime Kuma", exact=True).click()
    page.get_by_role("checkbox", name="Token in the query").check()
    page.get_by_role("button", name="Save the changes").click()
    expect(page.get_by_role("button", name="Save the changes")).to_have_count(0)

    stored = service.get(f"/v1/sources/{source}")
    assert (stored["recoveryPattern"], stored["recoveryPreset"]) == ("^RESOLVED (?P<key>.+)", "uptime_kuma")
    assert stored["allowQueryToken"] is True

    pattern.fill("")
    page.get_by_role("button", name="Save the changes").click()
    expect(page.get_by_role("button", name="Save the changes")).to_have_count(0)
    assert service.get(f"/v1/sources/{source}")["recoveryPattern"] is None
