"""Telegram: posts a message to a person, group or topic, and updates it for its incident."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from inbox.destinations import mentions, setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, FieldDescription, FieldType, KindDescription, Limits, Personal
from inbox.destinations.http import Client
from inbox.destinations.interactions import Elsewhere, Ignored, InteractionRefused, InteractionRequest, Press
from inbox.destinations.layout import (
    break_mentions,
    cut,
    digest_lines,
    escape_html,
    fitting_links,
    html_link,
    linked_line,
    plain_link,
    utf16_length,
)
from inbox.destinations.service import Answer, EditingKind, call, pause
from inbox.destinations.telegram import interactions as telegram_interactions
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import TEST, DigestLine, NoticeContent
from inbox.domain.values.refusals import Fault

API = "https://api.telegram.org"
LONGEST_TEXT = 4_096
LINK_ROOM, LONGEST_PLAIN_LINKS = 80, 1_000
"""The shown length of a mention and the line of links, `Open · Runbook · Open in sender`.

The second is the longest form of the links as plain text.
"""

WRONG = (
    *("chat not found", "not enough rights", "message thread not found", "topic_closed", "chat_write_forbidden"),
    *("group chat was deleted", "bot was kicked", "bot was blocked", "user is deactivated", "bot is not a member"),
    *("need administrator rights", "have no rights", "chat_admin_required", "peer_id_invalid", "topic_deleted"),
)
"""Parts of error descriptions that only a person can fix. Telegram documents no codes."""

GONE = ("message to edit not found", "message can't be edited", "message_id_invalid")
UNCHANGED = "message is not modified"
UNREADABLE = ("can't parse entities", "button_url_invalid", "wrong http url", "url is invalid")
"""Telegram refused the markup or the address of a button. The message is sent again as plain text without buttons."""


class Telegram(EditingKind):
    """Settings: `{token, chatId, topicId, server}`.

    With buttons, a test notice registers the callback address at Telegram.
    """

    repeats_refused: ClassVar[bool] = True

    description = KindDescription(
        kind="telegram",
        position=40,
        label="Telegram",
        summary="A message from a bot. It is kept up to date for its incident.",
        target="chatId",
        can=Abilities(edits=True, threads=True, action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_TEXT, pace_seconds=3.0),
        personal=Personal(
            "chatId",
            "Telegram",
            without=("topicId", setting_fields.BUTTONS, mentions.MENTION, mentions.MENTION_FROM),
            pattern=r"[0-9]{1,20}",
        ),
        fields=(
            setting_fields.token(
                "Bot token",
                "@BotFather shows it when you create a bot.",
                "123456:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
                pattern=r"[0-9]{3,20}:[A-Za-z0-9_-]{20,100}",
            ),
            setting_fields.text(
                "chatId",
                "Chat id",
                "A number, negative for a group, or the @name of a channel. The bot must be a member.",
                "-1001234567890",
                pattern=r"-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31}",
            ),
            FieldDescription(
                name="topicId",
                label="Topic id",
                type=FieldType.NUMBER,
                help="Only to post to a topic of a group.",
                example="7",
                required=False,
            ),
            setting_fields.server(
                "Bot API server", "Only for your own Bot API server.", API, required=False, when_absent=API
            ),
            setting_fields.action_links(),
            setting_fields.buttons("Telegram", "No other program may use the bot. A test notice turns the buttons on."),
            *mentions.fields(
                "The name or the id of a user in the group, who is notified of messages in a muted group.",
                "@olga_ops",
                r"@?[A-Za-z][A-Za-z0-9_]{3,31}|[0-9]{3,20}",
            ),
        ),
    )

    def faults(self, config: Config) -> list[Fault]:
        if config.public.get(setting_fields.BUTTONS) and config.public["chatId"].startswith("@"):
            return [Fault("/config/chatId", "must be the number of a chat: channels have no buttons that act")]
        return []

    def press(self, request: InteractionRequest, config: Config) -> Press | Ignored | Elsewhere:
        if not config.public.get(setting_fields.BUTTONS):
            raise InteractionRefused
        telegram_interactions.verify(request, config)
        return telegram_interactions.read(request, config)

    def answer_to(self, press: Press, text: str, url: str) -> Mapping[str, Any]:
        return telegram_interactions.answer(press, text, url)

    def hint(self, press: Press, text: str, url: str, client: Client) -> None:
        """Does nothing, because the answer already contains the hint."""

    def place(self, config: Config) -> str | None:
        return "/".join(str(config.public[name]) for name in ("chatId", "topicId") if name in config.public)

    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        content, has_buttons = message.content, bool(config.public.get(setting_fields.BUTTONS))
        if has_buttons and content.reason == TEST and message.callback is not None:
            arguments = telegram_interactions.webhook(message.callback, config)
            registered = receipt_of(call(client, "POST", _url(config, "setWebhook"), arguments))
            if not registered.is_accepted:
                return registered
        silent = {"disable_notification": True} if content.is_quiet else {}
        body = layout(content, has_buttons=has_buttons)
        text = _mention(content, config) + body["text"]
        return self._send(config, client, {**body, "text": text, **silent}, content)

    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        place = {"chat_id": message.reference["chatId"], "message_id": message.reference["messageId"]}
        has_buttons = bool(config.public.get(setting_fields.BUTTONS))
        body = {**place, **layout(message.content, has_buttons=has_buttons)}
        answer = self._call(config, client, "editMessageText", body, message.content)
        words = _words(answer)
        if UNCHANGED in words:
            return Receipt(200, duration_ms=answer.receipt.duration_ms)
        is_gone = any(each in words for each in GONE) or _parameter(answer, "migrate_to_chat_id") is not None
        return None if is_gone else receipt_of(answer)

    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        content = message.content
        to = {"message_id": message.reference["messageId"], "allow_sending_without_reply": True}
        title, sentence = (escape_html(break_mentions(text)) for text in (content.title, content.text))
        text = f"{_mention(content, config)}<b>{content.status}</b> {title}\n{sentence}"
        body = {**_TEXT, "text": text, "reply_parameters": to}
        return replace(self._send(config, client, body, content), reference=None)

    def _send(self, config: Config, client: Client, body: dict[str, Any], content: NoticeContent) -> Receipt:
        place: dict[str, Any] = {"chat_id": _chat_id(config.public["chatId"])}
        if "topicId" in config.public:
            place["message_thread_id"] = config.public["topicId"]
        answer = self._call(config, client, "sendMessage", {**place, **body}, content)
        moved = _parameter(answer, "migrate_to_chat_id")
        if moved is not None:  # a group became a supergroup, which has another id
            answer = self._call(config, client, "sendMessage", {**place, **body, "chat_id": moved}, content)
        result, receipt = answer.fields.get("result"), receipt_of(answer)
        id = result.get("message_id") if isinstance(result, dict) else None
        if not receipt.is_accepted or not isinstance(id, int):
            return receipt
        return answer.with_reference(chatId=moved or place["chat_id"], messageId=id)

    def _call(
        self, config: Config, client: Client, method: str, body: dict[str, Any], content: NoticeContent
    ) -> Answer:
        url = _url(config, method)
        answer = call(client, "POST", url, body)
        if not any(each in _words(answer) for each in UNREADABLE):
            return answer
        text = break_mentions(content.plain_text + fitting_links(content, LONGEST_PLAIN_LINKS, plain_link))
        plain = {name: value for name, value in body.items() if name not in ("parse_mode", "reply_markup")}
        return call(client, "POST", url, {**plain, "text": cut(text, LONGEST_TEXT, utf16_length)})


_TEXT = {"parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}


def _mention(content: NoticeContent, config: Config) -> str:
    """Returns the mention of a new message in HTML, with a space behind it; empty without one."""
    mentioned = mentions.of_notice(content, config.public)
    if not mentioned:
        return ""
    return f'<a href="tg://user?id={mentioned}">@{mentioned}</a> ' if mentioned.isdecimal() else f"@{mentioned} "


def _url(config: Config, method: str) -> str:
    server = str(config.public.get("server", API)).rstrip("/")
    return f"{server}/bot{config.secrets['token']}/{method}"


def layout(content: NoticeContent, *, has_buttons: bool = False) -> dict[str, Any]:
    """Returns the text of a message, whose length counts without the tags.

    With `has_buttons` the buttons act in Telegram.
    """
    head = break_mentions(f"{content.symbol} {content.headline}")
    rest = [content.text, *(f"{fact.label}: {fact.value}" for fact in content.facts)]
    body = cut(break_mentions("\n".join(rest)), LONGEST_TEXT - utf16_length(head) - LINK_ROOM, utf16_length)
    room = LONGEST_TEXT - utf16_length(head) - utf16_length(body) - LINK_ROOM
    lines = digest_lines(content, room, _line, length=_shown_length)
    link = " · ".join(html_link(*each) for each in (("Open", content.url), *content.links))
    links = [{"text": each.label, "url": each.url} for each in content.action_links]
    buttons = telegram_interactions.buttons(content) if has_buttons else links
    keyboard = {"reply_markup": {"inline_keyboard": [buttons]}} if buttons else {}
    return {**_TEXT, **keyboard, "text": f"<b>{escape_html(head)}</b>\n{escape_html(body)}{lines}\n{link}"}


def _line(line: DigestLine) -> str:
    return linked_line(line, lambda text: escape_html(break_mentions(text)), html_link)


def _shown_length(text: str) -> int:
    """Returns the length as Telegram counts, without tags. Entities count longer than they are, which is harmless."""
    return utf16_length(re.sub(r"<[^>]*>", "", text))


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer. The body has the pause in seconds."""
    if answer.receipt.status_code == 429:
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=pause(_parameter(answer, "retry_after")))
    if any(each in _words(answer) for each in WRONG):
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    if answer.receipt.is_accepted and answer.fields.get("ok") is not True:
        return answer.failed(FailureReason.BAD_RESPONSE)
    return answer.receipt


def _parameter(answer: Answer, name: str) -> int | None:
    parameters = answer.fields.get("parameters")
    value = parameters.get(name) if isinstance(parameters, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _words(answer: Answer) -> str:
    return answer.word("description").lower()


def _chat_id(text: str) -> int | str:
    return text if text.startswith("@") else int(text)


KIND = Telegram()
