"""An incident that is older than the first destination: it says so, and people notify the destination now."""

from __future__ import annotations

import pytest
import requests

from tests.faults.service_processes import until
from tests.stand_ins.receivers import Receiver
from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="


def first_incident(service: Service, workspace_id: str) -> str:
    """The id of an open incident of a workspace without a destination."""
    source = service.post("/v1/sources", {"workspaceId": workspace_id, "name": "Cron"})
    key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "tests"})["secret"]
    headers, body = {"Authorization": f"Bearer {key}"}, {"title": "Disk of db-1 is full", "severity": "ERROR"}
    requests.post(f"{service.address}/v1/events", json=body, headers=headers, timeout=60).raise_for_status()
    path = f"/v1/incidents?workspaceId={workspace_id}"
    until(lambda: service.get(path)["items"], "the event is an incident", 60)
    return str(service.get(path)["items"][0]["id"])


def test_an_incident_is_told_to_a_destination_that_came_later(visit: Open, service: Service, axe: str) -> None:
    with Receiver() as receiver, service.workspace("Latecomers") as workspace:
        home, incident_id = f"/w/{workspace['slug']}", first_incident(service, workspace["id"])

        page = signed_in(visit, service, f"{home}/incidents/{incident_id}")
        expect(page.locator("article header").get_by_text("No one notified")).to_be_visible()
        page.locator("article header").get_by_role("button", name="Notify now").click()
        expect(page.get_by_text("No destination is on the incident's route.")).to_be_visible()

        body = {"workspaceId": workspace["id"], "name": "Chat", "kind": "webhook"}
        made = service.post("/v1/destinations", {**body, "config": {"url": receiver.url, "secret": SECRET}})
        route = f"/v1/workspaces/{workspace['id']}/default-route"
        service.session.put(f"{service.address}{route}", json={"destinationIds": [made["id"]]}).raise_for_status()
        page.goto(f"{service.address}{home}/destinations")
        offer = page.get_by_role("status").filter(has_text="No one was notified of 1 open incident.")
        expect(offer).to_be_visible()
        settled(page)
        assert violations(page, axe) == []
        offer.get_by_role("button", name="Notify now").click()
        expect(offer).to_have_count(0)
        until(lambda: receiver.requests, "the receiver was called", 60)

        page.goto(f"{service.address}{home}/incidents/{incident_id}")
        expect(page.get_by_text("notified destinations that had not been told").first).to_be_visible()
        expect(page.locator("article header").get_by_text("No one notified")).to_have_count(0)
