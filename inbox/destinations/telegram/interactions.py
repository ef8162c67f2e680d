"""Buttons of Telegram: verifies a request, reads the pressed button, and answers by a call of the Bot API.

Telegram repeats a request until it is answered with 2xx. So a verified request of another form is ignored, not refused.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from inbox.destinations.base import Config
from inbox.destinations.callbacks import Callback, TokenRefused
from inbox.destinations.interactions import (
    ACTS,
    LINK_LABEL,
    Elsewhere,
    Ignored,
    InteractionRefused,
    InteractionRequest,
    Press,
    display_name,
    labels,
    reading,
)
from inbox.domain.explaining.notice_content import NoticeContent

SECRET = "x-telegram-bot-api-secret-token"
WEBHOOK, START = "telegram webhook ", "telegram start"
"""Purposes of the tokens that the callback signs."""

START_LIFETIME = timedelta(minutes=15)
CHATS = frozenset({"private", "group", "supergroup"})
LONGEST_HINT = 200
OTHER_CHAT = "This chat is not the one of the destination in the inbox. Its id may have changed."
NO_START = "Press a button of a message to link your account."


def webhook(callback: Callback, config: Config) -> Mapping[str, Any]:
    """Returns the arguments of `setWebhook`."""
    return {
        "url": callback.url,
        "secret_token": _secret(callback, config),
        "allowed_updates": ["callback_query", "message"],
    }


def verify(request: InteractionRequest, config: Config) -> None:
    """Checks the secret of the request. Raises `InteractionRefused`."""
    expected, given = _secret(request.callback, config), request.headers.get(SECRET, "")
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise InteractionRefused


def read(request: InteractionRequest, config: Config) -> Press | Ignored | Elsewhere:
    """Returns the press that a verified request reports."""
    try:
        with reading():
            update = json.loads(request.body)
            key = str(int(update["update_id"]))
            if "callback_query" in update:
                return _press(update["callback_query"], key, request, config)
            return _start(update["message"], key, request, config)
    except InteractionRefused:
        return Ignored()


def answer(press: Press, text: str, url: str) -> Mapping[str, Any]:
    """Returns the answer to a press: a hint visible only to the person who pressed, or the end of waiting.

    A hint cannot show a link. So the answer opens the person's chat with the bot, which shows it.
    """
    if press.act is None:
        linked_text = f"{text}\n{LINK_LABEL}: {url}" if url else text
        return _message(press.reply_to, linked_text)
    if not text:
        return _answered(press.reply_to)
    if url and press.link_url:
        return _answered(press.reply_to, text=text[:LONGEST_HINT], url=press.link_url)
    return _answered(press.reply_to, text=text[:LONGEST_HINT], show_alert=True)


def buttons(content: NoticeContent) -> list[dict[str, Any]]:
    """Returns the row of buttons of a message; empty when no action is possible."""
    return [{"text": label, "callback_data": f"{label.lower()}:{content.incident_id}"} for label in labels(content)]


def _press(
    query: Mapping[str, Any], key: str, request: InteractionRequest, config: Config
) -> Press | Ignored | Elsewhere:
    message, id = query["message"], str(query["id"])
    other_chat = _answered(id, text=OTHER_CHAT, show_alert=True)
    if message["chat"]["type"] not in CHATS:
        return Ignored(other_chat)
    if message["chat"]["id"] != int(config.public["chatId"]):
        return Elsewhere({"chatId": str(message["chat"]["id"])}, other_chat)
    act, _, incident = query["data"].partition(":")
    if act not in ACTS:
        return Ignored(_answered(id))
    person, bot = _person(query), message.get("from", {}).get("username", "")
    start = request.callback.sign(START, str(person), request.at + START_LIFETIME)
    return Press(
        account_id=_account(person, config),
        account_name=_name(query),
        act=ACTS[act],
        incident_id=incident,
        replay_key=key,
        reply_to=id,
        link_url=f"https://t.me/{bot}?start={start}" if re.fullmatch(r"[A-Za-z0-9_]{3,32}", bot) else "",
    )


def _start(message: Mapping[str, Any], key: str, request: InteractionRequest, config: Config) -> Press | Ignored:
    """Reads the start of a chat with the bot, opened by a button.

    The token proves that the person can see the chat of the destination.
    """
    command, _, token = message["text"].partition(" ")
    if message["chat"]["type"] != "private" or command != "/start":
        return Ignored()
    person, chat = _person(message), str(int(message["chat"]["id"]))
    try:
        text, until = request.callback.read(START, token)
    except TokenRefused:
        return Ignored(_message(chat, NO_START))
    if text != str(person) or request.at >= until:
        return Ignored(_message(chat, NO_START))
    return Press(_account(person, config), _name(message), None, "", replay_key=key, reply_to=chat)


def _person(part: Mapping[str, Any]) -> int:
    person = part["from"]["id"]
    if isinstance(person, bool) or not isinstance(person, int) or not 0 < person < 2**63:
        raise InteractionRefused
    return person


def _secret(callback: Callback, config: Config) -> str:
    """Returns the secret of the bot at its server. It depends on the server, so no server learns another's secret."""
    bot, server = config.secrets["token"], _other_server(config)
    return callback.key(f"{WEBHOOK}{bot} {server}" if server else WEBHOOK + bot)


def _account(person: int, config: Config) -> str:
    """Returns the account of a person. A server other than Telegram's vouches only for its own accounts."""
    server = _other_server(config)
    return f"{server}/{person}" if server else str(person)


def _other_server(config: Config) -> str:
    """Returns the server of the settings; empty for Telegram's own."""
    server = str(config.public.get("server", "")).rstrip("/").partition("://")[2]
    return server if server != "api.telegram.org" else ""


def _name(part: Mapping[str, Any]) -> str:
    return display_name(part["from"].get("username"), part["from"].get("first_name"), part["from"]["id"])


def _answered(id: str, **more: Any) -> Mapping[str, Any]:
    return {"method": "answerCallbackQuery", "callback_query_id": id, **more}


def _message(chat: str, text: str) -> Mapping[str, Any]:
    preview = {"is_disabled": True}
    return {"method": "sendMessage", "chat_id": int(chat), "text": text, "link_preview_options": preview}
