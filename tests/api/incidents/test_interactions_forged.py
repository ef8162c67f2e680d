"""Button presses that an administrator forges in the name of a linked member (specification 9.18)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from inbox.services.incidents.interactions import NOT_LINKED, Hint
from inbox.services.people import chat_accounts
from tests.api.incidents.interaction_steps import Chat, chat_at
from tests.cast import Cast, present
from tests.stand_ins import discord_requests, slack_requests
from tests.stand_ins.chat_buttons import Sent, call
from tests.stand_ins.outgoing_posts import store_destination

OTHER_SECRET = "f" * 32
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(b"e" * 32)
SETTINGS = {
    "slack": {"signingSecret": OTHER_SECRET},
    "discord": {"publicKey": OTHER_KEY.public_key().public_bytes_raw().hex()},
}


def _slack(incident: str, at: datetime) -> Sent:
    return slack_requests.signed(slack_requests.payload(incident), at, OTHER_SECRET)


def _discord(incident: str, at: datetime) -> Sent:
    return discord_requests.signed(discord_requests.payload(incident), at, OTHER_KEY)


FORGED: dict[str, Callable[[str, datetime], Sent]] = {"slack": _slack, "discord": _discord}


@pytest.fixture(params=list(FORGED))
def chat(request: pytest.FixtureRequest, cast: Cast) -> Chat:
    """A chat in which Mia linked her account."""
    made = chat_at(request.param, cast)
    made.link(cast.users["mia"])
    return made


def forge(chat: Chat) -> Hint | None:
    """Press the button as Mia, at a destination whose key is another one."""
    kind = chat.service.kind
    case = replace(chat.service.case, settings={**chat.service.case.settings, **SETTINGS[kind]})
    destination = store_destination(chat.cast.workspace, kind, case.config, name="Own")
    return call(destination.id, FORGED[kind](chat.incident_id, present()), present()).hint


def test_a_foreign_signing_key_does_not_act_in_the_name_of_a_member(chat: Chat) -> None:
    hint = forge(chat)

    assert hint is not None
    assert (hint.text, chat.state) == (NOT_LINKED, "open")
    assert chat.press() is None
    assert chat.state == "acknowledged"


def test_a_chat_account_named_by_a_foreign_key_acts_only_as_the_person_who_links_it(chat: Chat) -> None:
    adam, hint = chat.cast.users["adam"], forge(chat)
    assert hint is not None

    made = chat_accounts.link(chat_accounts.find_offer(hint.url.rpartition("/")[2], present()), adam.id, present())

    assert (made.user_id, made.account_id) == (adam.id, chat.service.account)
    holder = chat_accounts.holder(chat.account(chat.cast.workspace), present())
    assert holder is not None and holder[0].id == chat.cast.users["mia"].id
