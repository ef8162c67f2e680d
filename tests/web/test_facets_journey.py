"""The facets of the inbox: a panel beside the list, a drawer on a phone."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_values_of_a_facet_narrow_the_inbox_by_tokens_and_follow_new_incidents(visit: Open, service: Service) -> None:
    service.incident("Facet of a host", dedupKey="facet 1", tags=["facets"], severity="ERROR")
    service.incident("Facet of a job", dedupKey="facet 2", tags=["facets"], severity="WARNING")
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Afacets")
    host, job = (page.get_by_role("link", name=f"Facet of a {place}") for place in ("host", "job"))
    severities = page.get_by_role("region", name="Filters").get_by_role("group", name="Severity")
    error = severities.get_by_role("button", name=re.compile(r"^Error\s*1"))
    warning = severities.get_by_role("button", name="Warning")

    error.click()
    expect(job).to_be_hidden()
    expect(host).to_be_visible()
    expect(page).to_have_url(re.compile("severity%3Aerror"))
    expect(error).to_have_attribute("aria-pressed", "true")
    warning.focus()
    page.keyboard.press("Enter")
    expect(job).to_be_visible()
    expect(warning).to_be_focused()
    error.click()
    expect(host).to_be_hidden()
    expect(page.get_by_role("combobox", name="Search incidents", exact=True)).to_have_value(
        "tag:facets severity:warning"
    )

    service.incident("Facet of a disk", dedupKey="facet 3", tags=["facets"], severity="ERROR")
    expect(severities.get_by_role("button", name=re.compile(r"^Error\s*2"))).to_be_visible()


def test_the_panel_of_facets_is_hidden_by_a_key_and_stays_hidden(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/inbox?q=nothing-has-this-title")
    panel, button = page.get_by_role("region", name="Filters"), page.get_by_role("button", name="Filters")
    expect(panel.get_by_text("No incidents to filter.")).to_be_visible()

    page.get_by_role("heading", name="Inbox").focus()
    page.keyboard.press("f")
    expect(panel).to_be_hidden()
    page.reload()
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(panel).to_be_hidden()
    button.click()
    expect(panel).to_be_visible()


def test_a_phone_has_the_facets_in_a_drawer(visit: Open, service: Service, axe: str) -> None:
    service.incident("Drawer of a host", dedupKey="drawer 1", tags=["drawer"], resource="host:drawer")
    service.incident("Drawer of a job", dedupKey="drawer 2", tags=["drawer"], resource="job:drawer")
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Adrawer", size=PHONE)
    expect(page.get_by_role("link", name="Drawer of a job")).to_be_visible()

    page.get_by_role("button", name="Filters").click()
    drawer = page.get_by_role("dialog", name="Filters")
    drawer.get_by_role("group", name="Resource kind").get_by_role("button", name="host").click()
    page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")
    assert violations(page, axe) == []
    drawer.get_by_role("button", name="Close").click()

    expect(page.get_by_role("link", name="Drawer of a job")).to_be_hidden()
    expect(page.get_by_role("link", name="Drawer of a host")).to_be_visible()
