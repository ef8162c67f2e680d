"""A destination of a service: choose its kind, fill in the form, test it, and give up a secret."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stand_ins.receivers import Answer, Receiver
from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

TOKEN = "tk_of_a_server_on_this_machine"


def has_accessible_guide(page: Any, kind: str, axe: str) -> None:
    """Open the page that says how to set the kind up, and check it."""
    with page.expect_popup() as opened:
        page.get_by_role("dialog").get_by_role("link", name="How to set it up").click()
    expect(opened.value.get_by_role("heading", name=kind, exact=True)).to_be_visible()
    assert violations(opened.value, axe) == []
    opened.value.close()


def test_a_kind_is_chosen_filled_in_tested_and_changed(visit: Open, service: Service, axe: str) -> None:
    page = signed_in(visit, service, "/w/home/destinations?new")
    dialog = page.get_by_role("dialog", name="New destination")
    dialog.get_by_role("textbox", name="Where should notifications go?").fill("ntf")
    settled(page)
    assert violations(page, axe) == []
    dialog.get_by_role("button", name="ntfy").click()
    settled(page)
    assert violations(page, axe) == []
    has_accessible_guide(page, "ntfy", axe)
    with Receiver(Answer(200, b'{"id": "m1", "event": "message"}')) as ntfy:
        dialog.get_by_role("textbox", name="Name", exact=True).fill("Phone of the night shift")
        dialog.get_by_role("textbox", name="Server").fill(ntfy.url)
        dialog.get_by_role("textbox", name="Topic").fill("not a topic")
        dialog.get_by_role("textbox", name="Access token").fill(TOKEN)
        dialog.get_by_role("button", name="Create the destination").click()
        expect(dialog.get_by_text("Enter something like ops-3f9a2c")).to_be_visible()
        dialog.get_by_role("textbox", name="Topic").fill("ops-night")
        dialog.get_by_role("checkbox", name="Add it to the default route").uncheck()
        dialog.get_by_role("button", name="Create the destination").click()

        page.get_by_role("button", name="Test Phone of the night shift").click()
        test = page.get_by_role("dialog", name="Test of Phone of the night shift")
        expect(test.get_by_text("The receiver accepted the test.")).to_be_visible()
        expect(test.get_by_text('"topic": "ops-night"')).to_be_visible()
        assert TOKEN not in page.content()
        test.get_by_role("button", name="Done").click()

    (sent,) = ntfy.requests
    assert (sent.json["topic"], sent.headers["authorization"]) == ("ops-night", f"Bearer {TOKEN}")

    page.get_by_role("link", name="Phone of the night shift", exact=True).click()
    dialog = page.get_by_role("dialog", name="Phone of the night shift")
    dialog.get_by_role("button", name="Remove the access token").click()
    expect(dialog.get_by_role("status")).to_contain_text("is removed when you save")
    dialog.get_by_role("button", name="Save the changes").click()
    expect(dialog).to_be_hidden()
    [stored] = [each for each in service.get("/v1/destinations?limit=200")["items"] if each["kind"] == "ntfy"]
    assert stored["config"] == {"server": ntfy.url, "topic": "ops-night", "actionLinks": False}
