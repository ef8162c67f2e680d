"""Buttons of Mattermost: creates their tokens, reads the pressed button, and builds the answer.

Mattermost signs nothing. Each button contains a token of this instance that the server keeps secret. A request with the
token therefore comes from the server. The account is as trustworthy as this server, so accounts of different servers
stay distinct.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from inbox.destinations.base import Config
from inbox.destinations.callbacks import KEY_PREFIX, Callback, TokenRefused
from inbox.destinations.interactions import (
    ACTS,
    Ignored,
    InteractionRefused,
    InteractionRequest,
    Press,
    display_name,
    labels,
    markdown_hint,
    reading,
)
from inbox.domain.explaining.notice_content import NoticeContent

PURPOSE = "mattermost button"
LIFETIME = timedelta(days=7)
LONGEST_TRIGGER = 500
TOO_OLD = "This button is too old. Open the incident in the inbox."


def actions(content: NoticeContent, config: Config, callback: Callback, now: datetime) -> list[dict[str, Any]]:
    """Returns the buttons of a post; empty when no action is possible."""
    purpose, until = _purpose(config), now + LIFETIME
    return [_action(label, content.incident_id, callback, purpose, until) for label in labels(content)]


def read(request: InteractionRequest, config: Config) -> Press | Ignored:
    """Verifies the token of the request, and returns the press. Raises `InteractionRefused`."""
    with reading():
        payload = json.loads(request.body)
        act, incident, until = _token(payload["context"]["token"], request, _purpose(config))
        if payload["channel_id"] != config.public["channelId"]:
            raise InteractionRefused
        if request.at >= until:
            return Ignored(answer(TOO_OLD, ""))
        return _press(payload, act, incident, config)


def answer(text: str, url: str) -> Mapping[str, Any]:
    """Returns the answer to a press: a hint visible only to the person who pressed, or no change."""
    return {"ephemeral_text": markdown_hint(text, url)} if text else {}


def _action(label: str, incident: str, callback: Callback, purpose: str, until: datetime) -> dict[str, Any]:
    id = label.lower()
    token = KEY_PREFIX + callback.sign(purpose, f"{id}\n{incident}", until)
    return {
        "id": id,
        "type": "button",
        "name": label,
        "integration": {"url": callback.url, "context": {"token": token}},
    }


def _token(text: str, request: InteractionRequest, purpose: str) -> tuple[str, str, datetime]:
    if not text.startswith(KEY_PREFIX):
        raise InteractionRefused
    try:
        signed, until = request.callback.read(purpose, text.removeprefix(KEY_PREFIX))
    except TokenRefused:
        raise InteractionRefused from None
    act, _, incident = signed.partition("\n")
    return act, incident, until


def _press(payload: Mapping[str, Any], act: str, incident: str, config: Config) -> Press:
    user, trigger = payload["user_id"], payload["trigger_id"]
    if not re.fullmatch(r"[a-z0-9]{26}", user) or not trigger.isascii() or not 0 < len(trigger) <= LONGEST_TRIGGER:
        raise InteractionRefused
    return Press(
        account_id=f"{_server(config)}/{user}",
        account_name=display_name(payload.get("user_name"), user),
        act=ACTS[act],
        incident_id=incident,
        replay_key=trigger,
    )


def _purpose(config: Config) -> str:
    """Returns the purpose of a token. It contains the server, so that no other server can use the token."""
    return f"{PURPOSE} {_server(config)}"


def _server(config: Config) -> str:
    return str(config.public["server"]).rstrip("/").partition("://")[2]
