"""The wall display: heartbeats next to incidents, and the time since the last one."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_the_wall_counts_heartbeats_and_names_failing_monitors(visit: Open, service: Service) -> None:
    service.monitor("Nightly copy of the wall")
    failing = service.monitor("Failing job of the wall")
    page = signed_in(visit, service, "/w/home/wall")
    beats = page.get_by_role("region", name="Heartbeats")
    expect(beats.get_by_text("new", exact=False).first).to_be_visible()
    down = beats.get_by_role("list", name="Heartbeats that are down or late").get_by_role("listitem")
    expect(down.filter(has_text="Failing job of the wall")).to_have_count(0)

    service.session.get(f"{failing['pingUrl']}/fail", timeout=60).raise_for_status()

    expect(down.filter(has_text="Failing job of the wall")).to_contain_text("down")
    expect(down.filter(has_text="Nightly copy of the wall")).to_have_count(0)


def test_a_quiet_wall_says_when_the_last_incident_was_resolved(visit: Open, service: Service) -> None:
    with service.workspace("Quiet wall") as workspace:
        source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Quiet source"})
        page = signed_in(visit, service, f"/w/{workspace['slug']}/wall")
        expect(page.get_by_text("All quiet")).to_be_visible()
        expect(page.get_by_text("The last incident was resolved")).to_have_count(0)
        service.post(f"/v1/sources/{source['id']}/test-event", {"severity": "ERROR"})
        rows = page.get_by_role("list", name="Open and acknowledged incidents").get_by_role("listitem")
        expect(rows).to_have_count(1)
        [incident] = service.get(f"/v1/incidents?workspaceId={workspace['id']}")["items"]
        service.post(f"/v1/incidents/{incident['id']}/resolve")

        expect(page.get_by_text("The last incident was resolved")).to_be_visible()


def test_the_wall_counts_by_severity_and_fits_the_screen(visit: Open, service: Service) -> None:
    with service.workspace("Full wall") as workspace:
        source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Full source"})
        key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "tests"})["secret"]
        sender = Service(service.address, service.session, key)
        sender.send_many([{"title": f"Row {number}", "dedupKey": str(number)} for number in range(30)])
        path = f"/v1/incidents?workspaceId={workspace['id']}&limit=100"
        until(lambda: len(service.get(path)["items"]) == 30, "the events are incidents", 60)
        page = signed_in(visit, service, f"/w/{workspace['slug']}/wall", theme="dark")
        rows = page.get_by_role("list", name="Open and acknowledged incidents").get_by_role("listitem")

        expect(page.get_by_role("term").filter(has_text="Error")).to_be_visible()
        expect(page.get_by_text("30", exact=True)).to_be_visible()
        until(lambda: page.evaluate("document.documentElement.scrollHeight <= window.innerHeight"), "it fits", 10)
        shown = rows.count()
        expect(page.get_by_text(f"{30 - shown} more", exact=True)).to_be_visible()
        assert 3 <= shown < 30


def test_the_wall_flashes_when_a_critical_incident_opens(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/wall")
    rows = page.get_by_role("list", name="Open and acknowledged incidents").get_by_role("listitem")
    expect(rows.first).to_be_visible()
    expect(page.locator("main[data-alarm]")).to_have_count(0)

    service.incident("Alarm of the wall", dedupKey="wall alarm", severity="CRITICAL")

    expect(page.locator("main[data-alarm]")).to_have_count(1)
    expect(page.locator("main[data-alarm]")).to_have_count(0)
