"""What the kinds of Twilio share: the settings of an account, its calls, and the signature of its callbacks."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode
from xml.sax.saxutils import escape

from inbox.destinations import setting_fields
from inbox.destinations.base import Config
from inbox.destinations.descriptors import NEVER_SENT, FieldDescription
from inbox.destinations.http import Client
from inbox.destinations.service import Answer
from inbox.domain.deliveries.delivery import FailureReason, Receipt

API, VERSION = "https://api.twilio.com", "2010-04-01"

NUMBER = r"\+[1-9][0-9]{4,14}"
"""A phone number as E.164 has it."""

BUSY = frozenset({20429, 21611})
WRONG = frozenset({10001, 20003, 21211, 21210, 21215, 21217, 21408, 21603, 21606, 21608, 21610, 21612, 21614})
CANNOT_REPORT = 21609
"""Twilio refuses a message whose status callback is not a public address."""

REPORTS_AGAIN = "#rc=5&rp=5xx,ct,rt"
"""Makes Twilio repeat a failed status report: five times after a 5xx, a failed connection or a missing answer."""

AUTH_TOKEN, SIGNATURE = "authToken", "x-twilio-signature"
XML = "text/xml"

ACCOUNT: tuple[FieldDescription, ...] = (
    setting_fields.text(
        "accountSid",
        "Account SID",
        "On the Twilio dashboard.",
        "AC00000000000000000000000000000000",
        pattern=r"AC[0-9a-f]{32}",
    ),
    setting_fields.text(
        "keySid",
        "API key SID",
        "The SID of an API key, or the account SID if you use the auth token of the account.",
        "SK00000000000000000000000000000000",
        pattern=r"(AC|SK)[0-9a-f]{32}",
    ),
    setting_fields.secret(
        "keySecret",
        "API key secret",
        "The secret of the API key, or the auth token of the account.",
        "XXXX",
        sent_to=("accountSid", setting_fields.SERVER),
    ),
)

ANSWERS: tuple[FieldDescription, ...] = (
    setting_fields.server("API server", "Only for another region of Twilio.", API, required=False, when_absent=API),
    replace(
        setting_fields.secret(
            AUTH_TOKEN,
            "Auth token",
            "Of the account, beside an API key. It verifies what Twilio reports of the answers of members.",
            "XXXX",
            sent_to=NEVER_SENT,
        ),
        required=False,
    ),
)


def post(resource: str, form: Mapping[str, str], config: Config, client: Client) -> Answer:
    """Creates a message or a call in the account."""
    pair = f"{config.public['keySid']}:{config.secrets['keySecret']}".encode()
    headers = {
        "Authorization": f"Basic {base64.b64encode(pair).decode()}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    server = str(config.public.get(setting_fields.SERVER, API)).rstrip("/")
    url = f"{server}/{VERSION}/Accounts/{config.public['accountSid']}/{resource}.json"
    return Answer.of(client.exchange("POST", url, headers, urlencode(form).encode()))


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer."""
    code = answer.code()
    if code in BUSY:
        return answer.failed(FailureReason.SERVICE_BUSY)
    return answer.failed(FailureReason.DESTINATION_REFUSED) if code in WRONG else answer.receipt


def auth_token(config: Config) -> str | None:
    """Returns the token that signs callbacks: the primary one of the account. Without it nothing can be answered."""
    if AUTH_TOKEN in config.secrets:
        return config.secrets[AUTH_TOKEN]
    return config.secrets["keySecret"] if config.public["keySid"].startswith("AC") else None


def is_signed(config: Config, url: str, form: Mapping[str, str], signature: str) -> bool:
    """Returns whether Twilio signed a callback to this address with these fields."""
    token = auth_token(config)
    if token is None:
        return False
    text = url + "".join(f"{name}{form[name]}" for name in sorted(form))
    expected = base64.b64encode(hmac.new(token.encode(), text.encode(), hashlib.sha1).digest())
    return hmac.compare_digest(expected, signature.encode())


def twiml(*verbs: str) -> str:
    """Returns a document of instructions for Twilio."""
    return f'<?xml version="1.0" encoding="UTF-8"?><Response>{"".join(verbs)}</Response>'


def text(verb: str, words: str) -> str:
    """Returns a verb with a text: `Say` or `Message`."""
    return f"<{verb}>{escape(words)}</{verb}>"
