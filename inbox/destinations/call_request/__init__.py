"""Call by HTTP: asks a telephone system for a call, and takes the key that answers it (specification 23.22)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inbox.destinations import setting_fields, twilio
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import FieldDescription, FieldType, Icon, KindDescription, Limits, Personal
from inbox.destinations.http import Client
from inbox.destinations.phone_answers import KEYS_TEXT, LONGEST_SPEECH, Keyed, speech
from inbox.destinations.service import ServiceKind
from inbox.destinations.webhook import SECRET, SECRET_FIELD
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.deliveries.paid_messages import Channel
from inbox.domain.deliveries.phone_answers import KEYS, REPEAT_KEY
from inbox.domain.deliveries.signing import BadSecret, headers, parse_secret
from inbox.domain.explaining.notice_content import LONGEST_TITLE
from inbox.domain.values.addresses import LONGEST_URL
from inbox.domain.values.redaction import cut

NOT_TAKEN = frozenset({"busy", "no-answer", "failed"})
JSON = "application/json"


class CallRequest(ServiceKind):
    """Settings: `{url, secret, headers, to}`."""

    description = KindDescription(
        kind="call_request",
        position=146,
        label="Call by HTTP",
        summary="A signed request that asks your telephone system, such as Asterisk, for a call.",
        target="to",
        icon=Icon.PHONE,
        limits=Limits(text_length=LONGEST_TITLE, pace_seconds=1.0),
        personal=Personal("to", "call", channel=Channel.CALL),
        fields=(
            FieldDescription(
                name="url",
                label="Address",
                type=FieldType.URL,
                help="https, or http to a private address. Each request asks for one call.",
                example="https://pbx.example.org/calls",
                max_length=LONGEST_URL,
            ),
            replace(SECRET_FIELD, help="The telephone system verifies each request with it.", example="whsec_XXXX"),
            setting_fields.headers("Up to 10 further headers of each request.", "Authorization: Bearer XXXX"),
            setting_fields.text(
                "to", "To", "The phone number with its country code.", "+491700000000", pattern=twilio.NUMBER
            ),
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Asks for the call. An accepted request is no answer of the person."""
        try:
            key = parse_secret(config.secrets[SECRET])
        except BadSecret:
            return Receipt(failure=FailureReason.UNSENDABLE)
        body = json.dumps(_request(message, config.public["to"]), ensure_ascii=False, separators=(",", ":")).encode()
        signed = headers([key], message.delivery_id, message.at, body)
        return client.post(str(config.public["url"]), body, {"Content-Type": JSON, **config.headers, **signed})

    def undelivered_because(self, form: Mapping[str, str]) -> str | None:
        """Returns the reason for a call that nobody took, as the telephone system reports it."""
        status = form.get("status")
        return f"The telephone system reported the call as {status}." if status in NOT_TAKEN else None

    def keys(self, url: str, form: Mapping[str, str], signature: str, config: Config) -> Keyed | None:
        """Returns the pressed key. The token of the address proves the caller, and serves one answer."""
        return Keyed(form.get("digits", ""), "", answers_once=True)

    def repeat(self, words: str, url: str) -> tuple[str, str]:
        """Returns what to say, and that a key is expected."""
        return JSON, json.dumps({"text": words, "isDone": False})

    def end(self, words: str) -> tuple[str, str]:
        """Returns what was done, after which the call ends."""
        return JSON, json.dumps({"text": words, "isDone": True})


def _request(message: Message, to: str) -> dict[str, Any]:
    content = message.content
    return {
        "id": message.delivery_id,
        "to": to,
        "text": speech(content),
        "severity": str(content.severity),
        "title": content.title,
        "source": cut(content.data.get("sourceName", ""), LONGEST_SPEECH),
        "keys": {**KEYS, REPEAT_KEY: "repeat"} if message.answer_url else {},
        "keysText": KEYS_TEXT if message.answer_url else "",
        "answerUrl": message.answer_url or None,
        "statusUrl": message.status_url or None,
    }


KIND = CallRequest()
