"""Buttons of Discord: verifies a request, reads the pressed button, and builds the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from inbox.destinations.interactions import (
    ACTS,
    Ignored,
    InteractionRefused,
    InteractionRequest,
    Named,
    Press,
    check_time,
    display_name,
    labels,
    markdown_hint,
    reading,
)
from inbox.domain.explaining.notice_content import NoticeContent

TIMESTAMP, SIGNATURE = "x-signature-timestamp", "x-signature-ed25519"
PING, PRESSED = 1, 3
"""Types of requests."""

PONG, MESSAGE, UNCHANGED = 1, 4, 6
"""Types of answers: to a ping, with a message, and without a change."""

ONLY_FOR_THEM = 64
"""Flag of a message that is visible only to the person who pressed the button."""


def verify(request: InteractionRequest, public_key: str) -> None:
    """Checks the signature and the time of the request. Raises `InteractionRefused`."""
    stamp, given = request.headers.get(TIMESTAMP, ""), request.headers.get(SIGNATURE, "")
    check_time(stamp, request.at)
    if not re.fullmatch(r"[0-9a-f]{128}", given):
        raise InteractionRefused
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(given), stamp.encode() + request.body)
    except (InvalidSignature, ValueError):
        raise InteractionRefused from None


def read(request: InteractionRequest) -> Press | Ignored:
    """Returns the press that a verified request reports."""
    with reading():
        payload = json.loads(request.body)
        if payload["type"] == PING:
            return Ignored({"type": PONG})
        return _press(payload) if payload["type"] == PRESSED else Ignored({"type": UNCHANGED})


def named(body: bytes) -> Named:
    """Returns the incident of the button."""
    with reading():
        return Named(json.loads(body)["data"]["custom_id"].partition(":")[2], {})


def answer(text: str, url: str) -> Mapping[str, Any]:
    """Returns the answer to a press: a hint visible only to the person who pressed, or no change."""
    if not text:
        return {"type": UNCHANGED}
    data = {"content": markdown_hint(text, url), "flags": ONLY_FOR_THEM, "allowed_mentions": {"parse": []}}
    return {"type": MESSAGE, "data": data}


def buttons(content: NoticeContent) -> list[dict[str, Any]]:
    """Returns the row of buttons of a message; empty when no action is possible."""
    row = [
        {"type": 2, "style": 2, "label": label, "custom_id": f"{label.lower()}:{content.incident_id}"}
        for label in labels(content)
    ]
    return [{"type": 1, "components": row}] if row else []


def _press(payload: Mapping[str, Any]) -> Press | Ignored:
    act, _, incident = payload["data"]["custom_id"].partition(":")
    if act not in ACTS:
        return Ignored({"type": UNCHANGED})
    user = (payload.get("member") or payload)["user"]
    if not re.fullmatch(r"[0-9]{1,22}", user["id"]):
        raise InteractionRefused
    return Press(
        account_id=user["id"],
        account_name=display_name(user.get("username"), user["id"]),
        act=ACTS[act],
        incident_id=incident,
        replay_key=str(payload["id"]),
    )
