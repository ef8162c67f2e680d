"""Heartbeat monitors in a real browser, with pings over HTTP."""

from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import requests

from inbox.domain.values import ids
from ops.datadir import DataDir
from tests.faults.service_processes import until
from tests.up import Up
from tests.web.conftest import Open
from tests.web.pages import go_by_keys, signed_in, stored_secret
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_monitor_is_created_with_a_preview_and_pinged_by_its_ready_text(
    visit: Open, service: Service, tmp_path: Path
) -> None:
    page = signed_in(visit, service, "/w/home/heartbeats/new")
    page.get_by_label("Name").fill("Nightly copy")
    page.get_by_role("combobox", name="Source").click()
    page.get_by_role("option", name="Backups", exact=True).click()
    expression = page.get_by_role("textbox", name="Cron expression")
    expression.fill("30 25 * * *")
    preview = page.get_by_role("complementary")
    expect(preview.get_by_text("The hour field is invalid.")).to_be_visible()
    expect(expression).to_have_attribute("aria-invalid", "true")
    expect(preview.locator("mark")).to_have_text("25")
    expression.fill("30 2 * * *")
    page.get_by_role("combobox", name="Time zone").fill("Europe/Berlin")
    page.get_by_role("option", name="Europe/Berlin").click()
    expect(preview.get_by_text("At 02:30 every day (Europe/Berlin)")).to_be_visible()
    expect(preview.get_by_role("listitem")).to_have_count(5)
    expect(preview.get_by_text("clocks skip 02:00 to 03:00")).to_be_visible()
    page.get_by_role("button", name="Create the heartbeat").click()
    page.get_by_role("dialog", name="Ping address").wait_for()
    address = stored_secret(page)

    expect(page.get_by_text("Waiting for the first ping.")).to_be_visible()
    text = page.get_by_label("curl", exact=True).locator("visible=true").last.inner_text()
    assert address in text
    subprocess.run(
        ["sh", "-c", text.replace("/usr/local/bin/backup.sh", "echo copied")], cwd=tmp_path, check=True, timeout=60
    )

    expect(page.get_by_text("The last ping arrived")).to_be_visible()
    page.get_by_role("tab", name="Pings").click()
    rows = page.get_by_role("table", name="Pings").locator("tbody tr")
    expect(rows).to_have_count(2)
    rows.first.click()
    expect(page.get_by_role("dialog").get_by_label("Text", exact=True)).to_have_text("copied")
    page.reload()
    assert address not in page.content()


def test_a_missing_ping_opens_an_incident_and_the_next_ping_resolves_it(visit: Open, service: Service, up: Up) -> None:
    monitor = service.monitor("Hourly sync")
    requests.get(monitor["pingUrl"], timeout=60).raise_for_status()
    page = signed_in(visit, service, f"/w/home/heartbeats/{monitor['id']}")
    expect(page.get_by_text("The next ping is expected")).to_be_visible()
    _move_back(up, monitor["id"], hours=2)

    expect(page.get_by_text("Down since")).to_be_visible(timeout=60_000)
    incident = page.get_by_role("link", name="Hourly sync did not ping in time")
    expect(incident).to_be_visible()
    requests.get(monitor["pingUrl"], timeout=60).raise_for_status()

    expect(page.get_by_text("The next ping is expected")).to_be_visible()
    expect(incident).to_have_count(0)
    page.get_by_role("tab", name="History").click()
    changes = page.get_by_role("table", name="Status changes").locator("tbody tr")
    expect(changes).to_have_count(3)
    expect(changes.first).to_contain_text("A run succeeded")


def test_a_monitor_is_pinged_by_a_person_paused_resumed_rotated_and_deleted(visit: Open, service: Service) -> None:
    monitor = service.monitor("Report")
    requests.get(f"{monitor['pingUrl']}/7", timeout=60).raise_for_status()
    page = signed_in(visit, service, f"/w/home/heartbeats/{monitor['id']}")
    expect(page.get_by_role("link", name="Report failed")).to_be_visible()
    page.get_by_role("button", name="Ping now").click()
    page.get_by_role("dialog").get_by_role("button", name="Send the ping").click()
    expect(page.get_by_text("The next ping is expected")).to_be_visible()
    expect(page.get_by_text("Sent by Olga Ivanova.")).to_be_visible()

    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_text("Pings that arrive are listed and change nothing.")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()

    page.get_by_role("tab", name="Setup").click()
    page.get_by_role("button", name="Rotate the token").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate the token").click()
    page.get_by_role("dialog", name="New ping address").wait_for()
    rotated = stored_secret(page)
    assert [requests.get(url, timeout=60).status_code for url in (monitor["pingUrl"], rotated)] == [401, 200]

    page.get_by_role("tab", name="Settings").click()
    page.get_by_role("button", name="Delete the monitor").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the monitor").click()
    expect(page.get_by_role("heading", name="Heartbeats")).to_be_visible()
    expect(page.get_by_role("link", name="Report", exact=True)).to_have_count(0)


