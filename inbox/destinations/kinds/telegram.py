"""Telegram: a message of a bot to a person, a group, or a topic of a group. It is kept up to date for its incident."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, FieldDescription, FieldType, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.kinds.service import Answer, EditingKind, call
from inbox.destinations.layout import cut, escape_html, utf16_length
from inbox.domain.delivery import FailureReason, Receipt
from inbox.domain.explanation.notice_content import NoticeContent

API = "https://api.telegram.org"
LONGEST_TEXT = 4_096
WRONG = (
    *("chat not found", "not enough rights", "message thread not found", "topic_closed", "chat_write_forbidden"),
    *("group chat was deleted", "bot was kicked", "bot was blocked", "user is deactivated", "bot is not a member"),
)
"""Parts of descriptions after which only a person can help. Telegram documents no codes."""

GONE = ("message to edit not found", "message can't be edited", "message_id_invalid")
UNCHANGED = "message is not modified"


class Telegram(EditingKind):
    """The settings are `{token, chatId, topicId, server}`."""

    description = KindDescription(
        kind="telegram",
        label="Telegram",
        summary="A message of a bot. It is kept up to date for its incident.",
        target="chatId",
        can=Abilities(edits=True, threads=True),
        limits=Limits(text_length=LONGEST_TEXT, pace_seconds=3.0),
        fields=(
            FieldDescription(
                name="token",
                label="Bot token",
                type=FieldType.SECRET,
                help="@BotFather gives it when it makes a bot.",
                example="123456:XXXX",
                secret=True,
                hint_name="tokenHint",
                pattern=r"[0-9]{3,20}:[A-Za-z0-9_-]{20,100}",
            ),
            FieldDescription(
                name="chatId",
                label="Chat id",
                type=FieldType.TEXT,
                help="A number, negative for a group, or the @name of a channel. The bot must be a member.",
                example="-1001234567890",
                pattern=r"-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31}",
            ),
            FieldDescription(
                name="topicId",
                label="Topic id",
                type=FieldType.NUMBER,
                help="Only for a topic of a group.",
                example="7",
                required=False,
            ),
            FieldDescription(
                name="server",
                label="Bot API server",
                type=FieldType.URL,
                help="Only for a Bot API server of your own.",
                example=API,
                required=False,
            ),
        ),
    )

    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        return self._send(config, client, layout(message.content))

    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        place = {"chat_id": message.reference["chatId"], "message_id": message.reference["messageId"]}
        answer = self._call(config, client, "editMessageText", {**place, **layout(message.content)})
        words = _words(answer)
        if UNCHANGED in words:
            return Receipt(200, duration_ms=answer.receipt.duration_ms)
        return None if any(each in words for each in GONE) else receipt_of(answer)

    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        content = message.content
        to = {"message_id": message.reference["messageId"], "allow_sending_without_reply": True}
        text = f"<b>{content.status}</b> {escape_html(content.sentence)}"
        return replace(self._send(config, client, {**_TEXT, "text": text, "reply_parameters": to}), reference=None)

    def _send(self, config: Config, client: Client, body: dict[str, Any]) -> Receipt:
        place: dict[str, Any] = {"chat_id": _chat_id(config.public["chatId"])}
        if "topicId" in config.public:
            place["message_thread_id"] = config.public["topicId"]
        answer = self._call(config, client, "sendMessage", {**place, **body})
        moved = _parameter(answer, "migrate_to_chat_id")
        if moved is not None:  # a group became a supergroup, which has another id
            answer = self._call(config, client, "sendMessage", {**place, **body, "chat_id": moved})
        result = answer.fields.get("result")
        if answer.receipt.status_code != 200 or not isinstance(result, dict):
            return receipt_of(answer)
        return answer.kept(chatId=moved or place["chat_id"], messageId=result.get("message_id"))

    def _call(self, config: Config, client: Client, method: str, body: dict[str, Any]) -> Answer:
        server = str(config.public.get("server", API)).rstrip("/")
        return call(client, "POST", f"{server}/bot{config.secrets['token']}/{method}", body)


_TEXT = {"parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}


def layout(content: NoticeContent) -> dict[str, Any]:
    """The text of a message. Its length counts without the tags."""
    head = f"{content.symbol} {content.headline}"
    rest = [content.sentence, *(f"{fact.label}: {fact.value}" for fact in content.facts)]
    body = cut("\n".join(rest), LONGEST_TEXT - utf16_length(head) - 10, utf16_length)
    link = f'<a href="{escape_html(content.url)}">Open</a>'
    return {**_TEXT, "text": f"<b>{escape_html(head)}</b>\n{escape_html(body)}\n{link}"}


def receipt_of(answer: Answer) -> Receipt:
    """What an answer means beyond its status. A pause is in seconds in the body."""
    pause = _parameter(answer, "retry_after")
    if answer.receipt.status_code == 429:
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=timedelta(seconds=pause) if pause else None)
    if any(each in _words(answer) for each in WRONG):
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.receipt


def _parameter(answer: Answer, name: str) -> int | None:
    parameters = answer.fields.get("parameters")
    value = parameters.get(name) if isinstance(parameters, dict) else None
    return value if isinstance(value, int) else None


def _words(answer: Answer) -> str:
    return str(answer.fields.get("description", "")).lower()


def _chat_id(text: str) -> int | str:
    return text if text.startswith("@") else int(text)
