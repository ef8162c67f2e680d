"""The state of a destination in its drawer: what uses it, a test, and failed deliveries that are sent again."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.receivers import Receiver
from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service
from tests.web.test_delivery_journeys import rule_to

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def test_failed_deliveries_of_a_destination_are_sent_again(
    visit: Open, service: Service, receiver: Receiver, axe: str
) -> None:
    destination = service.destination("Mended hook", receiver.url)
    rule = rule_to(service, destination["id"], "Missed by the hook")
    receiver.script(400)
    service.incident("Missed by the hook", dedupKey="missed by the hook")
    failed = f"/v1/deliveries?destinationId={destination['id']}&status=failed"
    until(lambda: service.get(failed)["items"], "the delivery has failed", 60)

    page = signed_in(visit, service, f"/w/home/destinations?edit={destination['id']}")
    drawer = page.get_by_role("dialog", name="Mended hook")
    state = drawer.get_by_role("region", name="State")
    expect(state.get_by_text("Failing")).to_be_visible()
    expect(state.get_by_role("link", name="Rule Rule for Missed by the hook")).to_have_attribute(
        "href", f"/w/home/rules/{rule['id']}"
    )
    settled(page)
    assert violations(page, axe, within="[role=dialog]") == []
    state.get_by_role("button", name="Resend failed deliveries").click()
    dialog = page.get_by_role("dialog", name="Resend failed deliveries of Mended hook")
    dialog.get_by_role("button", name="Resend").click()

    expect(page.get_by_text("1 delivery is on the way to Mended hook.")).to_be_visible()
    until(lambda: len(receiver.requests) == 2, "the receiver got it again", 60)
    expect(state.get_by_text("Working")).to_be_visible()
    state.get_by_role("button", name="Resend failed deliveries").click()
    dialog.get_by_role("button", name="Resend").click()
    expect(page.get_by_text("No delivery to Mended hook failed in this period.")).to_be_visible()


def test_a_destination_is_tested_from_its_drawer_and_leads_to_its_deliveries(
    visit: Open, service: Service, receiver: Receiver
) -> None:
    destination = service.destination("Tested hook", receiver.url)
    page = signed_in(visit, service, f"/w/home/destinations?edit={destination['id']}")
    state = page.get_by_role("dialog", name="Tested hook").get_by_role("region", name="State")
    expect(state.get_by_text("Nothing, so no incidents reach it.")).to_be_visible()
    state.get_by_role("button", name="Send a test").click()
    test = page.get_by_role("dialog", name="Test of Tested hook")
    expect(test.get_by_text("The receiver accepted the test.")).to_be_visible()
    test.get_by_role("button", name="Done").click()
    state.get_by_role("link", name="All", exact=True).click()

    expect(page).to_have_url(re.compile(rf"deliveries\?destinationId={destination['id']}"))
    expect(page.get_by_role("table", name="Deliveries").get_by_text("Destination test")).to_be_visible()


def test_escape_closes_the_dialog_that_was_opened_last_alone(visit: Open, service: Service, receiver: Receiver) -> None:
    destination = service.destination("Edited and tested", receiver.url)
    page = signed_in(visit, service, f"/w/home/destinations?edit={destination['id']}")
    drawer = page.get_by_role("dialog", name="Edited and tested", exact=True)
    name = drawer.get_by_role("textbox", name="Name")
    name.fill("Edited and not saved")
    drawer.get_by_role("button", name="Send a test").click()
    test = page.get_by_role("dialog", name="Test of Edited and tested")
    expect(test.get_by_text("The receiver accepted the test.")).to_be_visible()

    page.keyboard.press("Escape")
    expect(test).to_have_count(0)
    expect(name).to_have_value("Edited and not saved")
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Search or jump to")
    expect(palette).to_be_visible()
    page.keyboard.press("Escape")
    expect(palette).to_have_count(0)
    expect(drawer.get_by_role("button", name="Send a test")).to_be_focused()
    expect(name).to_have_value("Edited and not saved")
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
