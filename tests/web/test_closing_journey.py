"""Closing an account: what prevents it is listed with the page where it ends, and the account closes afterwards."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_an_only_owner_closes_the_account_once_another_member_is_an_owner(visit: Open, service: Service) -> None:
    klaus = service.joined("Klaus")
    workspace = klaus.post("/v1/workspaces", {"name": "Left behind"})
    lena = klaus.joined("Lena", workspace=workspace).get("/v1/me")
    page = signed_in(visit, klaus, "/account")
    page.get_by_role("button", name="Close the account").click()
    dialog = page.get_by_role("dialog", name="Close the account")
    reasons = dialog.get_by_role("list", name="Reasons the account cannot be closed").get_by_role("listitem")
    expect(reasons).to_contain_text(["Left behind has other members and no other owner."])
    dialog.get_by_label("Type klaus@example.org to confirm").fill("klaus@example.org")
    expect(dialog.get_by_role("button", name="Close the account")).to_be_disabled()

    link = reasons.get_by_role("link", name="Make a member of Left behind an owner")
    expect(link).to_have_attribute("href", f"/w/{workspace['slug']}/members")
    klaus.patch(f"/v1/workspaces/{workspace['id']}/members/{lena['id']}", {"role": "owner"})

    expect(reasons).to_have_count(0)
    dialog.get_by_role("button", name="Close the account").click()
    page.get_by_role("button", name="Sign in", exact=True).wait_for()
    assert klaus.session.get(f"{service.address}/v1/me", timeout=60).status_code == 401
