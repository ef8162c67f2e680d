"""Settings of people and schedules in a real browser: mails before shifts, quiet hours of phones, channel and Slack."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.receivers import Receiver
from tests.web.conftest import PHONE, Open
from tests.web.pages import settled, signed_in
from tests.web.service import Service
from tests.web.test_calendar_feed_journey import rota

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_person_chooses_how_long_before_shifts_they_are_mailed(visit: Open, service: Service) -> None:
    greta = service.joined("Greta")
    page = signed_in(visit, greta, "/account", size=PHONE)
    section = page.get_by_role("region", name="Shift reminders")
    expect(section.get_by_text("1 day before")).to_be_visible()
    section.locator(".mantine-MultiSelect-input").tap()
    page.get_by_role("option", name="1 h before").tap()
    until(lambda: leads(greta) == [1440, 60, 0], "the hour is saved", 60)
    page.get_by_role("option", name="1 day before").tap()
    until(lambda: leads(greta) == [60, 0], "the day is gone", 60)
    page.reload()

    expect(section.get_by_text("1 h before")).to_be_visible()
    expect(section.get_by_text("1 day before")).to_have_count(0)


def test_the_channel_of_a_schedule_is_chosen_tested_and_removed(visit: Open, service: Service) -> None:
    made = rota(service, "Rota with a channel")
    with Receiver() as receiver:
        destination = service.destination("Channel of the rota", receiver.url)
        page = signed_in(visit, service, f"/w/home/on-call/{made['id']}/edit")
        page.get_by_role("combobox", name="Channel").click()
        page.get_by_role("option", name="Channel of the rota").click()
        page.get_by_role("button", name="Send a test").click()
        expect(page.get_by_text("The test was sent. Check that it arrived.")).to_be_visible()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("button", name="History")).to_be_visible()
        assert service.get(f"/v1/schedules/{made['id']}")["noticeDestinationId"] == destination["id"]
        tests = len(receiver.requests)
        page.get_by_role("link", name="Edit", exact=True).click()
        expect(page.get_by_role("combobox", name="Channel")).to_have_value("Channel of the rota")
        page.locator("button[aria-label='No channel']").click()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("button", name="History")).to_be_visible()

    assert tests == 1
    assert service.get(f"/v1/schedules/{made['id']}")["noticeDestinationId"] is None


def test_the_phones_of_a_person_have_quiet_hours(visit: Open, service: Service) -> None:
    quentin = service.joined("Quentin")
    page = signed_in(visit, quentin, "/account", size=PHONE)
    section = page.get_by_role("region", name="Quiet hours of your phones")
    settled(page)
    section.locator(".mantine-Switch-track").click()
    section.get_by_role("combobox", name="Time zone").fill("Europe/Lisbon")
    page.get_by_role("option", name="Europe/Lisbon").click()
    section.get_by_role("button", name="Save the quiet hours").click()
    expect(section.get_by_role("button", name="Save the quiet hours")).to_have_count(0)
    kept = quentin.get("/v1/me/preferences")["phoneQuietHours"]
    assert (kept["enabled"], kept["timezone"], len(kept["windows"])) == (True, "Europe/Lisbon", 1)
    page.reload()
    settled(page)

    section.locator(".mantine-Switch-track").click()
    expect(section.get_by_role("switch", name="Quiet hours")).not_to_be_checked()
    section.get_by_role("button", name="Save the quiet hours").click()
    until(lambda: quentin.get("/v1/me/preferences")["phoneQuietHours"] is None, "the quiet hours are gone", 60)


def test_slack_shows_who_is_on_call(visit: Open, service: Service) -> None:
    made = rota(service, "Rota shown in Slack")
    workspace = service.home()
    config = {"channel": "C0123456789", "token": "xoxb-1-secret"}
    bot = service.post(
        "/v1/destinations", {"workspaceId": workspace["id"], "name": "Rota bot", "kind": "slack", "config": config}
    )
    page = signed_in(visit, service, f"/w/home/on-call/{made['id']}/edit")
    page.get_by_role("combobox", name="Slack").click()
    page.get_by_role("option", name="Rota bot").click()
    group = page.get_by_role("textbox", name="User group")
    group.fill("a name")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(group).to_have_attribute("aria-invalid", "true")
    group.fill("S0123456789")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="History")).to_be_visible()
    kept = service.get(f"/v1/schedules/{made['id']}")["slack"]
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.get_by_role("checkbox", name="Set the topic of the channel")).to_be_checked()
    page.locator("button[aria-label='No Slack']").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="History")).to_be_visible()

    assert (kept["destinationId"], kept["userGroupId"], kept["setsTopic"]) == (bot["id"], "S0123456789", True)
    assert service.get(f"/v1/schedules/{made['id']}")["slack"] is None
    service.delete(f"/v1/destinations/{bot['id']}")


def leads(service: Service) -> list[int]:
    return list(service.get("/v1/me/preferences")["shiftNoticeMinutes"])
