"""The preview of a rule on one event: pasted, or the stored event on which the rule is based."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_rule_is_tried_on_a_pasted_event(visit: Open, service: Service, axe: str) -> None:
    page = signed_in(visit, service, "/w/home/rules/new")
    page.get_by_role("textbox", name="Name").fill("Tried rule")
    page.get_by_role("radiogroup", name="Form of the condition").get_by_text("Text").click()
    page.get_by_role("textbox", name="Condition as text").fill('title = "Tried event"')
    page.get_by_role("radio", name="Log only").check(force=True)
    page.get_by_role("radiogroup", name="Period").get_by_text("One event").click()
    preview = page.get_by_role("complementary", name="Preview on one event")
    preview.get_by_role("combobox", name="From").fill("Backups")
    page.get_by_role("option", name="Backups", exact=True).click()
    pasted = preview.get_by_role("textbox", name="Event as JSON")
    pasted.fill('{"title": "Tried event", "severity": "ERROR"}')
    expect(preview.get_by_role("status").filter(has_text="Tried event: ")).to_be_visible()
    rule = preview.get_by_role("listitem").filter(has_text="Tried rule")
    expect(rule).to_contain_text('✓ title = "Tried event"')
    settled(page)
    assert violations(page, axe) == []

    pasted.fill('{"title": "Another event", "severity": "ERROR"}')
    expect(rule).to_contain_text('✗ title = "Tried event"')
    pasted.fill('{"title": ')
    expect(preview.get_by_text("This is not valid JSON.")).to_be_visible()


def test_a_rule_like_an_event_is_tried_on_this_event(visit: Open, service: Service) -> None:
    service.send("Model of a rule", severity="ERROR", dedupKey="model of a rule", resource="host:model-1")
    until(lambda: service.get("/v1/events?q=Model")["items"], "the event is stored", 60)
    page = signed_in(visit, service, "/w/home/events?q=Model")
    page.get_by_text("Model of a rule").first.click()
    page.get_by_role("link", name="Create a rule like this").click()
    page.get_by_role("radiogroup", name="Period").get_by_text("This event").click()

    preview = page.get_by_role("complementary", name="Preview on one event")
    expect(preview.get_by_role("status").filter(has_text="Model of a rule: ")).to_be_visible()
    expect(preview.get_by_role("listitem").filter(has_text='✓ resource = "host:model-1"')).to_be_visible()
    expect(preview.get_by_role("textbox", name="Event as JSON")).to_have_count(0)
