"""Buttons of Telegram: their form in a message, the request's secret, its answer, and the chat with the bot."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.destinations import INTERACTIVE, KINDS, Config
from inbox.destinations.interactions import Elsewhere, Ignored, InteractionRefused, Press
from inbox.destinations.recording_client import RecordingClient
from inbox.destinations.telegram import interactions as telegram_interactions
from inbox.destinations.telegram.interactions import NO_START, OTHER_CHAT, START, START_LIFETIME
from inbox.domain.incidents.incident import Act
from inbox.domain.values.refusals import ValidationFailed
from tests.cast import NOW
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import INCIDENT, LINKS
from tests.destinations.kinds.stand_in import Stage, outcome, staged, vet
from tests.stand_ins.chat_buttons import CALLBACK, SERVICES
from tests.stand_ins.telegram_requests import GROUP, PERSON, payload, signed, start

TELEGRAM = SERVICES["telegram"]
PLAIN, WITH_BUTTONS = CASES["telegram"], TELEGRAM.case
SECRET = telegram_interactions.webhook(CALLBACK, WITH_BUTTONS.config)["secret_token"]
SECOND = timedelta(seconds=1)


def read(fields: Any, secret: str = SECRET, config: Config | None = None, *, later: timedelta = timedelta()) -> Any:
    return TELEGRAM.read(signed(fields, secret), at=NOW + later, config=config)


def keyboard(stage: Stage) -> Any:
    """The rows of buttons of the last message."""
    return stage.calls()[-1][2].json.get("reply_markup", {}).get("inline_keyboard")


def test_telegram_buttons_act_directly_when_enabled_and_otherwise_open_links() -> None:
    with staged(WITH_BUTTONS) as stage:
        stage.action_links, stage.callback = LINKS, CALLBACK
        stage.send()
        assert [each["callback_data"] for each in keyboard(stage)[0]] == [
            f"{act}:{INCIDENT}" for act in ("acknowledge", "resolve", "take", "escalate")
        ]
        assert LINKS[0].url not in stage.calls()[-1][2].body.decode()
        stage.action_links = LINKS[1:]
        stage.send("acknowledged")
        assert [each["callback_data"] for each in keyboard(stage)[0]] == [f"resolve:{INCIDENT}"]
        stage.action_links = ()
        stage.send("resolved")
        assert keyboard(stage) is None

        stage.config, stage.reference, stage.action_links = PLAIN.config, {}, LINKS
        stage.send()
        assert all("url" in each for each in keyboard(stage)[0])


def test_a_test_notice_registers_the_address_and_its_secret_is_not_kept() -> None:
    with staged(WITH_BUTTONS) as stage:
        stage.callback = CALLBACK
        recorder = RecordingClient(stage.client)
        stage.client = recorder  # type: ignore[assignment]
        assert outcome(stage.send("test")) == "sent"
        assert [each.path.rpartition("/")[2] for each in stage.receiver.requests] == ["setWebhook", "sendMessage"]
        assert stage.receiver.requests[0].json == {
            "url": CALLBACK.url, "secret_token": SECRET, "allowed_updates": ["callback_query", "message"],
        }  # fmt: skip
        stored = recorder.requests(stage.config.secrets.values())
        assert SECRET.removeprefix("svc_btn_") not in stored[0].body
        stage.client = recorder._client


def test_test_notices_and_destinations_without_buttons_register_no_callback() -> None:
    with staged(WITH_BUTTONS) as stage:
        stage.callback = CALLBACK
        stage.send()
        stage.config, stage.reference = PLAIN.config, {}
        stage.send("test")
        assert [each.path.rpartition("/")[2] for each in stage.receiver.requests] == ["sendMessage", "sendMessage"]


def test_an_address_that_telegram_refuses_fails_the_test() -> None:
    with staged(WITH_BUTTONS) as stage:
        stage.callback = CALLBACK
        refused = stage.service.refused(400, "Bad Request: bad webhook: HTTPS url must be provided")  # type: ignore[attr-defined]
        stage.receiver.answer = lambda request: refused
        assert outcome(stage.send("test")) == "message refused"
        assert len(stage.receiver.requests) == 1


def test_buttons_need_the_number_of_a_chat() -> None:
    with pytest.raises(ValidationFailed) as refused:
        KINDS["telegram"].validate({**WITH_BUTTONS.settings, "chatId": "@ops_channel"}, vet)
    assert [fault.pointer for fault in refused.value.errors] == ["/config/chatId"]
    assert KINDS["telegram"].validate({**PLAIN.settings, "chatId": "@ops_channel"}, vet)


@pytest.mark.parametrize("act", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_a_telegram_press_names_the_person_and_the_button(act: Act) -> None:
    found = read(payload(INCIDENT, act=str(act), id="77"))

    assert isinstance(found, Press)
    assert (found.account_id, found.account_name) == (str(PERSON), "mia")
    assert (found.act, found.incident_id, found.replay_key, found.reply_to) == (act, INCIDENT, "77", "q77")


def test_an_account_of_another_server_is_another_account() -> None:
    own = KINDS["telegram"].validate({**WITH_BUTTONS.settings, "server": "https://tg.example.org/"}, vet)
    official = KINDS["telegram"].validate({**WITH_BUTTONS.settings, "server": "https://api.telegram.org/"}, vet)
    learned = telegram_interactions.webhook(CALLBACK, own)["secret_token"]

    assert read(payload(INCIDENT), learned, own).account_id == f"tg.example.org/{PERSON}"
    assert read(payload(INCIDENT), config=official).account_id == str(PERSON)


def test_a_server_that_learned_its_secret_does_not_speak_for_another_server() -> None:
    own = KINDS["telegram"].validate({**WITH_BUTTONS.settings, "server": "https://tg.example.org"}, vet)
    for secret, config in ((telegram_interactions.webhook(CALLBACK, own)["secret_token"], None), (SECRET, own)):
        with pytest.raises(InteractionRefused):
            read(payload(INCIDENT), secret, config)


@pytest.mark.parametrize("secret", ["", "é", SECRET[:-1], SECRET + "0", SECRET.upper()])
def test_a_request_with_another_secret_is_refused(secret: str) -> None:
    with pytest.raises(InteractionRefused):
        read(payload(INCIDENT), secret)


def test_the_callback_secret_differs_for_each_bot_and_destination() -> None:
    other_bot = KINDS["telegram"].validate({**WITH_BUTTONS.settings, "token": "123456:" + "x" * 35}, vet)
    with pytest.raises(InteractionRefused):
        read(payload(INCIDENT), config=other_bot)
    other = replace(CALLBACK, secret="another")
    with pytest.raises(InteractionRefused):
        read(
            payload(INCIDENT),
            telegram_interactions.webhook(other, WITH_BUTTONS.config)["secret_token"],
        )
    with pytest.raises(InteractionRefused):
        read(payload(INCIDENT), config=PLAIN.config)


@pytest.mark.parametrize(
    "chat",
    [{"id": GROUP - 1, "type": "supergroup"}, {"id": GROUP, "type": "channel"}, {"id": str(GROUP), "type": "group"}],
)
def test_a_press_in_a_chat_of_no_destination_or_a_channel_gets_a_hint_alone(chat: Any) -> None:
    query = payload(INCIDENT)
    query["callback_query"]["message"]["chat"] = chat

    found = read(query)

    assert isinstance(found, Ignored if chat["type"] == "channel" else Elsewhere)
    assert found.answer == {
        "method": "answerCallbackQuery", "callback_query_id": "q1", "text": OTHER_CHAT, "show_alert": True,
    }  # fmt: skip


def test_a_button_of_another_program_ends_its_waiting() -> None:
    assert read(payload(INCIDENT, act="open")) == Ignored({"method": "answerCallbackQuery", "callback_query_id": "q1"})


@pytest.mark.parametrize(
    "fields",
    [
        None, [], "x", {}, {"update_id": 1}, {"update_id": "x", "callback_query": {}}, {"update_id": 1, "callback_query": None},
        payload(INCIDENT, message=None), payload(INCIDENT, data=None), payload(INCIDENT, **{"from": {"id": "5"}}),
        payload(INCIDENT, **{"from": {"id": True}}), payload(INCIDENT, **{"from": {"id": 2**63}}),
        {"update_id": 1, "message": {"text": "hello"}}, {"update_id": 1, "my_chat_member": {}},
        start("x", chat="group"),
    ],
)  # fmt: skip
def test_an_update_of_another_form_is_ignored_so_that_telegram_does_not_repeat_it(fields: Any) -> None:
    assert read(fields) == Ignored()


def answer(press: Press, text: str = "", url: str = "") -> Any:
    return INTERACTIVE["telegram"].answer_to(press, text, url)


def test_the_answer_ends_the_waiting_or_has_a_hint() -> None:
    press = read(payload(INCIDENT))

    assert answer(press) == {"method": "answerCallbackQuery", "callback_query_id": "q1"}
    assert answer(press, "Not allowed.")["show_alert"] is True
    assert len(answer(press, "x" * 201)["text"]) == 200
    assert answer(press, "Not linked.", "https://inbox.example.org/chat-account/x")["url"] == press.link_url


def test_a_person_whose_bot_has_no_name_gets_a_hint_without_a_link() -> None:
    query = payload(INCIDENT)
    query["callback_query"]["message"]["from"] = {"username": "x/y"}
    press = read(query)

    assert "url" not in answer(press, "Not linked.", "https://inbox.example.org/chat-account/x")


def token_of(press: Press) -> str:
    return press.link_url.removeprefix("https://t.me/inbox_bot?start=")


def test_the_chat_with_the_bot_shows_the_link_to_the_person_who_pressed() -> None:
    token = token_of(read(payload(INCIDENT)))
    assert len(token) <= 64

    found = read(start(token))

    assert isinstance(found, Press)
    assert (found.act, found.account_id, found.reply_to) == (None, str(PERSON), str(PERSON))
    shown = answer(found, "Not linked.", "https://inbox.example.org/chat-account/x")
    assert (shown["method"], shown["chat_id"]) == ("sendMessage", PERSON)
    assert "https://inbox.example.org/chat-account/x" in shown["text"]


def test_a_start_command_without_a_valid_token_gets_no_link() -> None:
    token = token_of(read(payload(INCIDENT)))
    expired = CALLBACK.sign(START, str(PERSON), NOW)
    other_purpose = CALLBACK.sign("mattermost button", str(PERSON), NOW + START_LIFETIME)
    for update in (start(""), start("x"), start(token, user=PERSON + 1), start(expired), start(other_purpose)):
        found = read(update)
        assert isinstance(found, Ignored)
        assert found.answer is not None
        assert found.answer["text"] == NO_START


def test_the_way_to_the_bot_is_open_for_a_quarter_of_an_hour() -> None:
    token = token_of(read(payload(INCIDENT)))

    assert isinstance(read(start(token), later=START_LIFETIME - SECOND), Press)
    assert isinstance(read(start(token), later=START_LIFETIME), Ignored)
