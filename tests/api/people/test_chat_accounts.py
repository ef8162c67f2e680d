"""Chat accounts of members: the linking page, the list, and unlinking (specification 9.18)."""

from __future__ import annotations

import html
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import chat_accounts
from inbox.services.people.chat_accounts import LIFETIME, Account
from tests.browser import Browser
from tests.cast import Cast, present, typeid

Browsers = Callable[[str], Browser]
MIA = "T0001/U0002"


def offer(cast: Cast, account: str = MIA, *, age: timedelta = timedelta(), workspace: Workspace | None = None) -> str:
    """The path of the page for this account."""
    offered = Account((workspace or cast.workspace).id, "slack", account, "<b>mia</b>")
    return "/chat-account/" + chat_accounts.offer_url(offered, present() - age).rpartition("/")[2]


def press_button(browser: Browser, path: str) -> Any:
    """What a browser sends for the button of the page."""
    return browser.call("POST", path, headers={"Content-Type": "application/x-www-form-urlencoded"})


def link(browser: Browser, cast: Cast, account: str = MIA) -> str:
    """The id of the new link."""
    assert press_button(browser, offer(cast, account)).status_code == 200
    return typeid("cac", ChatAccount.get(ChatAccount.account_id == account).id)


def listed(browser: Browser, query: str = "") -> list[str]:
    items = browser.get(f"/v1/chat-accounts{query}").json["items"]
    return [item["accountId"] for item in items]


def test_the_page_asks_who_is_signed_in_and_its_button_links(browser: Browsers, cast: Cast) -> None:
    mia, path = browser("mia"), offer(cast)

    page = mia.get(path)
    text = html.unescape(page.get_data(as_text=True))
    assert "acts as you, Mia" in text
    assert '<form method="post">' in text
    assert "&lt;b&gt;mia" in page.get_data(as_text=True)
    assert ChatAccount.select().count() == 0

    done = press_button(mia, path)

    assert (done.status_code, "The account is linked" in done.get_data(as_text=True)) == (200, True)
    made = ChatAccount.get()
    assert (made.user_id, made.workspace_id, made.account_id) == (cast.users["mia"].id, cast.workspace.id, MIA)
    entry = AuditEntry.get(AuditEntry.action == "chat_account.linked")
    assert entry.details == {"service": "slack", "accountId": MIA}
    assert entry.actor["id"] == typeid("usr", cast.users["mia"].id)


def test_the_page_that_links_a_chat_account_asks_to_sign_in(anonymous: Browser, cast: Cast) -> None:
    path = offer(cast)

    assert "Sign in" in anonymous.get(path).get_data(as_text=True)
    assert "<form" not in anonymous.get(path).get_data(as_text=True)
    assert press_button(anonymous, path).status_code == 401
    assert ChatAccount.select().count() == 0


def test_an_offer_is_accepted_once_and_by_members_only(browser: Browsers, cast: Cast) -> None:
    path = offer(cast)

    assert press_button(browser("eve"), path).status_code == 404
    assert press_button(browser("mia"), path).status_code == 200
    assert press_button(browser("mia"), path).status_code == 403
    assert browser("mia").get(path).status_code == 403


@pytest.mark.parametrize(("age", "status"), [(LIFETIME - timedelta(seconds=20), 200), (LIFETIME, 403)])
def test_an_offer_is_valid_for_a_quarter_of_an_hour(browser: Browsers, cast: Cast, age: timedelta, status: int) -> None:
    assert browser("mia").get(offer(cast, age=age)).status_code == status


@pytest.mark.parametrize("token", ["x", "x.y.z", "é", "y" * 5_000])
def test_an_unknown_chat_link_token_is_refused(browser: Browsers, token: str) -> None:
    assert browser("mia").get(f"/chat-account/{token}").status_code in (403, 404, 414)


def test_an_account_belongs_to_one_member_of_a_workspace(browser: Browsers, cast: Cast) -> None:
    link(browser("mia"), cast)

    assert press_button(browser("adam"), offer(cast)).status_code == 409
    assert press_button(browser("mia"), offer(cast)).status_code == 200
    assert ChatAccount.select().count() == 1


def test_another_site_cannot_link_a_chat_account(browser: Browsers, cast: Cast) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for sent in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert browser("mia").call("POST", offer(cast), headers={**headers, **sent}).status_code == 403
    assert ChatAccount.select().count() == 0


def test_members_see_own_chat_accounts_and_administrators_see_all(browser: Browsers, cast: Cast) -> None:
    link(browser("mia"), cast)
    link(browser("vic"), cast, "T0001/U0003")

    assert listed(browser("mia")) == [MIA]
    assert listed(browser("adam")) == ["T0001/U0003", MIA]
    assert listed(browser("adam"), f"?workspaceId={typeid('wsp', cast.workspace.id)}&sort=name") != []
    [item] = browser("mia").get("/v1/chat-accounts").json["items"]
    assert item["user"] == {"type": "user", "id": typeid("usr", cast.users["mia"].id), "name": "Mia"}
    assert (item["service"], item["lastUsedAt"]) == ("slack", None)


def test_a_link_is_ended_by_its_member_or_an_administrator(browser: Browsers, cast: Cast) -> None:
    for ender in ("mia", "adam"):
        made = link(browser("mia"), cast)
        assert browser("vic").delete(f"/v1/chat-accounts/{made}").status_code == 403
        assert browser(ender).delete(f"/v1/chat-accounts/{made}").status_code == 204
        assert browser(ender).delete(f"/v1/chat-accounts/{made}").status_code == 404
    assert AuditEntry.select().where(AuditEntry.action == "chat_account.unlinked").count() == 2


def test_eve_sees_and_ends_no_link_of_another_workspace(browser: Browsers, cast: Cast) -> None:
    made = link(browser("mia"), cast)

    assert listed(browser("eve")) == []
    assert listed(browser("eve"), f"?workspaceId={typeid('wsp', cast.workspace.id)}") == []
    assert browser("eve").delete(f"/v1/chat-accounts/{made}").status_code == 404
    assert ChatAccount.select().count() == 1
