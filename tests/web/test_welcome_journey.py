"""The first three minutes of an operator, in a browser alone: set up, send, get notified, resolve."""

from __future__ import annotations

from typing import Any

import pytest

from tests.up import started
from tests.web.conftest import Open
from tests.web.service import EMAIL, PASSWORD
from tests.web.test_secrets import assert_forgotten, places_of

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("welcome")]


def step(page: Any, title: str) -> Any:
    heading = page.get_by_role("heading", name=title)
    return page.get_by_role("main").get_by_role("listitem").filter(has=heading).first


def test_an_operator_sends_is_notified_and_resolves_within_the_three_steps(
    built: None, visit: Open, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with started(tmp_path_factory.mktemp("welcome"), "--web", "1", "--workers", "1") as up:
        page = visit()
        page.goto(f"{up.address}/setup#token={up.setup_token}")
        page.get_by_label("Email address").fill(EMAIL)
        page.get_by_label("Your name").fill("Olga")
        page.get_by_role("textbox", name="Password").fill(PASSWORD)
        page.get_by_role("button", name="Create the account").click()

        send = step(page, "Send an event")
        key = send.get_by_role("button", name="Show the key")
        key.click()
        secret = page.locator("[data-secret]").inner_text()
        page.get_by_label("I have stored it").check()
        page.get_by_role("button", name="Done").click()
        assert f'"Authorization: Bearer {secret}"' in send.get_by_role("tabpanel").inner_text()
        send.get_by_role("button", name="Send it from this browser").click()
        expect(send.get_by_role("link", name="Open the incident")).to_be_visible()

        notify = step(page, "Get notified")
        notify.get_by_role("button", name="Use the built-in receiver").click()
        expect(notify.get_by_text("Signature valid").first).to_be_visible()
        resolve = step(page, "Resolve the incident")
        resolve.get_by_role("button", name="Send both from this browser").click()
        expect(page.get_by_role("heading", name="You’re all set")).to_be_visible()
        expect(notify.get_by_text("incident.resolved")).to_be_visible()

        assert [place for place in places_of(page, secret) if place != "document"] == []
        assert [place for place in places_of(page, PASSWORD) if place != "document"] == []
        page.get_by_role("link", name="Go to the inbox").first.click()
        page.get_by_role("heading", name="Inbox").wait_for()
        assert_forgotten(page, secret)
