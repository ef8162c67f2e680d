"""A journey with buttons per service: a press links the account, the next one acts, and the message changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask

from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, DeliveryAttempt
from inbox.models.incidents.tables import Incident
from inbox.services.incidents.interactions import NOT_LINKED
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.destinations.kinds.stand_in import OWN_ADDRESS, Stage, staged
from tests.destinations.kinds.test_whole_journeys import Journey, journey_in
from tests.destinations.telegram import Telegram
from tests.stand_ins import discord_requests, mattermost_requests, slack_requests, telegram_requests
from tests.stand_ins.chat_buttons import SERVICES, Sent, call, callback_of
from tests.stand_ins.receivers import Request

PAGE = re.compile(r"/chat-account/([A-Za-z0-9._-]+)")


@dataclass
class Chat:
    """A journey at a service. Its requests are made of what the service got of us."""

    journey: Journey
    stage: Stage
    app: Flask
    presses: int = 0

    @property
    def path(self) -> str:
        """The address of the destination."""
        return f"/v1/destinations/{typeid('dst', Destination.get().id)}/interactions"

    def send(self, sent: Sent) -> Any:
        """What the service is answered."""
        body, headers = sent
        answer = self.app.test_client().post(self.path, data=body, headers=headers)
        assert answer.status_code == 200
        return answer.get_json(silent=True)

    def press(self) -> str:
        """Mia presses the first button of the newest message. It returns the hint that she is shown."""
        self.presses += 1
        sent = PRESS[self.stage.case.kind](self, self.stage.calls()[-1][2], str(self.presses))
        if self.stage.case.kind == "slack" and self.presses == 1:  # its hint would be a call to Slack
            hint = call(Destination.get().id, sent, present()).hint
            return f"{hint.text} {hint.url}" if hint else ""
        answer = self.send(sent)
        return self.start(answer) if "url" in (answer or {}) else str(answer)

    def start(self, answer: Any) -> str:
        """Telegram opens the chat with the bot, and Mia presses Start."""
        assert (answer["method"], answer["text"]) == ("answerCallbackQuery", NOT_LINKED)
        token = answer["url"].removeprefix("https://t.me/inbox_bot?start=")
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", token)
        reply = self.send(telegram_requests.signed(telegram_requests.start(token, id="100"), webhook_secret(self)))
        assert (reply["method"], reply["chat_id"]) == ("sendMessage", telegram_requests.PERSON)
        return str(reply["text"])

    def link(self, hint: str) -> None:
        """Mia opens the page of the hint and links her account."""
        mia = Browser(self.app, OWN_ADDRESS, cookie=self.journey.cast.cookie("mia"))
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        (token,) = PAGE.findall(hint)
        assert mia.call("POST", f"/chat-account/{token}", headers=form).status_code == 200


def slack(chat: Chat, request: Request, id: str) -> Sent:
    incident = request.json["blocks"][-1]["elements"][1]["value"]
    return slack_requests.signed(slack_requests.payload(incident, trigger_id=id), present())


def discord(chat: Chat, request: Request, id: str) -> Sent:
    act, _, incident = request.json["components"][0]["components"][0]["custom_id"].partition(":")
    return discord_requests.signed(discord_requests.payload(incident, act=act, id=id), present())


def telegram(chat: Chat, request: Request, id: str) -> Sent:
    data = request.json["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
    return telegram_requests.signed(telegram_requests.payload("", id=id, data=data), webhook_secret(chat))


def webhook_secret(chat: Chat) -> str:
    service = chat.stage.service
    assert isinstance(service, Telegram)
    return str(service.webhook["secret_token"])


def mattermost(chat: Chat, request: Request, id: str) -> Sent:
    integration = request.json["props"]["attachments"][0]["actions"][0]["integration"]
    assert integration["url"].endswith(chat.path)
    return mattermost_requests.sent(mattermost_requests.payload(integration["context"]["token"], id=id))


PRESS: dict[str, Callable[[Chat, Request, str], Sent]] = {
    "slack": slack,
    "discord": discord,
    "telegram": telegram,
    "mattermost": mattermost,
}


@pytest.mark.parametrize("kind", list(SERVICES))
def test_an_incident_is_acknowledged_by_a_button_of_its_message(kind: str, app: Flask, cast: Cast) -> None:
    case = SERVICES[kind].case
    with staged(case) as stage:
        chat = Chat(journey_in(app, cast, stage.client), stage, app)
        journey, shown = chat.journey, stage.service.messages
        journey.listen(kind, case.settings)
        stage.callback = callback_of(Destination.get())
        stage.send("test")
        shown.clear()
        journey.event()
        (first,) = shown

        hint = chat.press()
        assert (journey.state, NOT_LINKED in hint) == ("open", True)
        chat.link(hint)
        chat.press()
        journey.work()

        assert journey.state == "acknowledged"
        assert Incident.get().acknowledged_by == cast.users["mia"].id
        assert "ACKNOWLEDGED" in shown[first]
        journey.event(severity="SUCCESS", action="resolve")
        assert "RESOLVED" in shown[first]
        assert list(shown) == [first]
        assert {each.status for each in Delivery.select()} == {"sent"}
        assert all(
            secret not in (each.requests or "") for each in DeliveryAttempt.select() for secret in secrets(stage)
        )


def secrets(stage: Stage) -> list[str]:
    """What must not be stored with the attempts."""
    sent = "".join(request.body.decode() for _, _, request in stage.calls())
    tokens = re.findall(r"svc_btn_[A-Za-z0-9_-]+", sent)
    return [*stage.config.secrets.values(), *tokens, *slack_requests.SIGNING_SECRET.split()]
