"""Silences: times on the clock of the person, edits, recurrences, a deletion that is undone, and people who only read."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import show, signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

DAY = timedelta(days=1)


def named(service: Service, comment: str) -> list[dict[str, str]]:
    """The silences with this reason that are not deleted."""
    return [each for each in service.get("/v1/silences?limit=200")["items"] if each["comment"] == comment]


def stored_silence(service: Service, comment: str, **fields: Any) -> dict[str, Any]:
    """A silence of incidents that nobody sends."""
    workspace = service.home()
    match = {"all": [{"field": "title", "op": "eq", "value": "Never sent"}]}
    body = {"workspaceId": workspace["id"], "match": match, "comment": comment, **fields}
    return dict(service.post("/v1/silences", body))


def test_times_are_entered_in_the_time_zone_that_the_person_reads(visit: Open, service: Service) -> None:
    sita = service.joined("Sita")
    sita.patch("/v1/me/preferences", {"times": "utc"})
    page = signed_in(visit, sita, "/w/home/silences/new", timezone_id="Asia/Tokyo")
    expect(page.get_by_text("Leave empty to start now. Time zone: UTC.")).to_be_visible()
    page.get_by_role("button", name="Remove condition 1").click()
    expect(page.get_by_text("It covers every incident in Home, including critical ones.")).to_be_visible()
    page.get_by_role("radiogroup", name="Form of the condition").get_by_text("Text").click()
    page.get_by_role("textbox", name="Condition as text").fill('title = "Never sent"')
    begin = (datetime.now(UTC) + DAY).replace(hour=3, minute=30, second=0, microsecond=0)
    end = begin + 30 * DAY
    page.get_by_label("Start").fill(f"{begin:%Y-%m-%dT%H:%M}")
    page.get_by_label(re.compile("^End")).fill(f"{end:%Y-%m-%dT%H:%M}")
    page.get_by_role("combobox", name="Recurrence").click()
    page.get_by_role("option", name="On certain weekdays").click()
    page.get_by_role("combobox", name="Time zone").fill("Berlin")
    page.get_by_role("option", name="Europe/Berlin").click()
    page.get_by_role("textbox", name="Reason").fill("Weekly copy")
    page.get_by_role("button", name="Create the silence").click()

    row = page.get_by_role("list", name="Scheduled silences").get_by_role("listitem").filter(has_text="Weekly copy")
    expect(row).to_contain_text("repeats on Sun for 1 h")
    [stored] = named(service, "Weekly copy")
    assert [datetime.fromisoformat(stored[name]) for name in ("startsAt", "endsAt")] == [begin, end]
    page.get_by_role("link", name="Weekly copy").click()
    expect(page.get_by_label("Start")).to_have_value(f"{begin:%Y-%m-%dT%H:%M}")


def test_a_silence_is_deleted_and_the_deletion_is_undone(visit: Open, service: Service) -> None:
    silence = stored_silence(service, "Not needed any more", endsAt=(datetime.now(UTC) + DAY).isoformat())
    page = signed_in(visit, service, f"/w/home/silences/{silence['id']}")
    page.get_by_role("button", name="Delete the silence").click()
    row = page.get_by_role("link", name="Not needed any more")
    page.get_by_role("button", name="Undo").click()  # at once: it is offered for eight seconds
    expect(page.get_by_role("heading", name="Silences")).to_be_visible()
    expect(row).to_be_visible()
    row.click()
    page.get_by_role("button", name="Delete the silence").click()
    until(lambda: named(service, "Not needed any more") == [], "the silence is deleted", 20)


def test_an_edited_reason_is_sent_alone_even_after_the_end_was_empty(visit: Open, service: Service) -> None:
    ends_at = (datetime.now(UTC) + DAY).replace(second=42, microsecond=0)
    silence = stored_silence(service, "Ends in its own second", endsAt=ends_at.isoformat())
    page = signed_in(visit, service, f"/w/home/silences/{silence['id']}")
    end = page.get_by_label(re.compile("^End"))
    value = end.input_value()
    end.fill("")
    page.get_by_role("textbox", name="Reason").fill("Another reason")
    expect(page.get_by_text("Choose an end.")).to_be_visible()
    end.fill(value)
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_role("heading", name="Silences")).to_be_visible()
    [stored] = named(service, "Another reason")
    assert datetime.fromisoformat(stored["endsAt"]) == ends_at
    row = page.get_by_role("listitem").filter(has_text="Another reason")
    silenced = row.get_by_role("link", name="silences 0 incidents")
    assert silenced.get_attribute("href") == f"/w/home/inbox?state=silenced&q=silence:{silence['id']}"


def test_a_recurrence_that_never_happens_says_so_and_a_rule_is_typed_in_one_go(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/silences/new")
    page.get_by_role("button", name="Remove condition 1").click()
    page.get_by_role("radiogroup", name="Form of the condition").get_by_text("Text").click()
    page.get_by_role("textbox", name="Condition as text").fill('title = "Never sent"')
    page.get_by_role("textbox", name="Reason").fill("Never happens")
    kind = page.get_by_role("combobox", name="Recurrence")
    kind.click()
    page.get_by_role("option", name="On certain weekdays").click()
    later = datetime.now(UTC) + 3 * DAY
    if later.strftime("%a") != "Sun":
        page.get_by_text(later.strftime("%a"), exact=True).click()
        page.get_by_text("Sun", exact=True).click()
    page.get_by_role("button", name="Create the silence").click()
    expect(page.get_by_text("Never happens between now and the end.")).to_be_visible()

    kind.click()
    page.get_by_role("option", name="Custom (RRULE)").click()
    rule = page.get_by_role("textbox", name="RRULE")
    rule.fill("")
    rule.press_sequentially("FREQ=DAILY;INTERVAL=2")
    expect(rule).to_have_value("FREQ=DAILY;INTERVAL=2")


def test_a_viewer_sees_no_error_in_place_of_a_preview(visit: Open, service: Service) -> None:
    vesna = service.joined("Vesna", role="viewer")
    silence = stored_silence(service, "Only read", endsAt=(datetime.now(UTC) + DAY).isoformat())
    workspace = service.home()
    body = {"name": "Only read", "matchText": 'title = "Never sent"', "then": {"disposition": "log"}}
    rule = service.post("/v1/rules", {**body, "workspaceId": workspace["id"]})
    page = signed_in(visit, vesna, f"/w/home/silences/{silence['id']}")
    for path in (f"silences/{silence['id']}", f"rules/{rule['id']}"):
        show(page, f"/w/home/{path}")

        expect(page.get_by_role("heading", name="Only read")).to_be_visible()
        expect(page.get_by_role("heading", name="Preview")).to_have_count(0)
        expect(page.get_by_role("alert")).to_have_count(0)
    for record in (f"silences/{silence['id']}", f"rules/{rule['id']}"):
        service.delete(f"/v1/{record}")
