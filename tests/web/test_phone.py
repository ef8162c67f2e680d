"""The phone: pairing by a code, its own tokens, the installed app, and its end from either side."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import PHONE, Open
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 "
    "Mobile/15E148 Safari/604.1"
)
ON_HOME_SCREEN = "Object.defineProperty(navigator, 'standalone', { value: true })"
STORED = """new Promise((resolve) => {
  const opening = indexedDB.open('inbox', 1);
  opening.onsuccess = () => {
    const reading = opening.result.transaction('kept').objectStore('kept').getAllKeys();
    reading.onsuccess = () => resolve(reading.result);
  };
})"""

COPY = STORED.replace("getAllKeys()", "get('copy')")


def shown_code(desktop: Any, service: Service) -> str:
    """The code that the account page shows for a phone."""
    desktop.goto(f"{service.address}/account")
    desktop.get_by_role("button", name="Pair a phone").click()
    code: str = desktop.locator("[data-secret]").inner_text()
    return code


def pair(page: Any, service: Service, code: str, name: str) -> None:
    """Open the address of the QR code, and confirm."""
    page.goto(f"{service.address}/pair#{code}")
    expect(page.get_by_role("heading", name="Pair this phone?")).to_be_visible()
    page.get_by_label("Name of this phone").fill(name)
    page.get_by_role("button", name="Pair", exact=True).click()


def paired_phone(visit: Open, service: Service, name: str, **options: Any) -> Any:
    """A phone on the inbox, paired by a code of Olga."""
    code = service.post("/v1/devices/pairings")["code"]
    page = visit(size=PHONE, **options)
    pair(page, service, code, name)
    page.get_by_role("link", name="Open the inbox").click()
    expect(page.get_by_role("link", name="Prepared critical")).to_be_visible()
    return page


def test_a_phone_is_paired_by_the_code_of_the_computer_and_acts_as_the_person(visit: Open, service: Service) -> None:
    desktop, phone = visit(service=service), visit(size=PHONE)
    pair(phone, service, shown_code(desktop, service), "Olga's phone")
    expect(phone.get_by_role("heading", name="This phone is paired")).to_be_visible()
    expect(desktop.get_by_text("Olga's phone is paired.")).to_be_visible()
    phone.get_by_role("link", name="Open the inbox").click()
    expect(phone.locator('[data-connection="live"]')).to_be_visible()

    service.send("Seen on the phone", dedupKey="phone:1")
    phone.get_by_role("link", name="Seen on the phone").click()
    phone.get_by_role("button", name="Acknowledge").click()
    phone.get_by_role("button", name="More actions").click()
    expect(phone.get_by_role("menuitem", name="Unacknowledge")).to_be_visible()

    assert phone.context.cookies() == []
    assert "#" not in phone.url


def test_a_phone_shows_the_account_before_it_pairs_and_a_wrong_code_says_why(visit: Open, service: Service) -> None:
    phone = visit(size=PHONE)
    phone.goto(f"{service.address}/pair")
    phone.get_by_label("Code").fill("0000-0000")
    phone.get_by_role("button", name="Continue").click()
    expect(phone.get_by_text("This code does not work")).to_be_visible()

    phone.get_by_label("Code").fill(service.post("/v1/devices/pairings")["code"].lower())
    phone.get_by_role("button", name="Continue").click()
    expect(phone.get_by_text("olga@example.org")).to_be_visible()


def test_a_phone_that_is_unpaired_on_the_computer_loses_access_and_its_data(visit: Open, service: Service) -> None:
    phone = paired_phone(visit, service, "Lost phone")
    desktop = visit(service=service)
    desktop.goto(f"{service.address}/account")
    desktop.get_by_role("button", name="Unpair Lost phone").click()
    desktop.get_by_role("dialog").get_by_role("button", name="Unpair").click()

    expect(phone.get_by_text("This phone is no longer paired")).to_be_visible()
    assert phone.evaluate(STORED) == []


def test_signing_out_on_the_phone_unpairs_it(visit: Open, service: Service) -> None:
    phone = paired_phone(visit, service, "Returned phone")
    phone.get_by_role("button", name="Account of Olga Ivanova").click()
    phone.get_by_role("menuitem", name="Unpair this phone").click()

    expect(phone.get_by_role("heading", name="Sign in to")).to_be_visible()
    assert phone.evaluate(STORED) == []
    assert "Returned phone" not in [each["name"] for each in service.get("/v1/devices")["items"]]


def test_two_tabs_of_a_phone_share_one_device(visit: Open, service: Service) -> None:
    phone = paired_phone(visit, service, "Phone with tabs")
    second = phone.context.new_page()
    second.goto(f"{service.address}/account")
    expect(second.get_by_role("heading", name="Account")).to_be_visible()
    second.reload()
    expect(second.get_by_text("Phone with tabs")).to_be_visible()

    phone.get_by_role("link", name="Prepared critical").click()
    expect(phone.get_by_role("heading", name="Prepared critical")).to_be_visible()
    assert "Phone with tabs" in [each["name"] for each in service.get("/v1/devices")["items"]]


def test_safari_hands_the_device_to_the_app_on_the_home_screen(visit: Open, service: Service) -> None:
    safari = visit(size=PHONE, user_agent=IPHONE)
    pair(safari, service, service.post("/v1/devices/pairings")["code"], "iPhone")
    expect(safari.get_by_role("heading", name="Now add it to the Home Screen")).to_be_visible()
    assert safari.evaluate(STORED) == []
    app = visit(size=PHONE, user_agent=IPHONE)
    app.add_init_script(ON_HOME_SCREEN)
    app.context.add_cookies(safari.context.cookies())  # what iOS does when an app is added

    app.goto(service.address)

    expect(app.get_by_role("link", name="Prepared critical")).to_be_visible()
    assert "device" in app.evaluate(STORED)
    assert app.context.cookies() == []


def test_an_app_on_the_home_screen_without_a_hand_off_offers_the_code(visit: Open, service: Service) -> None:
    app = visit(size=PHONE, user_agent=IPHONE)
    app.add_init_script(ON_HOME_SCREEN)
    app.goto(service.address)
    app.get_by_role("link", name="Pair this phone with a code").click()

    expect(app.get_by_label("Code")).to_be_visible()


def test_the_pairing_can_be_cancelled_and_its_code_typed_again(visit: Open, service: Service) -> None:
    code = service.post("/v1/devices/pairings")["code"]
    phone = visit(size=PHONE)
    looked_up: list[str] = []
    phone.on("request", lambda request: looked_up.append(request.url) if "pairings/preview" in request.url else None)
    phone.goto(f"{service.address}/pair#{code}")
    phone.get_by_role("button", name="Cancel").click()

    expect(phone.get_by_label("Code")).to_have_value("")
    expect(phone.get_by_label("Code")).to_be_visible()
    phone.get_by_label("Code").fill(code)
    assert len(looked_up) == 1
    phone.get_by_role("button", name="Continue").click()
    expect(phone.get_by_role("heading", name="Pair this phone?")).to_be_visible()


def test_a_signed_in_person_is_not_asked_to_pair(visit: Open, service: Service) -> None:
    page = visit(size=PHONE, service=service)
    page.goto(f"{service.address}/pair")

    expect(page.get_by_role("heading", name="You are signed in")).to_be_visible()
    expect(page.get_by_label("Code")).to_have_count(0)


def test_a_paired_phone_starts_without_a_connection_and_comes_back(visit: Open, service: Service) -> None:
    phone = paired_phone(visit, service, "Phone in a tunnel", service_workers="allow")
    phone.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    # `wait_for_function` takes a promise for an answer, so this is asked until it holds.
    until(lambda: "Prepared critical" in json.dumps(phone.evaluate(COPY)), "the list is in the copy")
    phone.context.set_offline(True)
    phone.goto(f"{service.address}/w/home/inbox")
    expect(phone.get_by_role("link", name="Prepared critical")).to_be_visible()
    # What is loaded when it opens first is there, too.
    phone.get_by_role("button", name="More", exact=True).click()
    expect(phone.get_by_role("dialog")).to_be_visible()
    phone.keyboard.press("Escape")

    service.send("While it was away", dedupKey="tunnel")
    phone.context.set_offline(False)
    expect(phone.get_by_role("link", name="While it was away")).to_be_visible()


def test_no_api_response_is_in_the_caches_of_the_service_worker(visit: Open, service: Service) -> None:
    phone = paired_phone(visit, service, "Phone with a worker", service_workers="allow")
    phone.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    phone.reload()
    expect(phone.get_by_role("link", name="Prepared critical")).to_be_visible()
    stored = phone.evaluate(
        "caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys()))))"
        ".then((lists) => lists.flat().map((request) => new URL(request.url).pathname))"
    )

    assert "/" in stored
    assert [path for path in stored if path != "/" and not path.startswith("/assets/")] == []


def swipe(page: Any, row: Any, by: int) -> None:
    """A finger that moves a row by so many pixels."""
    box = row.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in (0.25, 0.5, 0.75, 1.0):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + by * part, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_swipe_acknowledges_or_snoozes_and_a_short_one_does_nothing(visit: Open, service: Service) -> None:
    for title in ("Swiped right", "Swiped left"):
        service.send(title, dedupKey=title)
    phone = visit(size=PHONE, service=service)
    phone.goto(f"{service.address}/w/home/inbox?q=Swiped")
    rows = {side: phone.locator("li", has_text=f"Swiped {side}") for side in ("right", "left")}
    expect(rows["left"]).to_be_visible()
    incident_ids = {each["title"]: each["id"] for each in service.get("/v1/incidents")["items"]}
    swipe(phone, rows["left"], -40)
    expect(rows["left"]).to_be_visible()

    swipe(phone, rows["right"], 140)
    expect(phone.get_by_text("Incident acknowledged")).to_be_visible()
    swipe(phone, rows["left"], -140)
    expect(phone.get_by_text("Incident snoozed")).to_be_visible()

    states = [service.get(f"/v1/incidents/{incident_ids[f'Swiped {side}']}")["state"] for side in ("right", "left")]
    assert states == ["acknowledged", "snoozed"]


def test_an_offline_phone_shows_the_age_of_its_data_and_offers_no_act(visit: Open, service: Service) -> None:
    service.send("Seen without a connection", dedupKey="no connection")
    phone = visit(size=PHONE, service=service)
    phone.goto(f"{service.address}/w/home/inbox")
    phone.get_by_role("link", name="Seen without a connection").click()
    acknowledge = phone.get_by_role("button", name="Acknowledge", exact=True)
    expect(acknowledge).to_be_enabled()
    phone.context.set_offline(True)
    expect(phone.get_by_text("Offline: showing data from")).to_be_visible()
    expect(acknowledge).to_be_disabled()
    phone.keyboard.press("a")
    expect(phone.get_by_text("Nothing was sent.")).to_be_visible()

    phone.context.set_offline(False)
    expect(acknowledge).to_be_enabled()
    [found] = [each for each in service.get("/v1/incidents")["items"] if each["title"] == "Seen without a connection"]
    assert found["state"] == "open"
