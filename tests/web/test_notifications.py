"""Notifications of a paired phone, with a push service on loopback that decrypts what the phone would get."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.push_service import Subscription
from tests.stand_ins.receivers import Answer, Receiver
from tests.web.conftest import Open, visits
from tests.web.service import Service
from tests.web.test_phone import paired_phone

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

BROWSER = """(() => {
  const made = JSON.parse('SUBSCRIPTION');
  const found = { toJSON: () => made, unsubscribe: async () => { localStorage.removeItem('subscribed'); return true; } };
  PushManager.prototype.getSubscription = async () => (localStorage.getItem('subscribed') ? found : null);
  PushManager.prototype.subscribe = async () => { localStorage.setItem('subscribed', 'yes'); return found; };
})()"""
"""Chromium without a network has no push service. It keeps the keys of the test instead."""

NOTIFICATIONS = (
    "navigator.serviceWorker.ready.then((found) => found.getNotifications())"
    ".then((all) => all.map((each) => [each.title, each.body, each.actions.map((act) => act.action)]))"
)
CLICK = (
    "self.registration.getNotifications().then(([first]) =>"
    " void self.dispatchEvent(new NotificationEvent('notificationclick', {notification: first, action: 'acknowledge'})))"
)


@pytest.fixture
def visit(desktop_browser: Any) -> Iterator[Open]:
    """Only this browser shows notifications."""
    yield from visits(desktop_browser)


@pytest.fixture
def push_service() -> Iterator[Receiver]:
    with Receiver(Answer(201)) as running:
        yield running


class NotifiedPhone:
    """A paired phone with notifications on, and what its push service was sent."""

    def __init__(self, visit: Open, service: Service, push_service: Receiver, name: str) -> None:
        self.subscription = Subscription(push_service, f"/push/{name.replace(' ', '-')}")
        self.service, self.name = service, name
        self.origin = "/".join(service.address.split("/")[:3])
        self.page = paired_phone(visit, service, name, service_workers="allow")
        self.page.context.grant_permissions(["notifications"], origin=self.origin)
        self.page.context.add_init_script(BROWSER.replace("SUBSCRIPTION", json.dumps(self.subscription.body())))
        self.page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
        self.page.goto(f"{service.address}/account")
        self.page.get_by_role("button", name="Turn notifications on").click()
        expect(self.page.get_by_role("button", name="Turn notifications off")).to_be_visible()
        self._cdp = self.page.context.new_cdp_session(self.page)
        self._registrations: list[str] = []
        self._newest = ""
        self._cdp.on("ServiceWorker.workerRegistrationUpdated", self._note)
        self._cdp.send("ServiceWorker.enable")

    def _note(self, event: dict[str, Any]) -> None:
        self._registrations += [each["registrationId"] for each in event["registrations"]]

    def next_message(self, count: int) -> dict[str, Any]:
        """The newest of so many messages, handed to the browser as its push service would."""
        until(lambda: len(self.subscription.notifications) >= count, "the push service has the message", 60)
        own = [each for each in self.subscription.service.requests if each.path == self.subscription.path]
        message = self.subscription.message(own[count - 1])
        for _ in range(300):  # page.wait_for_timeout lets Playwright receive the event
            if self._registrations:
                break
            self.page.wait_for_timeout(100)
        self._newest = json.dumps(message)
        self._deliver()
        found: dict[str, Any] = message["notification"]
        return found

    def _deliver(self) -> None:
        self._cdp.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": self.origin, "registrationId": self._registrations[-1], "data": self._newest},
        )

    def shows(self, titles: list[str]) -> list[Any]:
        """Wait until the phone shows notifications with these titles, and return them.

        The newest message is delivered again every ten seconds: DevTools loses one whose worker does not start in time.
        """
        for turn in range(600):
            shown: list[Any] = self.page.evaluate(NOTIFICATIONS)
            if [title for title, _, _ in shown] == titles:
                return shown
            self.page.wait_for_timeout(100)
            if turn % 100 == 99:
                self._deliver()
        raise AssertionError(f"the phone shows {shown}")

    def state(self) -> str:
        """The push state of this phone, as the person sees it elsewhere."""
        [found] = [each for each in self.service.get("/v1/devices")["items"] if each["name"] == self.name]
        return str(found["push"]["state"])


def test_one_notification_is_shown_for_an_incident_and_removed_when_it_is_acknowledged_elsewhere(
    visit: Open, service: Service, push_service: Receiver
) -> None:
    phone = NotifiedPhone(visit, service, push_service, "Night phone")
    service.send("Pushed to the phone", dedupKey="pushed:1", severity="CRITICAL")
    sent = phone.next_message(1)
    [shown] = phone.shows(["CRITICAL · Pushed to the phone"])
    assert (sent["silent"], shown[2]) == (False, ["acknowledge"])

    service.post(f"/v1/incidents/{sent['tag']}/acknowledge")
    repeated = phone.next_message(2)

    assert (repeated["tag"], repeated["silent"]) == (sent["tag"], True)
    phone.shows([])


def test_an_incident_is_acknowledged_from_its_notification(
    visit: Open, service: Service, push_service: Receiver
) -> None:
    phone = NotifiedPhone(visit, service, push_service, "Acting phone")
    service.send("Acknowledged from the lock screen", dedupKey="pushed:2")
    incident = phone.next_message(1)["tag"]
    phone.shows(["ERROR · Acknowledged from the lock screen"])
    [worker] = phone.page.context.service_workers
    worker.evaluate(CLICK)

    until(
        lambda: service.get(f"/v1/incidents/{incident}")["state"] == "acknowledged", "the incident is acknowledged", 60
    )
    phone.shows([])


def test_a_phone_whose_subscription_ended_is_lost_until_the_app_starts_again(
    visit: Open, service: Service, push_service: Receiver
) -> None:
    phone = NotifiedPhone(visit, service, push_service, "Phone that lost push")
    push_service.script(410)
    phone.page.get_by_role("button", name="Send a test to Phone that lost push").click()
    expect(phone.page.get_by_text("Push stopped working")).to_be_visible()
    assert phone.state() == "lost"
    desktop = visit(service=service)
    desktop.goto(f"{service.address}/account")
    expect(desktop.get_by_text("Push lost: open the app on the phone")).to_be_visible()

    phone.page.reload()
    until(lambda: phone.state() == "active", "the subscription is renewed", 60)


def test_a_phone_hides_content_and_selects_its_notifications(
    visit: Open, service: Service, push_service: Receiver
) -> None:
    phone = NotifiedPhone(visit, service, push_service, "Discreet phone")
    phone.page.get_by_text("Hide content on the lock screen").click()
    expect(phone.page.get_by_role("checkbox", name="Hide content on the lock screen")).to_be_checked()
    phone.page.get_by_role("combobox", name="Home").click()
    phone.page.get_by_role("option", name="Critical and above").click()
    until(lambda: chosen(service, "Discreet phone")["minSeverity"] == "CRITICAL", "the choice is stored", 60)
    only = phone.page.get_by_role("switch", name="Only while I am on call in Home")
    before = chosen(service, "Discreet phone")["alerts"]
    only.click(force=True)
    until(lambda: chosen(service, "Discreet phone")["alerts"] != before, "the other choice is stored", 60)
    only.click(force=True)
    until(lambda: chosen(service, "Discreet phone")["alerts"] == before, "the former choice is stored", 60)
    assert chosen(service, "Discreet phone")["minSeverity"] == "CRITICAL"
    service.send("Not severe enough", dedupKey="pushed:3")
    service.send("Nobody may read this", dedupKey="pushed:4", severity="CRITICAL")

    assert phone.next_message(1)["title"] == "Critical incident"
    assert "Nobody may read this" not in json.dumps(phone.subscription.notifications)


def chosen(service: Service, name: str) -> dict[str, Any]:
    """What the phone gets of its first workspace."""
    [found] = [each for each in service.get("/v1/devices")["items"] if each["name"] == name]
    return dict(found["push"]["workspaces"][0])


def test_notifications_end_when_they_are_turned_off(visit: Open, service: Service, push_service: Receiver) -> None:
    phone = NotifiedPhone(visit, service, push_service, "Quiet phone")
    phone.page.get_by_role("button", name="Turn notifications off").click()
    expect(phone.page.get_by_role("button", name="Turn notifications on")).to_be_visible()

    assert phone.state() == "none"
