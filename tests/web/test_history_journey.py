"""Versions of a rule with the way back, and deleted rules and profiles that are restored."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in, violations
from tests.web.service import Service
from tests.web.test_rule_journeys import new_rule, stored

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_rule_is_reverted_deleted_and_restored(visit: Open, service: Service, axe: str) -> None:
    rule = new_rule(service, "Historic")
    page = signed_in(visit, service, f"/w/home/rules/{rule['id']}")
    page.get_by_role("textbox", name="Name").fill("Historic and renamed")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Rules", exact=True)).to_be_visible()

    page.get_by_role("link", name="Historic and renamed").click()
    page.get_by_role("button", name="History").click()
    newest = page.get_by_role("region", name="Version 2")
    expect(newest.locator("ins")).to_contain_text("and renamed")
    assert violations(page, axe) == []
    page.get_by_role("button", name="Revert to version 1").click()
    until(lambda: [each["name"] for each in stored(service, "Historic")] == ["Historic"], "the name of version 1")

    service.session.delete(f"{service.address}/v1/rules/{rule['id']}", timeout=60).raise_for_status()
    page.goto(f"{service.address}/w/home/rules")
    page.get_by_role("button", name="Deleted").click()
    page.get_by_role("button", name="Restore Historic").wait_for()
    assert violations(page, axe) == []
    page.get_by_role("button", name="Restore Historic").click()
    until(lambda: [each["id"] for each in stored(service, "Historic")] == [rule["id"]], "the restored rule")
