"""Buttons of Slack: verifies a request, reads the pressed button, and posts a hint."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from inbox.destinations.http import Client
from inbox.destinations.interactions import (
    ACTS,
    LINK_LABEL,
    Ignored,
    InteractionRefused,
    InteractionRequest,
    Named,
    Press,
    check_time,
    display_name,
    labels,
    reading,
)
from inbox.destinations.service import call
from inbox.domain.explaining.notice_content import NoticeContent

TIMESTAMP, SIGNATURE = "x-slack-request-timestamp", "x-slack-signature"
LONGEST_ID = 64
_REPLY_URL = re.compile(r"https://hooks\.slack(-gov)?\.com/[\x21-\x7e]{1,500}")


def verify(request: InteractionRequest, secret: str) -> None:
    """Checks the signature and the time of the request. Raises `InteractionRefused`."""
    stamp, given = request.headers.get(TIMESTAMP, ""), request.headers.get(SIGNATURE, "")
    check_time(stamp, request.at)
    signed = b"v0:" + stamp.encode() + b":" + request.body
    expected = "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise InteractionRefused


def named(body: bytes) -> Named:
    """Returns the incident of the button and the channel of its message."""
    with reading():
        payload = _payload(body)
        return Named(str(payload["actions"][0]["value"]), {"channel": str(payload["container"]["channel_id"])})


def _payload(body: bytes) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(parse_qs(body.decode())["payload"][0])
    return found


def read(request: InteractionRequest) -> Press | Ignored:
    """Returns the press that a verified request reports."""
    with reading():
        payload = _payload(request.body)
        return _press(payload, request) if payload["type"] == "block_actions" else Ignored()


def hint(press: Press, text: str, url: str, client: Client) -> None:
    """Posts the text so that only the person who pressed the button sees it."""
    linked_text = f"{text} <{url}|{LINK_LABEL}>" if url else text
    if _REPLY_URL.fullmatch(press.reply_to):
        body = {"response_type": "ephemeral", "replace_original": False, "text": linked_text}
        call(client, "POST", press.reply_to, body)


def _press(payload: Mapping[str, Any], request: InteractionRequest) -> Press | Ignored:
    pressed, user = payload["actions"][0], payload["user"]
    if pressed["action_id"] not in ACTS:
        return Ignored()
    account = f"{payload['team']['id']}/{user['id']}"
    if len(account) > LONGEST_ID or not account.isprintable():
        raise InteractionRefused
    return Press(
        account_id=account,
        account_name=display_name(user.get("username"), user.get("name"), user["id"]),
        act=ACTS[pressed["action_id"]],
        incident_id=str(pressed["value"]),
        replay_key=request.headers[SIGNATURE],
        reply_to=str(payload.get("response_url", "")),
    )


def buttons(content: NoticeContent) -> list[dict[str, Any]]:
    """Returns the buttons of a message that act in Slack."""
    return [{**labelled(label), "value": content.incident_id} for label in labels(content)]


def labelled(label: str) -> dict[str, Any]:
    """Returns a button with this label, whose id is the same in small letters."""
    return {"type": "button", "action_id": label.lower(), "text": {"type": "plain_text", "text": label}}
