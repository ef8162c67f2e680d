"""Requests of Telegram for pressed buttons and messages, with the secret of the webhook as Telegram documents it."""

from __future__ import annotations

import json
from typing import Any

GROUP, PERSON = -1001234567890, 5_000_000_001


def payload(
    incident: str, *, act: str = "acknowledge", id: str = "1", user: int = PERSON, **more: Any
) -> dict[str, Any]:
    """What Telegram says of a pressed button. `more` replaces members of the query."""
    message = {
        "message_id": 1000,
        "date": 1,
        "chat": {"id": GROUP, "type": "supergroup", "title": "Ops"},
        "from": {"id": 123456, "is_bot": True, "first_name": "Inbox", "username": "inbox_bot"},
        "text": "Disk full",
    }
    person = {"id": user, "is_bot": False, "first_name": "Mia", "username": "mia"}
    query = {"id": f"q{id}", "from": person, "message": message, "chat_instance": "3", "data": f"{act}:{incident}"}
    return {"update_id": int(id), "callback_query": {**query, **more}}


def start(token: str, *, id: str = "2", user: int = PERSON, chat: str = "private") -> dict[str, Any]:
    """What Telegram says of a person who opens the chat with the bot by a link with this token."""
    person = {"id": user, "is_bot": False, "first_name": "Mia", "username": "mia"}
    place = {"id": user if chat == "private" else GROUP, "type": chat}
    message = {"message_id": 7, "date": 1, "chat": place, "from": person, "text": f"/start {token}".strip()}
    return {"update_id": int(id), "message": message}


def signed(fields: Any, secret: str) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a request."""
    headers = {"Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": secret}
    return json.dumps(fields).encode(), headers
