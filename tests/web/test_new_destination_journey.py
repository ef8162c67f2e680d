"""A new destination: its kind is a tile, a kind with two ways asks for one, and a test is sent before it is saved."""

from __future__ import annotations

import pytest

from tests.stand_ins.receivers import Answer, Receiver
from tests.web.conftest import PHONE, Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_test_is_sent_before_the_destination_is_created(visit: Open, service: Service, axe: str) -> None:
    with Receiver(Answer(200, b'{"id": "m1", "event": "message"}')) as receiver:
        page = signed_in(visit, service, "/w/home/destinations?new", size=PHONE)
        dialog = page.get_by_role("dialog", name="New destination")
        dialog.get_by_role("textbox", name="Where should notifications go?").fill("ntf")
        page.keyboard.press("Enter")
        dialog.get_by_role("button", name="Send a test").click()
        expect(dialog.get_by_text("Enter a name, such as Pager.")).to_be_visible()
        dialog.get_by_role("textbox", name="Name", exact=True).fill("Not saved yet")
        dialog.get_by_role("textbox", name="Server").fill(receiver.url)
        dialog.get_by_role("textbox", name="Topic").fill("ops-night")
        dialog.get_by_role("button", name="Send a test").click()

        expect(dialog.get_by_text("The receiver accepted the test.")).to_be_visible()
        settled(page)
        assert violations(page, axe) == []
        [request] = receiver.requests
        assert request.json["topic"] == "ops-night"
    assert "Not saved yet" not in [each["name"] for each in service.get("/v1/destinations?limit=200")["items"]]


def test_slack_asks_for_a_webhook_or_a_bot(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/destinations?new")
    dialog = page.get_by_role("dialog", name="New destination")
    dialog.get_by_role("button", name="Slack").click()

    expect(dialog.get_by_role("textbox", name="Address")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Bot token")).to_have_count(0)

    dialog.get_by_text("Bot", exact=True).click()
    expect(dialog.get_by_role("textbox", name="Address")).to_have_count(0)
    dialog.get_by_role("textbox", name="Name").fill("Team chat")
    dialog.get_by_role("button", name="Create the destination").click()
    expect(dialog.get_by_text("Enter a value.")).to_have_count(2)


def test_the_tiles_are_searched(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/destinations?new")
    dialog = page.get_by_role("dialog", name="New destination")
    kinds = dialog.get_by_role("list", name="Kinds").get_by_role("button")
    expect(kinds.filter(has_text="Slack")).to_be_visible()

    dialog.get_by_role("textbox", name="Where should notifications go?").fill("pigeon")

    expect(kinds).to_have_count(0)
    expect(dialog.get_by_text("No kind matches.")).to_be_visible()
