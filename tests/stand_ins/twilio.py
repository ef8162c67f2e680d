"""Twilio on loopback: it checks the credentials, keeps what it was asked to send, and signs its callbacks."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import orjson

from inbox.destinations import Config
from inbox.models.deliveries.destinations import Destination
from inbox.models.workspaces.tables import Workspace
from tests.stand_ins import twiml
from tests.stand_ins.outgoing_posts import store_destination
from tests.stand_ins.receivers import Answer, Receiver, Request

ACCOUNT, AUTH_TOKEN, NUMBER = f"AC{'0' * 32}", "token of the account", "+15550100"
MIAS, ADAMS = "+491700000001", "+491700000002"


class TwilioServer(Receiver):
    """The API of Twilio. `sent` are the forms of its messages and calls; `refuses` is the error that it answers."""

    def __init__(self) -> None:
        super().__init__(self._answered)
        self.sent: list[dict[str, str]] = []
        self.refuses: int | None = None
        self.key_sid = ACCOUNT

    @property
    def origin(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def texts(self) -> list[tuple[str, str]]:
        """The number and the text of each message."""
        return [(form["To"], form["Body"]) for form in self.sent if "Body" in form]

    def signed(self, url: str, form: Mapping[str, str], token: str = AUTH_TOKEN) -> dict[str, str]:
        """The header of a callback with this form."""
        text = url + "".join(f"{name}{form[name]}" for name in sorted(form))
        digest = hmac.new(token.encode(), text.encode(), hashlib.sha1).digest()
        return {"X-Twilio-Signature": base64.b64encode(digest).decode()}

    def _answered(self, request: Request) -> Answer:
        pair = base64.b64encode(f"{self.key_sid}:{AUTH_TOKEN}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {pair}":
            return _given(401, {"code": 20003, "message": "Authenticate", "status": 401})
        assert request.method == "POST" and request.path.startswith(f"/2010-04-01/Accounts/{ACCOUNT}/")
        if self.refuses is not None:
            return _given(400, {"code": self.refuses, "message": "no", "status": 400})
        pairs = parse_qsl(request.body.decode(), keep_blank_values=True, strict_parsing=True)
        assert len(pairs) == len(dict(pairs)), "a parameter is given twice"
        if "Twiml" in dict(pairs):
            twiml.checked(dict(pairs)["Twiml"])
        self.sent.append(dict(pairs))
        return _given(201, {"sid": f"SM{len(self.sent):032}", "status": "queued"})


def _given(status: int, fields: dict[str, Any]) -> Answer:
    return Answer(status, orjson.dumps(fields), {"Content-Type": "application/json"})


def make_provider(workspace: Workspace, server: TwilioServer, kind: str = "twilio_sms", **more: Any) -> Destination:
    """Creates a destination that serves contact methods. Nobody has the number in its own settings."""
    public = {
        "accountSid": ACCOUNT, "keySid": ACCOUNT, "from": NUMBER, "to": "+491700000009", "server": server.origin,
        "keySecretHint": "…oken",
    }  # fmt: skip
    config = Config(public, {"keySecret": AUTH_TOKEN})
    return store_destination(workspace, kind, config, **{"name": "Texts", "for_contact_methods": True, **more})
