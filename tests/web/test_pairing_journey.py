"""A phone after its pairing: notifications on within a tap, a test, and what is said where they are off or cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.push_service import Subscription
from tests.stand_ins.receivers import Answer, Receiver
from tests.web.conftest import PHONE, Open, visits
from tests.web.layout import layout_faults
from tests.web.pages import signed_in
from tests.web.service import Service
from tests.web.test_notifications import BROWSER
from tests.web.test_phone import pair, paired_phone

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

REFUSED = """
PushManager.prototype.getSubscription = async () => null;
PushManager.prototype.subscribe = async () => {
  throw new DOMException('Registration failed - push service error', 'AbortError');
};
"""
SILENT = "Notifications are off: this phone stays silent."
UNREACHED = "Phones cannot reach 127.0.0.1. Set INBOX_BASE_URL to the https address of this instance."


@pytest.fixture
def visit(desktop_browser: Any) -> Iterator[Open]:
    """Only this browser shows notifications."""
    yield from visits(desktop_browser)


@pytest.fixture
def subscription() -> Iterator[Subscription]:
    with Receiver(Answer(201)) as running:
        yield Subscription(running, "/push/paired")


def ready_phone(visit: Open, service: Service, script: str) -> Any:
    """A phone that permits notifications, whose browser subscribes as the script says."""
    phone = visit(size=PHONE, service_workers="allow")
    phone.context.grant_permissions(["notifications"], origin="/".join(service.address.split("/")[:3]))
    phone.context.add_init_script(script)
    return phone


def test_pairing_ends_with_notifications_on_and_a_test(
    visit: Open, service: Service, subscription: Subscription
) -> None:
    phone = ready_phone(visit, service, BROWSER.replace("SUBSCRIPTION", json.dumps(subscription.body())))
    pair(phone, service, service.post("/v1/devices/pairings")["code"], "Phone at once")
    turn_on = phone.get_by_role("button", name="Turn notifications on")
    expect(turn_on).to_be_in_viewport(ratio=1)
    expect(turn_on).to_be_enabled()
    assert layout_faults(phone, overlaps=True) == []
    turn_on.tap()
    phone.get_by_role("button", name="Send a test to Phone at once").tap()
    expect(phone.get_by_text("The push service accepted the test")).to_be_visible()
    until(lambda: subscription.notifications, "the push service has the test", 60)

    phone.get_by_role("link", name="Open the inbox").click()
    expect(phone.get_by_role("link", name="Prepared critical")).to_be_visible()
    expect(phone.get_by_text(SILENT)).to_have_count(0)


def test_a_silent_phone_says_so_in_its_inbox_until_notifications_are_on(
    visit: Open, service: Service, subscription: Subscription
) -> None:
    phone = ready_phone(visit, service, BROWSER.replace("SUBSCRIPTION", json.dumps(subscription.body())))
    pair(phone, service, service.post("/v1/devices/pairings")["code"], "Silent phone")
    phone.get_by_role("link", name="Open the inbox").click()
    banner = phone.get_by_role("status").filter(has_text=SILENT)
    banner.get_by_role("button", name="Turn notifications on").tap()

    expect(banner).to_have_count(0)
    [found] = [each for each in service.get("/v1/devices")["items"] if each["name"] == "Silent phone"]
    assert found["push"]["state"] == "active"


def test_the_word_about_a_silent_phone_can_be_dismissed_and_its_account_begins_with_devices(
    visit: Open, service: Service
) -> None:
    phone = paired_phone(visit, service, "Quiet on purpose")
    phone.get_by_role("button", name="Dismiss").tap()
    expect(phone.get_by_text(SILENT)).to_have_count(0)
    phone.reload()
    expect(phone.get_by_role("link", name="Prepared critical")).to_be_visible()
    expect(phone.get_by_text(SILENT)).to_have_count(0)

    phone.goto(f"{service.address}/account")
    expect(phone.get_by_role("heading", level=2).first).to_have_text("Devices")
    expect(phone.get_by_role("button", name="Turn notifications on")).to_be_in_viewport()


def test_a_refused_subscription_is_not_told_as_a_lost_connection(visit: Open, service: Service) -> None:
    phone = ready_phone(visit, service, REFUSED)
    pair(phone, service, service.post("/v1/devices/pairings")["code"], "Refused phone")
    phone.get_by_role("button", name="Turn notifications on").tap()

    refusal = "Your browser's push service refused the subscription: Registration failed - push service error"
    expect(phone.get_by_text(refusal)).to_be_visible()
    expect(phone.get_by_text("Cannot reach the server")).to_have_count(0)


def test_an_address_that_phones_cannot_reach_is_named_before_a_code_is_scanned(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/account")
    devices = page.get_by_role("region", name="Devices")
    expect(devices.get_by_text(UNREACHED)).to_be_visible()
    devices.get_by_role("button", name="Pair a phone").click()
    expect(page.get_by_role("dialog").get_by_text(UNREACHED)).to_be_visible()
    address = page.get_by_role("dialog").get_by_role("link", name="How phones connect").get_attribute("href")
    assert service.session.get(service.address + str(address), timeout=60).status_code == 200

    page.goto(f"{service.address}/w/home/welcome")
    expect(page.get_by_text(UNREACHED)).to_be_visible()
