"""A signing secret in the dashboard: made for GitHub, entered for Sentry, in the ready text, and revoked."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any

import pytest
import requests

from tests.intake.payloads import payload
from tests.web.conftest import Open
from tests.web.pages import signed_in, stored_secret
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def status_of(service: Service, source_id: str, secret: str) -> int:
    """What the service answers to a webhook of GitHub that is signed with the secret."""
    body = json.dumps(payload("github", "alarm")).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"X-Hub-Signature-256": f"sha256={signature}", "Content-Type": "application/json"}
    address = f"{service.address}/v1/hooks/github/{source_id}"
    return requests.post(address, data=body, headers=headers, timeout=60).status_code


def choose(place: Any, label: str, option: str) -> None:
    place.get_by_role("combobox", name=label).click()
    place.page.get_by_role("option", name=option, exact=True).click()


def test_a_signing_secret_is_made_in_the_set_up_and_revoked(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Signed by tools"})["id"]
    page = signed_in(visit, service, f"/w/home/sources/{source}")
    page.get_by_role("combobox", name="Sender").click()
    page.get_by_role("option", name=re.compile("^GitHub")).click()
    expect(page.get_by_text(f"/v1/hooks/github/{source}")).to_be_visible()
    page.get_by_role("button", name="Create a signing secret").click()
    page.get_by_role("dialog").get_by_role("button", name="Create the key").click()
    page.locator("[data-secret]").wait_for()
    secret = stored_secret(page)
    expect(page.get_by_text(secret)).to_be_visible()
    assert status_of(service, source, secret) == 202

    page.get_by_role("tab", name="Keys").click()
    row = page.get_by_role("row").filter(has_text="Signing secret")
    expect(row).to_contain_text("GitHub")
    row.get_by_role("button", name="Actions for the key").click()
    page.get_by_role("menuitem", name="Revoke now").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke the key").click()
    expect(row).to_contain_text("Revoked")
    assert status_of(service, source, secret) == 401


def test_the_client_secret_of_sentry_is_entered(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Signed by Sentry"})["id"]
    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=keys")
    page.get_by_role("button", name="Create a key").first.click()
    dialog = page.get_by_role("dialog")
    choose(dialog, "Kind", "Signing secret")
    choose(dialog, "Tool", "Sentry")
    dialog.get_by_role("button", name="Create the key").click()
    expect(dialog.get_by_text("Is required: enter the client secret")).to_be_visible()

    dialog.get_by_role("textbox", name="Signing secret").fill("0f8c1d2e3a4b5c6d7e8f9a0b1c2d3e4f")
    dialog.get_by_role("button", name="Create the key").click()

    expect(page.get_by_role("row").filter(has_text="Sentry")).to_contain_text("…3e4f")
    expect(page.get_by_text("0f8c1d2e3a4b5c6d7e8f9a0b1c2d3e4f")).to_have_count(0)


def test_an_alias_token_is_made(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Pushed to"})["id"]
    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=keys")
    page.get_by_role("button", name="Create a key").first.click()
    dialog = page.get_by_role("dialog")
    choose(dialog, "Kind", "Alias token")
    dialog.get_by_role("button", name="Create the key").click()
    page.locator("[data-secret]").wait_for()
    token = stored_secret(page)

    sent = requests.post(
        f"{service.address}/message", json={"message": "Hello"}, headers={"X-Gotify-Key": token}, timeout=60
    )

    assert (token[0], len(token), sent.status_code) == ("A", 15, 200)
    expect(page.get_by_role("row").filter(has_text="Alias token")).to_be_visible()
