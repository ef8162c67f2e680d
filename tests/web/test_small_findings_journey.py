"""Small things that people stumbled over: the open incident of the first steps, keys of one row, the word beside the dot."""

from __future__ import annotations

import re

import pytest
import requests

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_the_first_steps_keep_the_open_incident_in_sight(visit: Open, service: Service) -> None:
    with service.workspace("Beginners") as workspace:
        source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Script"})
        key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "tests"})["secret"]
        for event in (
            {"title": "Disk is almost full", "severity": "ERROR", "dedupKey": "disk"},
            {"title": "Backup failed", "severity": "ERROR", "dedupKey": "backup"},
            {"title": "Backup failed", "severity": "ERROR", "dedupKey": "backup", "action": "resolve"},
        ):
            headers = {"Authorization": f"Bearer {key}"}
            requests.post(f"{service.address}/v1/events", json=event, headers=headers, timeout=60).raise_for_status()
        path = f"/v1/incidents?workspaceId={workspace['id']}&state=resolved"
        until(lambda: service.get(path)["items"], "the second incident is resolved", 60)

        page = signed_in(visit, service, f"/w/{workspace['slug']}/inbox")
        expect(page.get_by_role("link", name="Disk is almost full")).to_be_visible()
        page.goto(f"{service.address}/welcome")

        step = page.get_by_role("listitem").filter(has_text="Send an event")
        expect(step.get_by_text("Disk is almost full", exact=True)).to_be_visible()
        expect(step.get_by_text("No one notified")).to_be_visible()


def test_a_key_is_revoked_from_its_row(visit: Open, service: Service) -> None:
    [source, *_] = service.get("/v1/sources")["items"]
    service.post(f"/v1/sources/{source['id']}/keys", {"name": "Old laptop"})

    page = signed_in(visit, service, "/w/home/keys")
    page.get_by_role("button", name="Revoke Old laptop").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke", exact=True).click()

    expect(page.get_by_role("button", name="Revoke Old laptop")).to_have_count(0)


def test_a_word_beside_the_dot_says_that_the_connection_is_lost(visit: Open, service: Service) -> None:
    words = re.compile("^(Reconnecting|Not live)$")
    page = signed_in(visit, service, "/w/home/inbox")
    expect(page.locator("[data-connection=live]")).to_be_visible()
    expect(page.locator("header").get_by_text(words)).to_have_count(0)

    page.route("**/v1/stream*", lambda route: route.abort())
    page.reload()

    expect(page.locator("header").get_by_text(words)).to_be_visible()
