"""Silences: times on the clock that the person reads, recurrences in words, and a deletion that is undone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

DAY = timedelta(days=1)


def named(service: Service, comment: str) -> list[dict[str, str]]:
    """The silences with this reason that are not deleted."""
    return [each for each in service.get("/v1/silences?limit=200")["items"] if each["comment"] == comment]


def test_times_are_entered_on_the_clock_on_which_the_person_reads_them(visit: Open, service: Service) -> None:
    sita = service.joined("Sita")
    sita.patch("/v1/me/preferences", {"times": "utc"})
    page = signed_in(visit, sita, "/w/home/silences/new", timezone_id="Asia/Tokyo")
    expect(page.get_by_text("Empty: now. By the clock of UTC.")).to_be_visible()
    page.get_by_role("button", name="Remove condition 1").click()
    expect(page.get_by_text("It covers every incident of Home, critical ones too.")).to_be_visible()
    page.get_by_role("radiogroup", name="Form of the condition").get_by_text("Text").click()
    page.get_by_role("textbox", name="Condition as text").fill('title = "Never sent"')
    begin = (datetime.now(UTC) + DAY).replace(hour=3, minute=30, second=0, microsecond=0)
    end = begin + 30 * DAY
    page.get_by_label("Start").fill(f"{begin:%Y-%m-%dT%H:%M}")
    page.get_by_label(re.compile("^End")).fill(f"{end:%Y-%m-%dT%H:%M}")
    page.get_by_role("combobox", name="Recurrence").click()
    page.get_by_role("option", name="On days of the week").click()
    page.get_by_role("combobox", name="Time zone").fill("Berlin")
    page.get_by_role("option", name="Europe/Berlin").click()
    page.get_by_role("textbox", name="Reason").fill("Weekly copy")
    page.get_by_role("button", name="Create the silence").click()

    row = page.get_by_role("list", name="Scheduled silences").get_by_role("listitem").filter(has_text="Weekly copy")
    expect(row).to_contain_text("recurs on Sun for 1 h")
    [stored] = named(service, "Weekly copy")
    assert [datetime.fromisoformat(stored[name]) for name in ("startsAt", "endsAt")] == [begin, end]
    page.get_by_role("link", name="Weekly copy").click()
    expect(page.get_by_label("Start")).to_have_value(f"{begin:%Y-%m-%dT%H:%M}")


def test_a_silence_is_deleted_and_the_deletion_is_undone(visit: Open, service: Service) -> None:
    [workspace, *_] = service.get("/v1/workspaces")["items"]
    ends_at = (datetime.now(UTC) + DAY).isoformat()
    match = {"all": [{"field": "title", "op": "eq", "value": "Never sent"}]}
    body = {"workspaceId": workspace["id"], "match": match, "endsAt": ends_at, "comment": "Not needed any more"}
    silence = service.post("/v1/silences", body)
    page = signed_in(visit, service, f"/w/home/silences/{silence['id']}")
    page.get_by_role("button", name="Delete the silence").click()
    row = page.get_by_role("link", name="Not needed any more")
    expect(page.get_by_role("heading", name="Silences")).to_be_visible()
    expect(row).to_have_count(0)

    page.get_by_role("button", name="Undo").click()
    expect(row).to_be_visible()
    row.click()
    page.get_by_role("button", name="Delete the silence").click()
    until(lambda: named(service, "Not needed any more") == [], "the silence is deleted", 20)
