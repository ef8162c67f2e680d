"""A mail address in the set-up of a source: made, shown in the ready text, and mailed to."""

from __future__ import annotations

import re
import smtplib

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in, stored_secret
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_an_address_is_made_in_the_set_up_and_a_mail_to_it_arrives(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Mailed to"})["id"]
    page = signed_in(visit, service, f"/w/home/sources/{source}")
    page.get_by_role("combobox", name="Sender").click()
    page.get_by_role("option", name=re.compile("^Email")).click()
    page.get_by_role("button", name="Create a mail address").click()
    page.get_by_role("dialog").get_by_role("button", name="Create the key").click()
    page.locator("[data-secret]").wait_for()
    secret = stored_secret(page)
    text = page.get_by_text("Recipient:").inner_text()
    address = re.search(r"Recipient:\s+(\S+)", text)
    port = re.search(r"port (\d+)", text)
    assert address is not None and port is not None and address[1].startswith(f"{secret}@")

    with smtplib.SMTP("127.0.0.1", int(port[1]), timeout=60) as client:
        client.sendmail(
            "ups@example.org", [address[1]], "Subject: UPS on battery\r\nFrom: ups@example.org\r\n\r\nfor 2 minutes\r\n"
        )

    expect(page.get_by_text("The last event arrived")).to_be_visible()
    [event] = service.get(f"/v1/events?sourceId={source}")["items"]
    assert event["title"] == "UPS on battery"
