"""Unsubscribe links in mails: the page, one-click unsubscribing, and the end of a link (specification 9.20)."""

from __future__ import annotations

import html
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.config.settings import current
from inbox.destinations import Config
from inbox.domain.deliveries.delivery import Status
from inbox.identity import unsubscribe_links
from inbox.models.deliveries.destinations import Destination
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.outgoing_posts import fresh, make_incident, owe, store_destination

ADDRESS = "on-call@example.org"
ONE_TAP = "List-Unsubscribe=One-Click"
FORM = "application/x-www-form-urlencoded"
PARTS = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'


@pytest.fixture
def mails(cast: Cast) -> Destination:
    return store_destination(cast.workspace, "email", Config({"to": ADDRESS}), name="Nights")


def link(mails: Destination, *, age: timedelta = timedelta()) -> str:
    return f"/unsubscribe/{unsubscribe_links.issue(current().signing_key, mails.id, ADDRESS, present() - age)}"


def tap(anonymous: Browser, path: str, body: str = ONE_TAP, content_type: str = FORM) -> Any:
    """What a mail provider sends: no origin, no cookie."""
    return anonymous.client.post(path, data=body, content_type=content_type)


def text(answer: Any) -> str:
    return html.unescape(answer.get_data(as_text=True))


@pytest.mark.parametrize(
    ("body", "content_type"), [(ONE_TAP, FORM), (PARTS, "multipart/form-data; boundary=x"), ("", FORM)]
)
def test_one_click_unsubscribes_the_address_from_mails(
    anonymous: Browser, cast: Cast, mails: Destination, body: str, content_type: str
) -> None:
    waiting = owe(mails, make_incident(cast), 1)

    done = tap(anonymous, link(mails), body, content_type)

    assert (done.status_code, done.mimetype) == (200, "text/html")
    assert ("These mails are turned off" in text(done), ADDRESS in text(done)) == (True, True)
    assert fresh(mails).enabled is False
    assert fresh(waiting).status == Status.SKIPPED
    entry = AuditEntry.get(AuditEntry.action == "destination.link_used")
    assert (entry.target["name"], entry.details) == ("Nights", {"act": "unsubscribe"})


def test_the_unsubscribe_page_asks_and_a_read_changes_nothing(anonymous: Browser, mails: Destination) -> None:
    for method in ("GET", "HEAD", "GET"):
        page = anonymous.call(method, link(mails), headers={"Accept": "text/html"})
        assert page.status_code == 200

    assert '<form method="post"><button type="submit">Unsubscribe</button></form>' in text(page)
    assert "form-action 'self'" in page.headers["Content-Security-Policy"]
    assert fresh(mails).enabled is True


def test_a_second_tap_changes_nothing(anonymous: Browser, mails: Destination) -> None:
    for _ in range(2):
        assert tap(anonymous, link(mails)).status_code == 200

    assert "<button" not in text(anonymous.get(link(mails), headers={"Accept": "text/html"}))
    assert AuditEntry.select().where(AuditEntry.action == "destination.link_used").count() == 1


def old(mails: Destination) -> str:
    return link(mails, age=unsubscribe_links.LIFETIME)


def altered(mails: Destination) -> str:
    return f"{link(mails)}x"


def of_another_address(mails: Destination) -> str:
    Destination.update(config={"to": "sales@example.org"}).where(Destination.id == mails.id).execute()
    return link(mails)


def turned_off(mails: Destination) -> str:
    Destination.update(config={"to": ADDRESS, "unsubscribe": False}).where(Destination.id == mails.id).execute()
    return link(mails)


def of_another_kind(mails: Destination) -> str:
    Destination.update(kind="slack").where(Destination.id == mails.id).execute()
    return link(mails)


def of_a_deleted_destination(mails: Destination) -> str:
    Destination.update(deleted_at=present()).where(Destination.id == mails.id).execute()
    return link(mails)


def of_a_closed_workspace(mails: Destination) -> str:
    Workspace.update(deleted_at=present()).where(Workspace.id == mails.workspace_id).execute()
    return link(mails)


@pytest.mark.parametrize("ended", [
    old, altered, of_another_address, turned_off, of_another_kind, of_a_deleted_destination, of_a_closed_workspace,
])  # fmt: skip
def test_a_link_that_has_ended_is_refused_alike(
    anonymous: Browser, mails: Destination, ended: Callable[[Destination], str]
) -> None:
    path = ended(mails)

    for answer in (anonymous.get(path), tap(anonymous, path)):
        assert (answer.status_code, answer.get_json()["code"]) == (403, "token_invalid")
    assert fresh(mails).enabled is True


def test_one_of_several_addresses_ends_only_its_own_mails(anonymous: Browser, mails: Destination) -> None:
    others = {"to": f"mia@example.org, {ADDRESS}; olga@example.org", "actionLinks": False}
    Destination.update(config=others).where(Destination.id == mails.id).execute()

    done = tap(anonymous, link(mails))

    assert (done.status_code, ADDRESS in text(done)) == (200, True)
    assert fresh(mails).config == {"to": "mia@example.org, olga@example.org", "actionLinks": False}
    assert fresh(mails).enabled is True
    assert tap(anonymous, link(mails)).status_code == 403


def test_another_site_cannot_send_the_form(anonymous: Browser, mails: Destination) -> None:
    refused = anonymous.call("POST", link(mails), headers={"Content-Type": FORM, "Origin": "https://evil.example"})

    assert (refused.status_code, fresh(mails).enabled) == (403, True)
