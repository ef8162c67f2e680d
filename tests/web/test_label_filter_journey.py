"""A label of an incident leads to the events with it, and the filter is cleared there."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service
from tests.web.test_delivery_journeys import rule_to

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_label_leads_to_the_events_with_it(visit: Open, service: Service, axe: str) -> None:
    incident = service.incident("Labelled one", dedupKey="l1", metadata={"labels": {"instance": "db-7:9100"}})
    service.incident("Labelled two", dedupKey="l2", metadata={"labels": {"instance": "db-8:9100"}})

    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    page.get_by_role("link", name="instance", exact=True).click()

    rows = page.get_by_role("table", name="Events").get_by_role("row")
    expect(rows.filter(has_text="Labelled one")).to_have_count(1)
    expect(rows.filter(has_text="Labelled two")).to_have_count(0)
    settled(page)
    assert violations(page, axe) == []
    page.get_by_role("button", name="Clear: label instance=db-7:9100").click()
    expect(rows.filter(has_text="Labelled two")).to_have_count(1)


def test_a_row_of_the_timeline_says_why_it_notified(visit: Open, service: Service) -> None:
    destination = service.destination("Hook of the reason")
    rule = rule_to(service, destination["id"], "Why this one")
    incident = service.incident("Why this one")

    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    timeline = page.get_by_role("list", name="Timeline")
    timeline.get_by_role("button", name="Why?").first.click()
    expect(timeline.get_by_text("Rule for Why this one").first).to_be_visible()
    service.delete(f"/v1/rules/{rule['id']}")
    service.delete(f"/v1/destinations/{destination['id']}")
