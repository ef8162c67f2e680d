"""The buttons of plain pages work in browsers that send no `Sec-Fetch-Site`: over http, and older ones (specification 2.2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from inbox.config.settings import current
from inbox.destinations import Config
from inbox.domain.incidents.incident import Act
from inbox.identity import action_links, unsubscribe_links
from inbox.identity.action_links import Permission
from inbox.services.people import chat_accounts
from inbox.services.people.chat_accounts import Account
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.outgoing_posts import make_destination, make_incident, store_destination

Browsers = Callable[[str], Browser]
FORM = "application/x-www-form-urlencoded"


def action_link(cast: Cast) -> str:
    chat = make_destination(cast.workspace, "http://127.0.0.1:9", kind="slack", name="Ops")
    permission = Permission(Act.ACKNOWLEDGE, make_incident(cast).id, chat.id)
    return "/act/" + action_links.issue(current().signing_key, permission, present())


def unsubscribe_link(cast: Cast) -> str:
    mails = store_destination(cast.workspace, "email", Config({"to": "on-call@example.org"}), name="Nights")
    return "/unsubscribe/" + unsubscribe_links.issue(current().signing_key, mails.id, "on-call@example.org", present())


def chat_account_link(cast: Cast) -> str:
    account = Account(cast.workspace.id, "slack", "T0001/U0002", "mia")
    return "/chat-account/" + chat_accounts.offer_url(account, present()).rpartition("/")[2]


def origin_by(page: TestResponse, base_url: str) -> str:
    """The `Origin` that a browser sends with a form of this page: a page without any referrer has none to name."""
    return "null" if page.headers["Referrer-Policy"] == "no-referrer" else base_url


@pytest.mark.parametrize("link", [action_link, unsubscribe_link, chat_account_link])
def test_the_form_of_a_page_is_accepted(browser: Browsers, cast: Cast, link: Callable[[Cast], str]) -> None:
    mia, path = browser("mia"), link(cast)
    page = mia.get(path, headers={"Accept": "text/html"})
    assert "<form" in page.get_data(as_text=True)

    foreign = {"Origin": "https://elsewhere.example", "Content-Type": FORM}
    assert mia.post(path, headers=foreign).status_code == 403
    sent = {"Origin": origin_by(page, mia.base_url), "Content-Type": FORM, "Accept": "text/html"}
    assert mia.post(path, headers=sent).status_code == 200
