"""A schedule follows an external calendar, in real browsers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.faults.service_processes import until
from tests.intake.calendars.ics import event, ics
from tests.stand_ins.receivers import Answer, Receiver
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


@pytest.fixture
def calendar() -> Iterator[Receiver]:
    """Serves a calendar in which Olga has been on call since yesterday, and a person who is not a member follows."""
    days = [datetime.now(UTC) + timedelta(days=number) for number in (-1, 7, 14)]
    stamps = [f"{each:%Y%m%dT%H%M%SZ}" for each in days]
    first = event("SUMMARY:olga ivanova", f"DTSTART:{stamps[0]}", f"DTEND:{stamps[1]}")
    second = event("SUMMARY:Zoe Unknown", f"DTSTART:{stamps[1]}", f"DTEND:{stamps[2]}", uid="2")
    content = ics(*first, *second)
    with Receiver() as receiver:
        receiver.answer = lambda request: Answer(200, content)
        yield receiver


def test_a_schedule_follows_a_calendar_after_its_preview(visit: Open, service: Service, calendar: Receiver) -> None:
    page = signed_in(visit, service, "/w/home/on-call/new")
    page.get_by_role("textbox", name="Name").fill("From a calendar")
    page.get_by_text("Follow a calendar", exact=True).click()
    preview = page.get_by_role("complementary", name="The next four weeks")
    expect(preview.get_by_text("Enter the address of the calendar.")).to_be_visible()
    page.get_by_role("textbox", name="Address of the calendar").fill(f"{calendar.url}/secret.ics")
    expect(preview.get_by_text("No member has this name: Zoe Unknown.")).to_be_visible()
    page.get_by_role("button", name="Create the schedule").click()

    expect(page.get_by_role("heading", name="From a calendar")).to_be_visible()
    [made] = service.get("/v1/schedules?q=From%20a%20calendar")["items"]
    until(lambda: service.get(f"/v1/schedules/{made['id']}")["calendar"]["isFollowed"], "the calendar is followed")
    expect(page.get_by_text("Follows a calendar at 127.0.0.1, read")).to_be_visible()
    expect(page.get_by_text("Events of the calendar name somebody who is no member.")).to_be_visible()
    shifts = page.get_by_role("listbox", name="Shifts of From a calendar")
    expect(shifts.get_by_role("option", name="Olga Ivanova").first).to_be_visible()

    page.get_by_role("link", name="Edit", exact=True).click()
    expect(preview.get_by_text("The same people are on call as before.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Address of the calendar")).to_have_value("")
