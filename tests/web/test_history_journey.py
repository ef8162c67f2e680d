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

    delete(service, f"/v1/rules/{rule['id']}")
    page.goto(f"{service.address}/w/home/rules")
    page.get_by_role("button", name="Deleted").click()
    page.get_by_role("button", name="Restore Historic").wait_for()
    assert violations(page, axe) == []
    page.get_by_role("button", name="Restore Historic").click()
    until(lambda: [each["id"] for each in stored(service, "Historic")] == [rule["id"]], "the restored rule")


def test_a_version_that_was_saved_meanwhile_is_shown_before_a_revert(visit: Open, service: Service) -> None:
    rule = new_rule(service, "Of three versions")
    service.patch(f"/v1/rules/{rule['id']}", {"name": "Second"})
    page = signed_in(visit, service, f"/w/home/rules/{rule['id']}")
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("region", name="Version 2")).to_be_visible()
    # The other save is sent between the click and the request of the page, so that no look at the versions comes between them.
    save = f"/v1/rules/{rule['id']}"
    page.route("**/v1/**/revert*", lambda route: (service.patch(save, {"name": "Third"}), route.continue_()), times=1)

    page.get_by_role("button", name="Revert to version 1").click()

    expect(page.get_by_text("Olga Ivanova just saved version 3. Nothing was reverted.")).to_be_visible()
    expect(page.get_by_role("region", name="Version 3")).to_contain_text("Third")
    page.get_by_role("button", name="Revert to version 1").click()
    until(lambda: service.get(f"/v1/rules/{rule['id']}")["name"] == "Of three versions", "the first name")
    delete(service, f"/v1/rules/{rule['id']}")


def test_a_deleted_destination_and_a_deleted_view_are_restored(visit: Open, service: Service, axe: str) -> None:
    workspace = service.home()["id"]
    config = {"url": "http://127.0.0.1:9/", "secret": "whsec_" + "A" * 32}
    fields = {"workspaceId": workspace, "name": "Lost", "kind": "webhook", "config": config}
    delete(service, f"/v1/destinations/{service.post('/v1/destinations', fields)['id']}")
    page = signed_in(visit, service, "/w/home/destinations")

    page.get_by_role("button", name="Deleted").click()
    page.get_by_role("button", name="Restore Lost").click()
    expect(page.get_by_text("Lost restored")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("row").filter(has_text="Lost")).to_be_visible()

    view = {"workspaceId": workspace, "name": "Night", "list": "incidents", "filters": {"state": ["open"]}}
    stored_view = service.post("/v1/views", view)
    delete(service, f"/v1/views/{stored_view['id']}")
    page.goto(f"{service.address}/w/home/inbox")
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="Manage views").click()
    page.get_by_role("dialog", name="Views").get_by_role("button", name="Deleted").click()
    page.get_by_role("button", name="Restore Night", exact=True).click()
    expect(page.get_by_role("textbox", name="Name of Night")).to_be_attached()
    found = violations(page, axe)
    delete(service, f"/v1/views/{stored_view['id']}")  # the inbox of other tests would name it instead of `Views`

    assert found == []


def delete(service: Service, path: str) -> None:
    service.delete(path)
