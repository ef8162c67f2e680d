"""From an event to its tool, to its activity in the inbox, and to a rule based on it."""

from __future__ import annotations

import re

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

TITLE = "Link of a tool"


def test_an_event_leads_to_its_tool_and_to_a_rule_like_it(visit: Open, service: Service, axe: str) -> None:
    service.send(TITLE, resource="host:journey", url="https://tool.example.org/alert/7", dedupKey="journey:link")
    until(lambda: incidents(service), "the incident")
    page = signed_in(visit, service, "/w/home/inbox")

    row = page.get_by_role("listitem").filter(has_text=TITLE)
    expect(row.get_by_role("img", name="24 hours")).to_be_visible()
    page.get_by_role("link", name=TITLE).click()
    tool = page.get_by_role("link", name=re.compile("^View in "))
    assert (tool.get_attribute("href"), tool.get_attribute("rel")) == (
        "https://tool.example.org/alert/7",
        "noreferrer noopener",
    )
    assert violations(page, axe) == []

    page.goto(f"{service.address}/w/home/events")
    page.get_by_role("row").filter(has_text=TITLE).get_by_text(TITLE).click()
    page.get_by_role("link", name="Create a rule like this").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value(TITLE)
    expect(page.locator("input[value='host:journey']")).to_be_visible()
    assert violations(page, axe) == []


def incidents(service: Service) -> bool:
    return any(each["title"] == TITLE for each in service.get("/v1/incidents")["items"])
