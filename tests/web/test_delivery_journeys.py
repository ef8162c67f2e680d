"""Destinations, deliveries with their attempts, and silences, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.receivers import Receiver
from tests.web.conftest import Open
from tests.web.pages import signed_in, stored_secret
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def named(service: Service, noun: str, name: str) -> list[dict[str, Any]]:
    """The records of this list with the name."""
    return [each for each in service.get(f"/v1/{noun}?limit=200")["items"] if each["name"] == name]


def test_a_destination_is_created_tested_edited_and_deleted(visit: Open, service: Service, receiver: Receiver) -> None:
    page = signed_in(visit, service, "/w/home/destinations")
    page.get_by_role("button", name="New destination").first.click()
    drawer = page.get_by_role("dialog", name="New destination")
    drawer.get_by_role("button", name="Signed webhook").click()
    drawer.get_by_role("textbox", name="Name").fill("Journey hook")
    drawer.get_by_role("textbox", name="Address").fill(receiver.url)
    drawer.get_by_label("Add it to the default route").uncheck()
    drawer.get_by_role("button", name="Create the destination").click()
    page.get_by_role("dialog", name="Destination secret").wait_for()
    secret = stored_secret(page)
    receiver.secrets.add(secret)

    page.get_by_role("button", name="Test Journey hook").click()
    expect(page.get_by_text("The receiver accepted the test.")).to_be_visible()
    [test] = receiver.wait_for(1)
    assert test.verified(secret)["type"] == "test"
    receiver.script(503)
    page.get_by_role("button", name="Test again").click()
    expect(page.get_by_text("The receiver refused the test with 503.")).to_be_visible()
    page.get_by_role("button", name="Done").click()

    page.get_by_role("link", name="Journey hook", exact=True).click()
    drawer = page.get_by_role("dialog", name="Journey hook")
    drawer.get_by_role("textbox", name="Name").fill("Journey pager")
    drawer.get_by_label("Send notes").uncheck()
    drawer.get_by_role("button", name="Save the changes").click()
    expect(page.get_by_role("link", name="Journey pager", exact=True)).to_be_visible()
    [stored] = named(service, "destinations", "Journey pager")
    assert (stored["sendNotes"], stored["sendUpdates"], secret in str(stored)) == (False, True, False)

    page.get_by_role("link", name="Journey pager", exact=True).click()
    page.get_by_role("button", name="Delete the destination").click()
    confirmation = page.get_by_role("dialog", name="Delete Journey pager")
    expect(confirmation.get_by_text("Nothing uses it.")).to_be_visible()
    confirmation.get_by_role("button", name="Delete the destination").click()
    expect(page.get_by_role("link", name="Journey pager", exact=True)).to_have_count(0)
    until(lambda: named(service, "destinations", "Journey pager") == [], "the destination is deleted", 20)


def rule_to(service: Service, destination_id: str, title: str) -> Any:
    """A rule that notifies the destination of events with this title."""
    workspace = service.home()
    actions = {"disposition": "incident", "destinationIds": [destination_id]}
    fields = {"name": f"Rule for {title}", "matchText": f'title = "{title}"', "then": actions}
    return service.post("/v1/rules", {"workspaceId": workspace["id"], **fields})


def has_filter_of_notices(page: Any) -> None:
    """The timeline shows who was notified until that is filtered."""
    page.get_by_role("tab", name="Timeline").click()
    entries = page.get_by_role("list", name="Timeline").get_by_role("listitem")
    expect(entries.filter(has_text="Delivered to Replayed hook").first).to_be_visible()
    page.get_by_text("Notifications", exact=True).last.click()
    expect(page).to_have_url(re.compile(r"show=changes%2Cnotes"))
    expect(entries.filter(has_text="Replayed hook")).to_have_count(0)


def test_a_delivery_shows_its_attempts_and_is_replayed(visit: Open, service: Service, receiver: Receiver) -> None:
    destination = service.destination("Replayed hook", receiver.url)
    rule = rule_to(service, destination["id"], "Sent two ways")
    receiver.script(400)
    incident = service.incident("Sent two ways", dedupKey="sent two ways")
    # Phones that earlier tests paired are notified too.
    path = f"/v1/deliveries?incidentId={incident['id']}&destinationId={destination['id']}"
    until(lambda: [each["status"] for each in service.get(path)["items"]] == ["failed"], "it failed for good", 60)

    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}?tab=notices")
    page.goto(f"{service.address}/w/home/deliveries?destinationId={destination['id']}")
    rows = page.get_by_role("table", name="Deliveries").locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("Failed")
    rows.first.click(position={"x": 8, "y": 8})
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("heading", name=re.compile("Attempt 1 of"))).to_be_visible()
    expect(drawer.get_by_text("400").first).to_be_visible()
    expect(drawer.get_by_label("Request 1", exact=True)).to_contain_text("Sent two ways")
    drawer.get_by_role("button", name="Replay", exact=True).click()

    expect(drawer.get_by_role("link", name="the first delivery")).to_be_visible()
    until(
        lambda: {each["status"] for each in service.get(path)["items"]} == {"failed", "sent"}, "the replay is sent", 60
    )
    first, second = receiver.wait_for(2)
    assert first.id != second.id and first.json["data"] == second.json["data"]
    drawer.get_by_role("link", name="Replayed hook").click()
    expect(page.get_by_role("dialog", name="Replayed hook")).to_be_visible()

    page.goto(f"{service.address}/w/home/incidents/{incident['id']}?tab=notices")
    page.get_by_role("button", name="Resend to Replayed hook").click()
    expect(page.get_by_text("The notification is queued for Replayed hook.")).to_be_visible()
    assert receiver.wait_for(3)[2].json["data"] == first.json["data"]
    has_filter_of_notices(page)
    page.goto(f"{service.address}/w/home/incidents/{incident['id']}?tab=notices")
    page.get_by_role("link", name="Delivery to Replayed hook").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    service.delete(f"/v1/rules/{rule['id']}")
    service.post(f"/v1/incidents/{incident['id']}/resolve")


def test_deliveries_are_filtered_by_several_statuses(visit: Open, service: Service, receiver: Receiver) -> None:
    destination = service.destination("Filtered hook", receiver.url)
    receiver.script(503)
    for _ in range(2):
        service.post(f"/v1/destinations/{destination['id']}/test")
    page = signed_in(visit, service, f"/w/home/deliveries?destinationId={destination['id']}&reason=test")
    rows = page.get_by_role("table", name="Deliveries").locator("tbody tr")
    expect(rows).to_have_count(2)

    status = page.get_by_role("combobox", name="Status")
    status.press("ArrowDown")
    page.get_by_role("option", name="Failed").click()
    expect(rows).to_have_count(1)
    page.get_by_role("option", name="Sent").click()
    expect(rows).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("status=failed&status=sent"))

    page.reload()
    expect(rows).to_have_count(2)
    status.press("ArrowDown")
    page.get_by_role("option", name="Sent").click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("Failed")


def test_a_silence_is_created_with_a_preview_extended_edited_and_ended(visit: Open, service: Service) -> None:
    incident = service.incident("Known upgrade", dedupKey="known upgrade", tags=["upgrade"])
    page = signed_in(visit, service, "/w/home/silences/new")
    page.get_by_role("button", name="Remove condition 1").click()
    page.get_by_role("radiogroup", name="Form of the condition").get_by_text("Text").click()
    page.get_by_role("textbox", name="Condition as text").fill('tags contains "upgrade"')
    expect(page.get_by_role("complementary").get_by_text("Known upgrade")).to_be_visible()
    page.get_by_role("button", name="4 hours").click()
    page.get_by_role("textbox", name="Reason").fill("Upgrade of the journey")
    page.get_by_role("button", name="Create the silence").click()

    row = page.get_by_role("list", name="Active silences").get_by_role("listitem").filter(has_text="of the journey")
    expect(row).to_be_visible()
    until(lambda: state(service, incident) == "silenced", "the silence covers the incident", 60)
    week = page.get_by_role("region", name="The next seven days")
    expect(week.get_by_role("img", name="Upgrade of the journey: active")).to_be_visible()
    [silence] = [each for each in service.get("/v1/silences")["items"] if each["comment"] == "Upgrade of the journey"]
    row.get_by_role("button", name="Extend").click()
    page.get_by_role("menuitem", name="by 1 day").click()
    expect(page.get_by_text("Silence extended by 1 day")).to_be_visible()
    ends = [datetime.fromisoformat(each["endsAt"]) for each in (silence, service.get(f"/v1/silences/{silence['id']}"))]
    assert (ends[1] - ends[0]).days == 1

    page.get_by_role("link", name="Upgrade of the journey").click()
    page.get_by_role("textbox", name="Reason").fill("Upgrade until Friday")
    page.get_by_role("button", name="Save", exact=True).click()
    row = page.get_by_role("listitem").filter(has_text="Upgrade until Friday")
    row.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="End the silence").click()
    expect(row).to_have_count(0)
    until(lambda: state(service, incident) == "open", "the incident is open again", 60)
    assert datetime.fromisoformat(service.get(f"/v1/silences/{silence['id']}")["endsAt"]) <= datetime.now(UTC)
    page.get_by_role("navigation", name="States").get_by_role("link", name="Ended").click()
    expect(page.get_by_role("link", name="Upgrade until Friday")).to_be_visible()


def state(service: Service, incident: dict[str, Any]) -> str:
    return str(service.get(f"/v1/incidents/{incident['id']}")["state"])
