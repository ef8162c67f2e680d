"""A destination moves to another server: the form asks for the stored secret again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stand_ins.receivers import Answer, Receiver
from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

TOKEN, NEW_TOKEN = "AofTheFirstServer", "AofTheSecondServer"
REQUEST = "Enter the application token again: the server changed."


def make_gotify(service: Service, name: str, server: str) -> None:
    workspace = service.home()
    config = {"server": server, "token": TOKEN}
    fields = {"workspaceId": workspace["id"], "name": name, "kind": "gotify", "config": config}
    service.post("/v1/destinations", fields)


def opened(page: Any, name: str) -> Any:
    page.get_by_role("link", name=name, exact=True).click()
    return page.get_by_role("dialog", name=name)


def test_the_form_asks_for_the_token_when_the_server_changes(visit: Open, service: Service, axe: str) -> None:
    with Receiver(Answer(200, b"{}")) as first, Receiver(Answer(200, b"{}")) as second:
        make_gotify(service, "Gotify of the office", first.url)
        page = signed_in(visit, service, "/w/home/destinations")
        dialog = opened(page, "Gotify of the office")
        server = dialog.get_by_role("textbox", name="Server")
        token = dialog.get_by_role("textbox", name="Application token")
        save = dialog.get_by_role("button", name="Save the changes")

        server.fill(f"{first.url}/")
        expect(dialog.get_by_text(REQUEST)).to_have_count(0)
        server.fill(second.url)
        expect(dialog.get_by_role("status").filter(has_text=REQUEST)).to_be_visible()
        expect(token).to_have_attribute("required", "")
        settled(page)
        assert violations(page, axe) == []
        save.click()
        expect(token).to_have_attribute("data-invalid", "true")
        expect(token).to_be_focused()
        expect(dialog.get_by_text(REQUEST)).to_have_count(1)

        token.fill(NEW_TOKEN)
        save.click()
        expect(dialog).to_be_hidden()
        page.get_by_role("button", name="Test Gotify of the office").click()
        expect(page.get_by_text("The receiver accepted the test.")).to_be_visible()

    assert first.requests == []
    assert [each.headers["x-gotify-key"] for each in second.requests] == [NEW_TOKEN]


def test_a_change_of_the_name_does_not_ask(visit: Open, service: Service) -> None:
    make_gotify(service, "Gotify of the day", "http://127.0.0.1:9")
    page = signed_in(visit, service, "/w/home/destinations")
    dialog = opened(page, "Gotify of the day")

    dialog.get_by_role("textbox", name="Name", exact=True).fill("Gotify of the night")
    dialog.get_by_role("button", name="Save the changes").click()

    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name="Gotify of the night", exact=True)).to_be_visible()


def test_the_refusal_of_the_service_is_shown_at_the_secret(visit: Open, service: Service) -> None:
    make_gotify(service, "Gotify of the shop", "http://127.0.0.1:9/a")
    page = signed_in(visit, service, "/w/home/destinations")
    dialog = opened(page, "Gotify of the shop")

    # The browser reads both as one address. The service compares them as they are sent.
    dialog.get_by_role("textbox", name="Server").fill("http://127.0.0.1:9/b/../a")
    dialog.get_by_role("button", name="Save the changes").click()

    expect(dialog.get_by_text("Must be entered again: the server changed.")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Application token")).to_be_focused()
