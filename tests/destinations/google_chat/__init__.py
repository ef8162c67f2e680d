"""Google Chat: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from tests.destinations.kinds.notice_bodies import INCIDENT
from tests.destinations.kinds.rates import limited
from tests.destinations.kinds.stand_in import (
    MESSAGE,
    OWN_ADDRESS,
    RETRY,
    STOP,
    Case,
    Row,
    StandIn,
    given,
    json_of,
    members,
    own_link,
    read_html,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

GOOGLE_PATH = "/v1/spaces/AAAA/messages?key=PublicKey&token=SecretOfGoogle"


class GoogleChat(StandIn):
    """Google Chat, by a webhook. Messages are shown by the key of their thread."""

    origin = "https://chat.googleapis.com"

    def answer(self, request: Request) -> Answer:
        fields = members(json_of(request), "cardsV2", "fallbackText thread text")
        assert fields.get("text", "").removeprefix(self.mention) == ""
        assert len(request.body) <= 32_000
        option = "&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD" if "thread" in fields else ""
        assert request.path == GOOGLE_PATH + option
        key = members(fields.get("thread", {"threadKey": INCIDENT}), "threadKey")["threadKey"]
        assert key == INCIDENT or (re.fullmatch(r"inc_[0-9a-z]{26}", key) and OWN_ADDRESS in request.body.decode())
        assert not re.search(r"<\w", fields["fallbackText"])
        (wrapped,) = fields["cardsV2"]
        members(wrapped, "cardId card")
        name = f"spaces/AAAA/messages/{self.show(self._read(wrapped['card']))}"
        return given(200, {"name": name, "thread": {"name": "spaces/AAAA/threads/t1"}})

    def _read(self, card: Any) -> str:
        members(card, "sections", "header")
        assert {*card["header"]} <= {"title", "subtitle"}
        texts = [card["header"]["title"]]
        for section in card["sections"]:
            assert 0 < len(section["widgets"]) <= 100
            texts += [self._widget(widget) for widget in section["widgets"]]
        return "\n".join(texts)

    def _widget(self, widget: Any) -> str:
        match widget:
            case {"textParagraph": {"text": text}}:
                return read_html(text_of(text, 10_000), "b font br")
            case {"decoratedText": {"topLabel": str(), "text": text}}:
                return read_html(text_of(text, 10_000), "")
            case {"buttonList": {"buttons": buttons}}:
                for button in buttons:
                    own_link(members(button, "text onClick")["onClick"]["openLink"]["url"])
                return " ".join(button["text"] for button in buttons)
        raise AssertionError(widget)


def refused(status: int, word: str, message: str = "") -> Answer:
    return given(status, {"error": {"code": status, "status": word, "message": message}})


def too_many(wait: timedelta) -> Answer:
    """No time is named."""
    return limited({"error": {"code": 429, "message": "Resource exhausted", "status": "RESOURCE_EXHAUSTED"}})


CASES = (
    Case(
        "google_chat",
        "google_chat",
        {"url": GoogleChat.origin + GOOGLE_PATH},
        GoogleChat,
        too_many=too_many,
        names_wait=False,
        published="GoogleChat",
    ),
)
ANSWERS: list[Row] = [
    ("google_chat", refused(429, "RESOURCE_EXHAUSTED"), RETRY, None),
    ("google_chat", refused(400, "INVALID_ARGUMENT", "Invalid JSON payload received."), MESSAGE, None),
    ("google_chat", refused(400, "INVALID_ARGUMENT", "Invalid value at 'message.thread.threadKey'"), MESSAGE, None),
    ("google_chat", refused(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), STOP, None),
    ("google_chat", refused(400, "INVALID_ARGUMENT", "The webhook token is invalid"), STOP, None),
    ("google_chat", refused(403, "PERMISSION_DENIED"), STOP, None),
    ("google_chat", refused(404, "NOT_FOUND"), STOP, None),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("google_chat", {"url": "https://chat.googleapis.com/v1/spaces/A/SecretAddress"}, {"url"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

MENTIONS = [
    ("google_chat", "all", "<users/all>"),
    ("google_chat", "1234567890", "<users/1234567890>"),
]
"""Settings of a mention, and what a message has then."""

EFFECTS = ("<script", "<users/all>", "<b>bold")
"""What a text of a sender must not contain in the request of a digest."""
