"""Stand-ins of Microsoft Teams, Google Chat and Matrix, as strict as their documentation."""

from __future__ import annotations

import re
from typing import Any

from tests.destinations.kinds.notice_bodies import INCIDENT
from tests.destinations.kinds.stand_in import (
    OWN_ADDRESS,
    StandIn,
    bearer,
    given,
    json_of,
    members,
    own_link,
    read_html,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

TEAMS_PATH = "/workflows/a0/triggers/manual/paths/invoke?api-version=1&sig=Secret%2Bof-Teams"
GOOGLE_PATH = "/v1/spaces/AAAA/messages?key=PublicKey&token=SecretOfGoogle"
MATRIX_TOKEN, MATRIX_ROOM = "syt_SecretOfMatrix", "!abcdefg:example.org"
LARGEST_EVENT = 40 * 1024
"""Of Matrix, in bytes. An event may have 64 KiB with what servers add to it."""

_ROOM = "/_matrix/client/v3/rooms/%21abcdefg%3Aexample.org/send/m.room.message/"


class Teams(StandIn):
    """Microsoft Teams, by a workflow. It takes an adaptive card of version 1.4."""

    origin = "https://prod-00.westeurope.logic.azure.com"

    def answer(self, request: Request) -> Answer:
        assert request.path == TEAMS_PATH, "the signature was written in another way"
        assert len(request.body) <= 20 * 1024
        message = members(json_of(request), "type attachments")
        assert message["type"] == "message"
        (attachment,) = message["attachments"]
        members(attachment, "contentType contentUrl content")
        assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
        self.show(self._read(attachment["content"]))
        return Answer(202)

    def _read(self, card: Any) -> str:
        members(card, "$schema type version body", "fallbackText msteams actions")
        assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
        for action in card["actions"]:
            members(action, "type title url")
            assert action["type"] == "Action.OpenUrl"
            own_link(action["url"])
        texts = [text for element in card["body"] for text in self._texts(element)]
        for text in texts:
            assert not re.search(r"[*_\[\]`#](?!\u200b)", text), text
            assert not re.search(r"(?<!\n)\n(?!\n)", text), "a single line break is not shown"
        return "\n".join(texts)

    def _texts(self, element: Any) -> list[str]:
        if element["type"] == "FactSet":
            assert members(element, "type facts")["facts"]
            return [text_of(members(fact, "title value")["value"], 1_000) for fact in element["facts"]]
        members(element, "type text", "size weight color wrap")
        assert element["type"] == "TextBlock"
        assert element["wrap"] is True
        assert element.get("color", "Default") in ("Default", "Good", "Warning", "Attention")
        return [text_of(element["text"], 10_000)]


class GoogleChat(StandIn):
    """Google Chat, by a webhook. Messages are shown by the key of their thread."""

    origin = "https://chat.googleapis.com"

    def answer(self, request: Request) -> Answer:
        fields = members(json_of(request), "cardsV2", "fallbackText thread")
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
                return read_html(text_of(text, 10_000), "b font")
            case {"decoratedText": {"topLabel": str(), "text": text}}:
                return read_html(text_of(text, 10_000), "")
            case {"buttonList": {"buttons": buttons}}:
                for button in buttons:
                    own_link(members(button, "text onClick")["onClick"]["openLink"]["url"])
                return " ".join(button["text"] for button in buttons)
        raise AssertionError(widget)


class Matrix(StandIn):
    """Matrix. A repeated transaction id gives the event of the first call."""

    origin = "https://matrix.example.org"

    def __init__(self) -> None:
        super().__init__()
        self.transactions: dict[str, str] = {}

    def answer(self, request: Request) -> Answer:
        bearer(request, MATRIX_TOKEN)
        event = json_of(request, "PUT")
        assert len(request.body) <= LARGEST_EVENT
        assert request.path.startswith(_ROOM), request.path
        transaction = request.path.removeprefix(_ROOM)
        assert re.fullmatch(r"[A-Za-z0-9._~-]+", transaction)
        if transaction not in self.transactions:
            self.transactions[transaction] = self._take(event)
        return given(200, {"event_id": self.transactions[transaction]})

    def _take(self, event: Any) -> str:
        relation = event.get("m.relates_to", {})
        assert ("m.new_content" in event) == (relation.get("rel_type") == "m.replace")
        text = self._read(
            {name: value for name, value in event.items() if name not in ("m.relates_to", "m.new_content")}
        )
        match relation.get("rel_type"):
            case "m.replace":
                members(relation, "rel_type event_id")
                assert event["body"].startswith("* ")
                assert relation["event_id"] in self.messages
                self.messages[relation["event_id"]] = self._read(event["m.new_content"])
                return f"$edit{len(self.transactions)}"
            case "m.thread":
                members(relation, "rel_type event_id is_falling_back m.in_reply_to")
                assert relation["event_id"] in self.messages
                assert relation["is_falling_back"] is True
                assert relation["m.in_reply_to"] == {"event_id": relation["event_id"]}
            case _:
                assert relation == {}
        return self.show(text, f"$event{len(self.transactions)}")

    def _read(self, content: Any) -> str:
        members(content, "msgtype body m.mentions", "format formatted_body")
        assert content["msgtype"] in ("m.text", "m.notice")
        assert content["m.mentions"] == {}
        text_of(content["body"], LARGEST_EVENT)
        if "formatted_body" not in content:
            assert "format" not in content
            return text_of(content["body"], 10_000)
        assert content["format"] == "org.matrix.custom.html"
        return read_html(content["formatted_body"], "b br a")
