"""Telegram: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from inbox.destinations.layout import utf8_length, utf16_length
from tests.destinations.kinds.rates import limited, whole
from tests.destinations.kinds.stand_in import (
    MESSAGE,
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

TELEGRAM_TOKEN = "123456:SecretOfTelegram-0000000000000000000"
METHODS = {"sendMessage": "TelegramPost", "editMessageText": "TelegramChange", "setWebhook": "TelegramWebhook"}
"""The published types by method."""


class Telegram(StandIn):
    """Telegram, with a bot in a topic of a group."""

    origin = "https://api.telegram.org"
    group = -1001234567890
    webhook: Mapping[str, Any] = MappingProxyType({})
    """The arguments of the last `setWebhook`."""

    def answer(self, request: Request) -> Answer:
        method = request.path.removeprefix(f"/bot{TELEGRAM_TOKEN}/")
        fields = json_of(request)
        if method == "setWebhook":
            members(fields, "url secret_token allowed_updates")
            assert re.fullmatch(r"https?://[^/]+/v1/destinations/dst_[0-9a-z]+/interactions", fields["url"])
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,256}", fields["secret_token"])
            self.webhook = fields
            return given(200, {"ok": True, "result": True, "description": "Webhook was set"})
        assert fields["chat_id"] == self.group
        assert fields["link_preview_options"] == {"is_disabled": True}
        text = fields["text"].removeprefix(self.mention)
        shown = read_html(text, "b a") if fields.get("parse_mode") == "HTML" else text
        assert not re.search(r"@\w", text_of(shown, 4_096, utf16_length))
        for row in members(fields.get("reply_markup", {"inline_keyboard": []}), "inline_keyboard")["inline_keyboard"]:
            assert 0 < len(row) <= 8
            for button in row:
                self._button(members(button, "text", "url callback_data"))
        if method == "editMessageText":
            members(fields, "chat_id message_id text link_preview_options", "parse_mode reply_markup")
            id = str(fields["message_id"])
            if id not in self.messages:
                return self.refused(400, "Bad Request: message to edit not found")
            if self.messages[id] == shown:
                return self.refused(
                    400, "Bad Request: message is not modified: specified new message content is the same"
                )
            self.messages[id] = shown
            return given(200, {"ok": True, "result": {"message_id": int(id), "chat": {"id": self.group}}})
        assert method == "sendMessage"
        optional = "parse_mode disable_notification reply_parameters reply_markup"
        members(fields, "chat_id message_thread_id text link_preview_options", optional)
        assert fields["message_thread_id"] == 7
        assert fields.get("reply_parameters", {}).get("allow_sending_without_reply", True) is True
        id = self.show(shown, str(1_000 + len(self.alerts)))
        if fields.get("disable_notification"):
            self.alerts.pop()
        return given(200, {"ok": True, "result": {"message_id": int(id), "chat": {"id": self.group}}})

    @staticmethod
    def _button(button: Any) -> None:
        if "url" in button:
            assert own_link(members(button, "text url")["url"])
        else:
            assert re.fullmatch(
                r"(acknowledge|resolve|take|escalate):inc_[0-9a-z]{26}",
                text_of(button["callback_data"], 64, utf8_length),
            )

    @staticmethod
    def refused(status: int, description: str, **parameters: int) -> Answer:
        """An answer in the form of errors."""
        fields = {"ok": False, "error_code": status, "description": description}
        return given(status, {**fields, **({"parameters": parameters} if parameters else {})})


def too_many(wait: timedelta) -> Answer:
    """The body alone has the time."""
    description = f"Too Many Requests: retry after {whole(wait)}"
    fields = {"ok": False, "error_code": 429, "description": description}
    return limited({**fields, "parameters": {"retry_after": whole(wait)}})


CASES = (
    Case(
        "telegram",
        "telegram",
        {"token": TELEGRAM_TOKEN, "chatId": str(Telegram.group), "topicId": 7},
        Telegram,
        edits=True,
        too_many=too_many,
        with_address=lambda address: {"server": address},
        published=lambda call: METHODS[call["url"].rpartition("/")[2]],
    ),
)
ANSWERS: list[Row] = [
    ("telegram", Telegram.refused(429, "Too Many Requests: retry after 33", retry_after=33), RETRY, 33),
    ("telegram", Telegram.refused(502, "Bad Gateway"), RETRY, None),
    ("telegram", Answer(200, b"<html>a page of the network</html>"), RETRY, None),
    *(("telegram", Telegram.refused(400, f"Bad Request: {words}"), MESSAGE, None) for words in (
        "message is too long", "message text is empty", "BUTTON_DATA_INVALID",
    )),
    ("telegram", Telegram.refused(401, "Unauthorized"), STOP, None),
    ("telegram", Telegram.refused(404, "Not Found"), STOP, None),
    *(("telegram", Telegram.refused(403, f"Forbidden: {words}"), STOP, None) for words in (
        "bot was blocked by the user", "bot was kicked from the supergroup chat", "user is deactivated",
        "the group chat was deleted",
    )),
    *(("telegram", Telegram.refused(400, f"Bad Request: {words}"), STOP, None) for words in (
        "chat not found", "not enough rights to send text messages to the chat", "message thread not found",
        "TOPIC_CLOSED", "need administrator rights in the channel chat",
    )),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

GONE = [
    ("telegram", Telegram.refused(400, "Bad Request: message to edit not found")),
    ("telegram", Telegram.refused(400, "Bad Request: message can't be edited")),
    ("telegram", Telegram.refused(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-100999)),
]  # fmt: skip
"""The answers to a change of a message that cannot be changed."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("telegram", {"token": "SecretToken", "chatId": "my group"}, {"token", "chatId"}),
    ("telegram", {"topicId": "7"}, {"topicId"}),
    ("telegram", {"topicId": True, "server": "ftp://bad"}, {"topicId", "server"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("telegram", "server", {"token"}),
    ("telegram_server", "server", {"token"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

MORE_SETTINGS = {
    "telegram_server": {**CASES[0].settings, "server": "https://tg.example.org/bots/"},
}
"""Further forms of the settings, by name."""

OTHER_TEXTS = {"chatId": "-42"}
"""Another value of each field that takes a text and is no secret."""

MENTIONS = [
    ("telegram", "@olga_ops", "@olga_ops "),
    ("telegram", "123456789", '<a href="tg://user?id=123456789">@123456789</a> '),
]
"""Settings of a mention, and what a message has then."""

EFFECTS = ("<script", "<b>bold", "@everyone")
"""What a text of a sender must not contain in the request of a digest."""
