"""Passkeys in the dashboard, with a virtual authenticator: added, offered beside the address, and removed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.up import started
from tests.web.conftest import Open
from tests.web.pages import prove, stored_secret
from tests.web.service import EMAIL, PASSWORD, one_request_a_connection

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("passkeys")]

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def with_authenticator(page: Any) -> None:
    """The device of the page has an authenticator, which confirms by itself."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable", {"enableUI": False})
    session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


def test_a_passkey_is_added_signs_in_without_a_press_and_is_removed(
    built: None, visit: Open, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with started(tmp_path_factory.mktemp("passkeys"), "--host", "localhost", "--web", "1", "--workers", "1") as up:
        address = up.address.replace("127.0.0.1", "localhost")
        body = {"token": up.setup_token, "email": EMAIL, "name": "Olga", "password": PASSWORD, "workspaceName": "Home"}
        one_request_a_connection().post(f"{address}/v1/setup", json=body, timeout=60).raise_for_status()
        page = visit()
        with_authenticator(page)
        page.goto(f"{address}/login?next=%2Faccount")
        page.get_by_label("Email address").fill(EMAIL)
        page.get_by_role("textbox", name="Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        section = page.get_by_role("region", name="Passkeys")
        section.get_by_label("Name of the passkey").fill("Blue key")
        section.get_by_role("button", name="Add a passkey").click()
        page.locator("[data-secret]").wait_for()
        assert len(stored_secret(page).split()) == 10

        page.context.clear_cookies()
        page.goto(f"{address}/account")
        expect(section.get_by_text("Blue key")).to_be_visible()
        section.get_by_role("button", name="Remove Blue key").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        prove(page, done=page.get_by_text("The passkey was removed"))
        expect(section.get_by_text("Blue key")).to_have_count(0)
