"""Test events of a source, the audit log and quiet hours, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from inbox.domain.values.windows import DAYS
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def new_source(service: Service, name: str) -> dict[str, Any]:
    workspace = service.home()
    return dict(service.post("/v1/sources", {"workspaceId": workspace["id"], "name": name}))


@pytest.fixture
def quiet_hours(service: Service) -> Iterator[datetime]:
    """Quiet hours that hold now; their end."""
    workspace = service.home()
    path, now = f"{service.address}/v1/workspaces/{workspace['id']}", datetime.now(UTC)
    end = now + timedelta(hours=2)
    window = {"days": list(DAYS), "start": f"{now - timedelta(hours=2):%H:%M}", "end": f"{end:%H:%M}"}
    on = {"enabled": True, "timezone": "UTC", "windows": [window]}
    service.session.patch(path, json={"settings": {"quietHours": on}}, timeout=60).raise_for_status()
    yield end
    off = {"enabled": False, "timezone": None, "windows": []}
    service.session.patch(path, json={"settings": {"quietHours": off}}, timeout=60).raise_for_status()


def test_a_test_event_of_the_set_up_becomes_an_incident(visit: Open, service: Service) -> None:
    source = new_source(service, "Test bench")
    page = signed_in(visit, service, f"/w/home/sources/{source['id']}")
    page.get_by_role("combobox", name="Test event severity").click()
    page.get_by_role("option", name="Critical").click()

    page.get_by_role("button", name="Send a test event").click()

    expect(page.get_by_text("Test event of Test bench sent.")).to_be_visible()
    expect(page.get_by_text("The last event arrived")).to_be_visible()
    page.goto(f"{service.address}/w/home/sources")
    row = page.get_by_role("table", name="Sources").locator("tbody tr", has_text="Test bench")
    expect(row.get_by_text("No key")).to_be_visible()
    row.get_by_role("link", name="1", exact=True).click()
    expect(page.get_by_role("list").get_by_text("Test event").first).to_be_visible()
    [event] = service.get(f"/v1/events?sourceId={source['id']}")["items"]
    assert (event["flags"], event["severity"]) == (["test"], "CRITICAL")


def test_the_audit_log_is_searched_narrowed_to_a_target_and_exported(
    visit: Open, service: Service, tmp_path: Path
) -> None:
    source = new_source(service, "Audited sender")
    service.post(f"/v1/sources/{source['id']}/test-event", {})
    page = signed_in(visit, service, "/w/home/audit")
    rows = page.get_by_role("table", name="Audit log").locator("tbody tr")
    page.get_by_role("searchbox", name="Search").fill("audited SENDER")
    expect(rows).to_have_count(2)
    page.get_by_role("combobox", name="Action").click()
    page.get_by_role("option", name="Source: tested").click()
    expect(rows).to_have_count(1)

    rows.first.click()
    page.get_by_role("button", name="All entries of this target").click()

    expect(page).to_have_url(f"{service.address}/w/home/audit?targetId={source['id']}")
    expect(rows).to_have_count(2)
    with page.expect_download() as started:
        page.get_by_role("button", name="Export JSONL").click()
    file = tmp_path / started.value.suggested_filename
    started.value.save_as(file)
    actions = [orjson.loads(line)["action"] for line in file.read_text().splitlines()]
    assert (file.suffix, actions) == (".jsonl", ["source.tested", "source.created"])
    page.get_by_role("button", name="One target: remove this filter").click()
    expect(page).to_have_url(f"{service.address}/w/home/audit")


def test_an_entry_of_the_audit_log_compares_before_and_after(visit: Open, service: Service) -> None:
    source = new_source(service, "Named before")
    service.patch(f"/v1/sources/{source['id']}", {"name": "Named after"})
    page = signed_in(visit, service, f"/w/home/audit?targetId={source['id']}")
    rows = page.get_by_role("table", name="Audit log").locator("tbody tr")
    expect(rows).to_have_count(2)
    rows.first.click()

    changes = page.get_by_role("dialog").get_by_role("table", name="Changes")
    expect(changes.get_by_role("row").filter(has_text="name")).to_have_text("nameNamed beforeNamed after")


def test_administrators_read_the_audit_log_of_the_instance(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/admin?tab=people")
    page.get_by_role("tab", name="Audit").click()
    rows = page.get_by_role("table", name="Instance audit log").locator("tbody tr")
    rows.filter(has_text="Olga Ivanova").first.click()

    entry = page.get_by_role("dialog")
    expect(entry.get_by_text("Olga Ivanova").first).to_be_visible()
    expect(entry.get_by_role("button", name="All entries of this request")).to_have_count(0)


def test_quiet_hours_are_shown_in_the_header_and_in_the_settings(
    visit: Open, service: Service, quiet_hours: datetime
) -> None:
    text = re.compile(rf"Quiet hours until .*{quiet_hours:%-I:%M}\s{quiet_hours:%p}\.")
    page = signed_in(visit, service, "/w/home/settings")

    expect(page.get_by_role("banner").get_by_role("img", name=text)).to_be_visible()
    expect(page.get_by_text(text)).to_be_visible()


def test_quiet_hours_are_drawn_and_previewed_before_they_are_saved(visit: Open, service: Service) -> None:
    destination = service.destination("Waits at night")
    page = signed_in(visit, service, "/w/home/settings")
    page.get_by_role("switch", name="Quiet hours").click(force=True)
    page.get_by_role("button", name="Add a window").click()
    expect(page.get_by_role("img", name="The week: quiet Mon to Fri 22:00 to 07:00")).to_be_visible()
    page.get_by_role("group", name="Window 1").get_by_label("From").fill("20:00")
    expect(page.get_by_role("img", name="The week: quiet Mon to Fri 20:00 to 07:00")).to_be_visible()
    # Within the window the sentence of the server names its end alone, and only the next windows begin at eight.
    expect(page.get_by_role("status").filter(has_text="Next: ")).to_contain_text(re.compile(r"20:00|\b8:00\sPM"))
    waiting = (
        page.get_by_role("list", name="Delayed notifications").get_by_role("listitem").filter(has_text="Waits at night")
    )
    expect(waiting).to_contain_text("gets critical notifications immediately. The others wait.")
    expect(waiting.get_by_role("link")).to_have_attribute("href", f"/w/home/destinations?edit={destination['id']}")

    holidays = page.get_by_role("combobox", name="Holidays").or_(page.get_by_role("textbox", name="Holidays"))
    holidays.fill("2026-02-30")
    holidays.press("Enter")
    expect(page.get_by_text("2026-02-30 is not a date such as 2026-12-24.")).to_be_visible()
    holidays.fill("2026-12-24")
    holidays.press("Enter")
    expect(page.get_by_text("is not a date such as")).to_have_count(0)
    page.get_by_role("button", name="Discard").click()
    workspace = service.home()
    assert workspace["settings"]["quietHours"]["enabled"] is False
