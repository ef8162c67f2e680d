"""One app for several destinations: its address finds the destination, and tenants never cross (specification 9.18)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from inbox.models.deliveries.destinations import Destination
from inbox.models.records.audit import AuditEntry
from inbox.services.incidents.interactions import NOT_LINKED
from tests.api.incidents.interaction_steps import Chat, chat_at, post
from tests.api.incidents.test_interactions_forged import FORGED, SETTINGS
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins import discord_requests, slack_requests, telegram_requests
from tests.stand_ins.chat_buttons import Sent, call
from tests.stand_ins.outgoing_posts import fresh, make_incident, store_destination

OTHER_CHANNEL, OTHER_GROUP = "C9999999999", -1009999999999


@dataclass(frozen=True)
class App:
    """An app of a service, and the address that it calls for all its destinations."""

    path: str
    sign: Callable[..., Sent]


APPS = {
    "slack": App("/v1/interactions/slack", slack_requests.signed),
    "discord": App(f"/v1/interactions/discord/{discord_requests.PUBLIC_KEY}", discord_requests.signed),
}


@pytest.fixture(params=list(APPS))
def chat(request: pytest.FixtureRequest, cast: Cast) -> Chat:
    return chat_at(request.param, cast)


def app_of(chat: Chat) -> App:
    return APPS[chat.service.kind]


def second(chat: Chat, **settings: Any) -> Chat:
    """Adds a second destination of the app, with its own incident."""
    case = replace(chat.service.case, settings={**chat.service.case.settings, **settings})
    destination = store_destination(chat.cast.workspace, chat.service.kind, case.config, name="Second")
    return replace(chat, destination=destination, incident=make_incident(chat.cast))


def press(browser: Browser, chat: Chat, sent: Sent | None = None) -> Any:
    return post(browser, chat, sent, path=app_of(chat).path)


def acted_at() -> list[str]:
    entries = AuditEntry.select().where(AuditEntry.action == "destination.button_used").order_by(AuditEntry.id)
    return [str(each.target["name"]) for each in entries]


def test_one_app_serves_two_destinations(chat: Chat, anonymous: Browser) -> None:
    other = second(chat)
    chat.link(chat.cast.users["mia"])

    for each, id in ((chat, "1"), (other, "2")):
        assert press(anonymous, each, each.request(id=id)).status_code == 200
        assert each.state == "acknowledged"


def test_a_press_counts_at_the_destination_of_its_channel(cast: Cast, anonymous: Browser) -> None:
    chat = chat_at("slack", cast)
    other = second(chat, channel=OTHER_CHANNEL)
    chat.link(cast.users["mia"])

    place = {"type": "message", "message_ts": "1.0", "channel_id": OTHER_CHANNEL}
    press(anonymous, other, other.request(container=place))
    press(anonymous, chat)

    assert acted_at() == ["Second", "Ops"]


def test_the_address_of_each_destination_still_works(chat: Chat, anonymous: Browser) -> None:
    chat.link(chat.cast.users["mia"])

    assert post(anonymous, chat).status_code == 200
    assert chat.state == "acknowledged"


def test_a_forged_signature_does_nothing(chat: Chat, anonymous: Browser) -> None:
    chat.link(chat.cast.users["mia"])
    body, headers = chat.request()
    changed = {
        name: value[:-1] + ("0" if value[-1] != "0" else "1") for name, value in headers.items() if "Sig" in name
    }

    for sent in (
        (body, {**headers, **changed}),
        (body + b" ", headers),
        (body, {"Content-Type": headers["Content-Type"]}),
    ):
        assert press(anonymous, chat, sent).status_code == 401
    assert press(anonymous, chat, FORGED[chat.service.kind](chat.incident_id, present())).status_code == 401
    assert chat.state == "open"


def test_the_app_of_another_workspace_does_nothing(chat: Chat, anonymous: Browser) -> None:
    chat.link(chat.cast.users["mia"])
    kind = chat.service.kind
    case = replace(chat.service.case, settings={**chat.service.case.settings, **SETTINGS[kind]})
    store_destination(chat.cast.foreign, kind, case.config, name="Of Eve")
    forged, own_key = FORGED[kind](chat.incident_id, present()), SETTINGS["discord"]["publicKey"]
    paths = [app_of(chat).path] + ([f"/v1/interactions/discord/{own_key}"] if kind == "discord" else [])

    assert [post(anonymous, chat, forged, path=each).status_code for each in paths] == [401] * len(paths)
    assert chat.state == "open"


def test_a_link_of_one_workspace_does_not_act_in_another_one_of_the_same_app(chat: Chat, anonymous: Browser) -> None:
    Destination.update(workspace=chat.cast.foreign.id).where(Destination.id == chat.destination.id).execute()
    chat.link(chat.cast.users["mia"])

    assert press(anonymous, chat).status_code == 401
    shared = second(chat)
    Destination.delete().where(Destination.id == shared.destination.id).execute()
    assert press(anonymous, shared).status_code == 401
    assert (chat.state, shared.state) == ("open", "open")


def test_a_repeated_request_to_an_app_does_nothing_again(chat: Chat, anonymous: Browser) -> None:
    second(chat)
    chat.link(chat.cast.users["mia"])
    sent = chat.request()

    assert [press(anonymous, chat, sent).status_code for _ in range(3)] == [200, 401, 401]
    assert len(acted_at()) == 1


@pytest.mark.parametrize(
    "body", [b"", b"payload=", b"payload=7", b"{}", b"[", b"payload=%7B%7D", b"\xff", b"[" * 10_000]
)
def test_an_unreadable_request_to_an_app_is_refused(anonymous: Browser, body: bytes) -> None:
    for app in APPS.values():
        answer = anonymous.client.post(app.path, data=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.get_json()["code"]) == (401, "unauthenticated")


def test_a_press_about_an_unknown_incident_is_refused(chat: Chat, anonymous: Browser) -> None:
    for incident in (typeid("inc", chat.cast.source.id), "inc_1", ""):
        assert press(anonymous, chat, chat.request(incident)).status_code == 401


def test_a_check_of_discord_is_answered_if_the_key_of_the_address_signed_it(anonymous: Browser) -> None:
    body, headers = discord_requests.signed({"id": "1", "type": 1, "application_id": "1"}, present())
    other = SETTINGS["discord"]["publicKey"]

    answer = anonymous.client.post(APPS["discord"].path, data=body, headers=headers)
    assert (answer.status_code, answer.get_json()) == (200, {"type": 1})
    for key in (other, "0" * 64, "x"):
        assert anonymous.client.post(f"/v1/interactions/discord/{key}", data=body, headers=headers).status_code == 401


def test_an_account_without_a_link_gets_a_hint_through_the_app(cast: Cast, anonymous: Browser) -> None:
    answer = press(anonymous, chat_at("discord", cast))

    assert NOT_LINKED in answer.get_json()["data"]["content"]


def telegram_press(at: Chat, group: int, incident: str) -> Sent:
    """A press in a group, as Telegram sends it to the destination that registered its address last."""
    body, headers = at.request(incident)
    update = json.loads(body)
    update["callback_query"]["message"]["chat"]["id"] = group
    return json.dumps(update).encode(), headers


def test_two_destinations_of_a_telegram_bot_act_through_either_address(cast: Cast) -> None:
    chat = chat_at("telegram", cast)
    other = second(chat, chatId=str(OTHER_GROUP))
    chat.link(cast.users["mia"])

    assert (
        call(other.destination.id, telegram_press(other, telegram_requests.GROUP, chat.incident_id), present()).hint
        is None
    )
    assert call(chat.destination.id, telegram_press(chat, OTHER_GROUP, other.incident_id), present()).hint is None

    assert (chat.state, other.state) == ("acknowledged", "acknowledged")
    assert acted_at() == ["Ops", "Second"]


def other_bot(chat: Chat) -> Chat:
    return second(chat, chatId=str(OTHER_GROUP), token="654321:AnotherBotOfTelegram-000000000000000000")


def other_server(chat: Chat) -> Chat:
    return second(chat, chatId=str(OTHER_GROUP), server="https://bots.example.org")


def deleted(chat: Chat) -> Chat:
    made = second(chat, chatId=str(OTHER_GROUP))
    Destination.update(deleted_at=present()).where(Destination.id == made.destination.id).execute()
    return made


@pytest.mark.parametrize("make", [other_bot, other_server, deleted])
def test_a_press_in_the_chat_of_another_bot_does_nothing(cast: Cast, make: Callable[[Chat], Chat]) -> None:
    chat = chat_at("telegram", cast)
    other = make(chat)
    chat.link(cast.users["mia"])

    reply = call(chat.destination.id, telegram_press(chat, OTHER_GROUP, other.incident_id), present())

    assert "This chat is not the one" in str(reply.answer)
    assert (fresh(other.incident).state, chat.state) == ("open", "open")
