"""Pages of people in a real browser: at the incident, by hand, and taking an incident."""

from __future__ import annotations

import re

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.twilio import ACCOUNT, ADAMS, AUTH_TOKEN, MIAS, NUMBER, TwilioServer
from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_the_incident_says_who_was_not_reached_and_pages_by_hand_are_refused_with_a_reason(
    visit: Open, service: Service
) -> None:
    workspace = service.home()
    own, petra = {"workspaceId": workspace["id"]}, service.joined("Petra").get("/v1/me")["id"]
    then = {"disposition": "incident", "people": [{"userId": petra}]}
    rule = {**own, "name": "Pages Petra", "matchText": 'title = "Paged by a rule"', "then": then}
    made = service.post("/v1/rules", rule)
    incident = service.incident("Paged by a rule", dedupKey="paging:rule")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")

    # Petra has neither a phone nor, without a mail server, an address.
    paged = page.get_by_role("list", name="Paged people")
    expect(paged.get_by_role("listitem")).to_contain_text("Petra was not paged")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Page people").click()
    dialog = page.get_by_role("dialog", name="Page people")
    dialog.get_by_role("combobox", name="Page").click()
    page.get_by_role("option", name="Petra").click()
    dialog.get_by_role("button", name="Page now").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    service.delete(f"/v1/rules/{made['id']}")


def test_an_incident_is_taken_on_a_phone_and_the_act_is_undone(visit: Open, service: Service) -> None:
    incident = service.incident("Taken on a phone", dedupKey="paging:take")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}", size=PHONE)
    page.get_by_role("button", name="More actions").tap()
    page.get_by_role("menuitem", name="Take").tap()
    taken = until(lambda: state(service, incident["id"]) == ("acknowledged", True), "it is taken", 60)
    page.get_by_role("button", name="Undo").tap()

    until(lambda: state(service, incident["id"]) == ("open", False), "it is open again", 60)
    assert taken


def test_a_person_chooses_how_pages_reach_them(visit: Open, service: Service) -> None:
    rhea = service.joined("Rhea")
    page = signed_in(visit, rhea, "/account")
    section = page.get_by_role("region", name="Paging")
    usual = section.get_by_role("group", name="When I am paged")
    expect(usual).to_contain_text("Without a rule you get push and mail at once.")
    for _ in range(2):
        usual.get_by_role("button", name="Add a rule").click()
    usual.get_by_role("textbox", name="Minutes").last.fill("15")
    section.get_by_role("button", name="Save the rules").click()

    expect(section.get_by_role("button", name="Save the rules")).to_have_count(0)
    stored = rhea.get("/v1/me/notification-rules")
    assert [(each["afterMinutes"], each["method"]) for each in stored["default"]] == [(0, "push"), (15, "email")]
    usual.get_by_role("button", name="Remove rule 1").click()
    section.get_by_role("button", name="Discard").click()
    expect(usual.get_by_role("group")).to_have_count(2)
    assert rhea.get("/v1/me/notification-rules")["rev"] == stored["rev"]


def test_a_person_confirms_a_number_for_sms_by_its_code(visit: Open, service: Service) -> None:
    workspace = service.home()
    sinja = service.joined("Sinja")
    with TwilioServer() as twilio:
        config = {
            "accountSid": ACCOUNT, "keySid": ACCOUNT, "keySecret": AUTH_TOKEN, "from": NUMBER, "to": ADAMS,
            "server": twilio.origin,
        }  # fmt: skip
        provider = {"workspaceId": workspace["id"], "name": "Texts", "kind": "twilio_sms", "config": config}
        made = service.post("/v1/destinations", {**provider, "forContactMethods": True})
        page = signed_in(visit, sinja, "/account", size=PHONE)
        section = page.get_by_role("region", name="Paging")
        section.get_by_role("combobox", name="New contact").tap()
        page.get_by_role("option", name="SMS: Texts").tap()
        section.get_by_label("Phone number").fill("0170 1")
        expect(section.get_by_role("button", name="Send a code")).to_be_disabled()
        section.get_by_label("Phone number").fill(MIAS)
        section.get_by_role("button", name="Send a code").tap()

        [(to, text)] = until(twilio.texts, "a code is sent", 60)
        section.get_by_label(f"Code for {MIAS}").fill(re.findall(r"\b[0-9]{6}\b", text)[0])
        section.get_by_role("button", name="Confirm", exact=True).tap()

        expect(section.get_by_text("SMS, confirmed")).to_be_visible()
    assert to == MIAS
    service.delete(f"/v1/destinations/{made['id']}")


def state(service: Service, incident_id: str) -> tuple[str, bool]:
    """The state of the incident, and whether somebody has it."""
    found = service.get(f"/v1/incidents/{incident_id}")
    return found["state"], found["assigneeId"] is not None
