"""The account of a person, the settings of a workspace and the administration of the instance, in real browsers."""

from __future__ import annotations

import re
from typing import Any

import pyotp
import pytest

from tests.web.conftest import Open
from tests.web.pages import prove, stored_secret
from tests.web.service import PASSWORD, Service
from tests.web.test_secrets import assert_forgotten, places_of

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

NEW_PASSWORD = "another long phrase of the same person"


def sign_in(page: Any, service: Service, email: str, password: str) -> None:
    page.goto(f"{service.address}/login")
    page.get_by_label("Email address").fill(email)
    page.get_by_role("textbox", name="Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_new_password_ends_other_sessions_and_is_not_stored_in_the_browser(visit: Open, service: Service) -> None:
    tess = service.joined("Tessa")
    page, other = visit(), visit()
    for each in (page, other):
        sign_in(each, service, "tessa@example.org", PASSWORD)
        each.get_by_role("button", name="Account of Tessa").wait_for()
    page.goto(f"{service.address}/account")
    section = page.get_by_role("region", name="Password")
    section.get_by_role("textbox", name="Current password").fill(PASSWORD)
    section.get_by_role("textbox", name="New password").fill(NEW_PASSWORD)
    section.get_by_role("button", name="Change the password").click()

    expect(page.get_by_text("The password was changed.")).to_be_visible()
    assert [places_of(page, secret) for secret in (PASSWORD, NEW_PASSWORD)] == [[], []]
    assert tess.session.get(f"{service.address}/v1/me", timeout=60).status_code == 401
    other.reload()
    expect(other.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    sign_in(other, service, "tessa@example.org", NEW_PASSWORD)
    expect(other.get_by_role("button", name="Account of Tessa")).to_be_visible()

    page.reload()
    sessions = page.get_by_role("region", name="Sessions")
    sessions.get_by_role("button", name="Sign out all others").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out all others").click()
    expect(page.get_by_text("All other sessions were ended")).to_be_visible()
    expect(sessions.get_by_role("listitem")).to_have_count(1)


def test_an_authenticator_app_is_set_up_and_asked_for_at_the_next_sign_in(visit: Open, service: Service) -> None:
    service.joined("Theo")
    page = visit()
    sign_in(page, service, "theo@example.org", PASSWORD)
    page.get_by_role("button", name="Account of Theo").wait_for()
    page.goto(f"{service.address}/account")
    page.get_by_role("region", name="Second factor").get_by_role("button", name="Set up").click()
    prove(page, done=page.get_by_role("dialog", name="Set up an authenticator app"))
    dialog = page.get_by_role("dialog", name="Set up an authenticator app")
    seed = dialog.locator("pre").inner_text().replace(" ", "")
    dialog.get_by_label("Code").fill(pyotp.TOTP(seed).now())
    dialog.get_by_role("button", name="Confirm").click()
    page.get_by_role("dialog", name="Recovery codes").wait_for()
    codes = stored_secret(page).split()
    assert len(codes) == 10
    for secret in (seed, *codes):
        assert_forgotten(page, secret)

    later = visit()
    sign_in(later, service, "theo@example.org", PASSWORD)
    expect(later.get_by_role("button", name="Account of Theo")).to_have_count(0)
    later.get_by_text(re.compile("recovery code", re.IGNORECASE)).first.click()
    later.get_by_role("textbox").last.fill(codes[0])
    later.locator("button[type=submit]").click()
    expect(later.get_by_role("button", name="Account of Theo")).to_be_visible()
    later.goto(f"{service.address}/account")
    expect(later.get_by_text("9 of 10 left.")).to_be_visible()


def test_settings_are_saved_by_one_button_and_discarded_by_another(visit: Open, service: Service) -> None:
    workspace = service.home()
    page = visit(service=service)
    page.goto(f"{service.address}/w/home/settings")
    events = page.get_by_role("region", name="Retention").get_by_label("Events")
    before = events.input_value()
    events.fill("45")
    page.get_by_role("button", name="Discard").click()
    expect(events).to_have_value(before)
    events.fill("44")
    page.get_by_role("switch", name="Quiet hours").click(force=True)
    page.get_by_role("button", name="Add a window").click()
    page.get_by_role("button", name="Save the settings").click()

    expect(page.get_by_text("Settings saved")).to_be_visible()
    stored = service.get(f"/v1/workspaces/{workspace['id']}")["settings"]
    quiet = stored["quietHours"]
    assert stored["retention"]["eventDays"] == 44
    assert (quiet["enabled"], quiet["windows"][-1]["start"], quiet["windows"][-1]["end"]) == (True, "22:00", "07:00")
    off: dict[str, Any] = {"settings": {"quietHours": {"enabled": False, "timezone": None, "windows": []}}}
    service.session.patch(f"{service.address}/v1/workspaces/{workspace['id']}", json=off, timeout=60).raise_for_status()


def test_an_administrator_of_the_instance_disables_a_person_who_is_signed_out(visit: Open, service: Service) -> None:
    service.joined("Udo")
    page, udo = visit(service=service), visit()
    sign_in(udo, service, "udo@example.org", PASSWORD)
    udo.get_by_role("button", name="Account of Udo").wait_for()
    page.goto(f"{service.address}/admin")
    expect(page.get_by_role("list", name="System health").get_by_text("Database")).to_be_visible()
    page.get_by_role("tab", name="People").click()
    page.get_by_role("textbox", name="Search people").fill("udo@")
    row = page.get_by_role("table", name="People").locator("tbody tr")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Actions for Udo").click()
    page.get_by_role("menuitem", name="Disable the account").click()
    prove(page, done=page.get_by_text("Udo updated"))

    expect(row.get_by_text("Disabled")).to_be_visible()
    udo.reload()
    expect(udo.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    row.get_by_role("button", name="Actions for Udo").click()
    page.get_by_role("menuitem", name="Enable the account").click()
    expect(row.get_by_text("Active", exact=True)).to_be_visible()
    sign_in(udo, service, "udo@example.org", PASSWORD)
    expect(udo.get_by_role("button", name="Account of Udo")).to_be_visible()


def test_the_welcome_page_shows_completed_steps(visit: Open, service: Service) -> None:
    page = visit(service=service)
    page.goto(f"{service.address}/w/home/welcome")
    steps = page.get_by_role("main").get_by_role("listitem")
    expect(page.get_by_role("heading", name="Send an event")).to_be_visible()
    expect(steps.filter(has_text="Get notified").first).to_be_visible()
    expect(steps.filter(has_text="Send an event").first).to_contain_text("Done")
    page.get_by_role("link", name="Go to the inbox").first.click()

    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()


def test_the_steps_of_a_new_workspace_are_not_completed_by_another_workspace(visit: Open, service: Service) -> None:
    with service.workspace("Begun later") as workspace:
        page = visit(service=service)
        page.goto(f"{service.address}/w/{workspace['slug']}/welcome")
        expect(page.get_by_text("Waiting for the first event.")).to_be_visible()
        expect(page.get_by_text("Done", exact=True)).to_have_count(0)


def test_the_account_page_lists_its_audit_entries(visit: Open, service: Service) -> None:
    service.joined("Wanda")
    page = visit()
    sign_in(page, service, "wanda@example.org", "not the password of Wanda")
    page.get_by_role("alert").wait_for()
    sign_in(page, service, "wanda@example.org", PASSWORD)
    page.get_by_role("button", name="Account of Wanda").wait_for()
    page.goto(f"{service.address}/account#activity")

    entries = page.get_by_role("list", name="Activity").get_by_role("listitem")
    expect(entries.filter(has_text="Session: started").first).to_contain_text("by password")
    expect(entries.filter(has_text=re.compile("refused|failed"))).to_have_count(1)
    expect(page.get_by_role("heading", name="Activity")).to_be_in_viewport()


def strict_workspace(service: Service) -> str:
    """The address of a workspace that requires a second factor, and to which an invite leads: `slug#token=...`."""
    xaver = service.joined("Xaver")
    workspace = xaver.post("/v1/workspaces", {"name": "Strict"})
    app = pyotp.TOTP(xaver.post("/v1/me/totp")["secret"])
    xaver.post("/v1/me/totp/confirm", {"code": app.now()})
    path = f"/v1/workspaces/{workspace['id']}"
    xaver.patch(path, {"settings": {"requireMfa": True}})
    link = xaver.post(f"{path}/invites", {"role": "member"})["link"]
    return f"{workspace['slug']}#{link.partition('#')[2]}"


def test_a_workspace_that_requires_a_second_factor_says_how_to_get_one(visit: Open, service: Service) -> None:
    slug, _, invite = strict_workspace(service).partition("#")
    page = visit(service=service.joined("Yara"))
    page.goto(f"{service.address}/invite#{invite}")
    page.get_by_role("button", name="Join the workspace").click()
    expect(page.get_by_role("heading", name="Strict requires a second factor")).to_be_visible()
    page.get_by_role("link", name="Set up a second factor").click()
    expect(page.get_by_role("heading", name="Second factor")).to_be_in_viewport()
    page.get_by_role("region", name="Second factor").get_by_role("button", name="Set up").click()
    dialog = page.get_by_role("dialog", name="Set up an authenticator app")
    seed = dialog.locator("pre").inner_text().replace(" ", "")
    dialog.get_by_label("Code").fill(pyotp.TOTP(seed).now())
    dialog.get_by_role("button", name="Confirm").click()
    page.locator("[data-secret]").wait_for()
    stored_secret(page)
    page.goto(f"{service.address}/w/{slug}/inbox")

    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
