"""Unsubscribe links: the mails that have them, and that they are stored nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings, current
from inbox.destinations import Config
from inbox.flow.delivery.deliver import deliver
from inbox.identity import unsubscribe_links
from inbox.models.deliveries.tables import DeliveryAttempt
from tests.cast import Cast, present
from tests.destinations.kinds.notice_bodies import body
from tests.mail.servers import MailServer
from tests.stand_ins.outgoing_posts import make_incident, owe, store_destination

ADDRESS = "on-call@example.org"
Use = Callable[[str], MailServer]


@pytest.fixture
def at(settings: Settings, ground: Any) -> Iterator[Use]:
    with MailServer() as server:

        def use(base_url: str) -> MailServer:
            chosen = replace(settings, smtp_url=server.url, mail_from="Inbox <inbox@example.org>", base_url=base_url)
            in_force.use(chosen)
            return server

        yield use
    in_force.use(settings)


def sent(cast: Cast, server: MailServer, **config: Any) -> dict[str, str]:
    """The headers of one mail, as they were sent."""
    mails = store_destination(cast.workspace, "email", Config({"to": ADDRESS, **config}), name="Nights")
    owe(mails, make_incident(cast), 1, body=body().decode())
    deliver(present)
    return {name: str(value) for name, value in server.mails[-1].message.raw_items()}


def test_a_mail_has_the_headers_of_one_click_unsubscribing(cast: Cast, at: Use) -> None:
    headers = sent(cast, at("https://inbox.example.org"))

    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert headers["List-Id"] == "<inbox.example.org>"
    link = headers["List-Unsubscribe"]
    assert link.startswith("<https://inbox.example.org/unsubscribe/")
    token = link.strip("<>").rpartition("/")[2]
    assert unsubscribe_links.verify(current().signing_key, token, present()).is_for(ADDRESS)
    (attempt,) = DeliveryAttempt.select()
    assert ("List-Unsubscribe" in attempt.requests, token in attempt.requests) == (True, False)


def test_each_address_has_an_unsubscribe_link_of_its_own(cast: Cast, at: Use) -> None:
    server = at("https://inbox.example.org")
    sent(cast, server, to=f"{ADDRESS}, mia@example.org")

    links = {each.to[0]: each.message["List-Unsubscribe"] for each in server.mails}
    assert set(links) == {ADDRESS, "mia@example.org"}
    for address, link in links.items():
        token = link.strip("<>").rpartition("/")[2]
        assert unsubscribe_links.verify(current().signing_key, token, present()).is_for(address)
        assert token not in DeliveryAttempt.get().requests


@pytest.mark.parametrize(
    ("base_url", "config"),
    [("http://inbox.example.org", {}), ("https://inbox.example.org", {"unsubscribe": False})],
)
def test_a_mail_without_https_or_with_the_setting_off_has_none(
    cast: Cast, at: Use, base_url: str, config: dict[str, bool]
) -> None:
    headers = sent(cast, at(base_url), **config)

    assert "List-Id" in headers
    assert not {"List-Unsubscribe", "List-Unsubscribe-Post"} & set(headers)
