"""Bars on every screen: no worker runs, or no route has a destination.

Changed answers of the service stand for both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

NO_WORKER = "No worker has reported for a minute."


def answer_changed(page: Any, pattern: str | re.Pattern[str], change: Callable[[Any], None]) -> None:
    """The page gets the answers of the service to these requests with a change."""

    def fulfill(route: Any) -> None:
        answer = route.fetch()
        body = answer.json()
        change(body)
        route.fulfill(response=answer, json=body)

    page.route(pattern, fulfill)


def no_worker(system: dict[str, Any]) -> None:
    system["workers"] |= {"status": "down", "value": 0, "detail": NO_WORKER}


WORKSPACES = re.compile(r"/v1/(start$|workspaces\?)")
"""The requests whose answers have the workspaces of the person."""


def no_route(answer: dict[str, Any]) -> None:
    for each in answer.get("items") or answer["workspaces"]:
        each["notifiesNobody"] = True


def a_route(answer: dict[str, Any]) -> None:
    for each in answer.get("items") or answer["workspaces"]:
        each["notifiesNobody"] = False


def nobody_notified(incidents: dict[str, Any]) -> None:
    for each in incidents["items"]:
        each["notifiedNobody"] = True


def test_administrators_see_on_every_screen_that_no_worker_runs(visit: Open, service: Service) -> None:
    page = visit(service=service)
    answer_changed(page, "**/v1/admin/system", no_worker)
    page.goto(f"{service.address}/w/home/inbox")
    bar = page.get_by_role("status").filter(has_text=NO_WORKER)
    expect(bar).to_be_visible()
    for screen in ("rules", "statistics"):
        page.goto(f"{service.address}/w/home/{screen}")
        expect(bar).to_be_visible()

    bar.get_by_role("link", name="System status").click()
    expect(page.get_by_role("heading", name="System health")).to_be_visible()
    expect(page.get_by_role("list", name="System health").get_by_text(NO_WORKER)).to_be_visible()


def test_people_who_do_not_administer_the_instance_do_not_ask_for_its_workers(visit: Open, service: Service) -> None:
    requested: list[str] = []
    incident = service.incident("Seen by Walter")
    page = visit(service=service.joined("Walter"))
    page.route("**/v1/admin/**", lambda route: (requested.append(route.request.url), route.continue_()))
    page.goto(f"{service.address}/w/home/inbox")

    expect(page.get_by_role("link", name="Seen by Walter")).to_be_visible()
    assert requested == []
    service.post(f"/v1/incidents/{incident['id']}/resolve")


def test_a_bar_and_a_mark_say_that_nobody_would_be_and_nobody_was_notified(visit: Open, service: Service) -> None:
    incident = service.incident("Without a notice")
    page = visit(service=service)
    answer_changed(page, WORKSPACES, no_route)
    answer_changed(page, "**/v1/incidents?*", nobody_notified)
    page.goto(f"{service.address}/w/home/inbox")
    bar = page.get_by_role("status").filter(has_text="notify nobody: no route leads to an enabled destination.")
    expect(bar).to_be_visible()
    row = page.locator("[data-incident]").filter(has=page.get_by_role("link", name="Without a notice"))
    expect(row.get_by_text("no one notified")).to_be_visible()

    bar.get_by_role("link", name="Destinations").click()
    expect(page.get_by_role("heading", name="Destinations", exact=True)).to_be_visible()
    expect(bar).to_be_visible()
    page.unroute(WORKSPACES)
    answer_changed(page, WORKSPACES, a_route)
    page.reload()
    page.get_by_role("heading", name="Destinations", exact=True).wait_for()
    expect(bar).to_have_count(0)
    service.post(f"/v1/incidents/{incident['id']}/resolve")
