"""A browser that is trusted at the second step of a sign-in, and forgotten in the account."""

from __future__ import annotations

import time
from typing import Any

import pyotp
import pytest

from tests.web.conftest import Open
from tests.web.service import PASSWORD, Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

REMEMBER = "Do not ask for the second factor in this browser for 30 days"


def enter_password(page: Any) -> None:
    page.get_by_label("Email address").fill("tamar@example.org")
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Any) -> None:
    page.get_by_role("button", name="Account of Tamar").click()
    with page.expect_navigation(url="**/login"):
        page.get_by_role("menuitem", name="Sign out").click()


def test_a_trusted_browser_asks_for_the_second_factor_again_once_it_is_forgotten(visit: Open, service: Service) -> None:
    tamar, page = service.joined("Tamar"), visit()
    app = pyotp.TOTP(tamar.post("/v1/me/totp")["secret"])
    tamar.post("/v1/me/totp/confirm", {"code": app.now()})
    page.goto(f"{service.address}/login?next=%2Faccount")
    enter_password(page)
    page.get_by_text("Recovery code", exact=True).click()
    expect(page.get_by_label(REMEMBER)).to_have_count(0)
    page.get_by_text("Authenticator app", exact=True).click()
    page.get_by_role("textbox", name="Code").fill(app.at(time.time() + 30))  # the code before was used to confirm
    page.get_by_label(REMEMBER).check()
    page.get_by_role("button", name="Continue").click()
    section = page.get_by_role("region", name="Trusted browsers")
    expect(section.get_by_text("This browser")).to_be_visible()
    sign_out(page)

    page.goto(f"{service.address}/login?next=%2Faccount")
    enter_password(page)
    section.get_by_role("button", name="Forget Chrome").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(section.get_by_text("None. Every sign-in with your password asks for your second factor.")).to_be_visible()
    sign_out(page)

    enter_password(page)
    expect(page.get_by_text("Your account has a second factor.")).to_be_visible()
