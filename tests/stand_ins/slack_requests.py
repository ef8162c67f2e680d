"""Requests of Slack for pressed buttons, signed as Slack documents it."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5".replace("y", "a").replace("z", "b")
REPLY_URL = "https://hooks.slack.com/actions/T0001/1/secret"


def payload(incident: str, *, act: str = "acknowledge", user: str = "U0002", **more: Any) -> dict[str, Any]:
    """What Slack says of a pressed button."""
    return {
        "type": "block_actions",
        "user": {"id": user, "username": "mia", "team_id": "T0001"},
        "team": {"id": "T0001", "domain": "shop"},
        "container": {"type": "message", "message_ts": "1.0", "channel_id": "C0123456789"},
        "trigger_id": "1.2.3",
        "response_url": REPLY_URL,
        "actions": [{"type": "button", "action_id": act, "block_id": "b", "value": incident, "action_ts": "1.1"}],
        **more,
    }


def signed(fields: Any, at: datetime, secret: str = SIGNING_SECRET) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a request."""
    body, stamp = urlencode({"payload": json.dumps(fields)}).encode(), str(int(at.timestamp()))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={digest}",
    }
    return body, headers