def test_monitors_are_found_by_search_and_status_which_stand_in_the_address(visit: Open, service: Service) -> None:
    for name in ("Copy of photos", "Copy of mails"):
        service.monitor(name, tags=["copies"])
    requests.get(f"{service.monitor('Copy of songs')['pingUrl']}/fail", timeout=60).raise_for_status()
    page = signed_in(visit, service, "/w/home/inbox")
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    search = page.get_by_role("textbox", name="Search monitors")
    go_by_keys(page, "h", search)
    page.keyboard.press("/")
    expect(search).to_be_focused()
    page.keyboard.type("copy of")
    rows = page.get_by_role("table", name="Heartbeat monitors").locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Copy of songs")
    page.get_by_text("New · 2").click()
    expect(rows).to_have_count(2)
    page.reload()

    expect(rows).to_have_count(2)
    expect(page.get_by_role("img", name="No run yet.").first).to_be_visible()
    search.fill("nothing like this")
    page.get_by_role("button", name="Clear the filters").click()
    expect(page.get_by_role("link", name="Copy of mails")).to_be_visible()


def test_the_search_field_accepts_keys_before_the_monitors_are_loaded(visit: Open, service: Service) -> None:
    service.monitor("Answered late")
    page = visit(service=service)
    waiting: list[Any] = []

    def wait(route: Any) -> None:
        waiting.append(route)

    page.route("**/v1/heartbeat-monitors?*", wait)
    page.goto(f"{service.address}/w/home/heartbeats")
    expect(page.get_by_role("heading", name="Heartbeats")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("answered late")
    until(lambda: page.evaluate("1") and waiting, "the list is asked for", 60)
    page.unroute("**/v1/heartbeat-monitors?*", wait)  # which lets the waiting requests go on

    expect(page.get_by_role("link", name="Answered late").first).to_be_visible()
    expect(page.get_by_role("textbox", name="Search monitors")).to_have_value("answered late")


def test_a_stored_monitor_is_edited_and_gets_a_badge(visit: Open, service: Service) -> None:
    monitor = service.monitor("Cleanup")
    path = f"/v1/heartbeat-monitors/{monitor['id']}"
    service.patch(path, {"graceSeconds": 4001})
    page = signed_in(visit, service, f"/w/home/heartbeats/{monitor['id']}?tab=settings")
    grace = page.get_by_label("Grace", exact=True)
    grace.focus()
    grace.press("Tab")
    expect(grace).to_have_value("4001")
    expect(page.get_by_role("button", name="Save the changes")).to_have_count(0)
    service.patch(path, {"graceSeconds": 300})
    page.reload()
    grace.fill("20")
    page.get_by_label("Limit the run time").check()
    page.get_by_role("button", name="Save the changes").click()
    expect(page.get_by_role("button", name="Save the changes")).to_have_count(0)
    stored = service.get(path)
    assert (stored["graceSeconds"], stored["maxRuntimeSeconds"]) == (1200, 7200)

    page.get_by_role("tab", name="Setup").click()
    page.get_by_role("button", name="Create a badge").click()
    expect(page.get_by_role("img", name="Badge of Cleanup")).to_be_visible()
    badge = page.get_by_label("JSON", exact=True).inner_text()
    assert requests.get(badge, timeout=60).json()["status"] == "new"


def _move_back(up: Up, monitor: str, *, hours: int) -> None:
    """Move the times of a monitor into the past, as if so many hours had passed since its last ping."""
    address = DataDir.of({"INBOX_DATA_DIR": str(up.data)}).join({})["DATABASE_URL"]
    past: dict[str, Any] = {"by": f"{hours} hours", "id": str(ids.decode("mon", monitor))}
    with (
        closing(psycopg2.connect(address)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "UPDATE heartbeat_monitors SET last_ping_at = last_ping_at - %(by)s::interval,"
            " due_at = due_at - %(by)s::interval, check_at = check_at - %(by)s::interval WHERE id = %(id)s",
            past,
        )
        cursor.execute("UPDATE timers SET due_at = due_at - %(by)s::interval WHERE subject_id = %(id)s", past)
