"""Twilio: sends a short text message to a phone number."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Icon, KindDescription, Limits, Personal
from inbox.destinations.http import Client
from inbox.destinations.layout import cut, utf16_length
from inbox.destinations.service import Answer, ServiceKind
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.deliveries.paid_messages import Channel
from inbox.domain.explaining.notice_content import NoticeContent

API, VERSION = "https://api.twilio.com", "2010-04-01"
VALID_SECONDS = 600

LONGEST_TEXT, LONGEST_WIDE_TEXT = 160, 134
"""Limits of a message: one part in the SMS alphabet, and two parts in UTF-16 units with other characters.

Each part is paid for. One part of a wide text has 70 units, which is shorter than most links.
"""

SHORTEST_TITLE = 20
"""The minimum length of a title beside a long link. If less would be left, the link is left out."""

BUSY = frozenset({20429, 21611})
WRONG = frozenset({10001, 20003, 21211, 21408, 21603, 21606, 21608, 21610, 21612, 21614})
NOT_ARRIVED = frozenset({"failed", "undelivered"})
UNDELIVERED = {
    "30003": "the phone could not be reached",
    "30004": "the recipient or the carrier blocks it",
    "30005": "the number does not exist",
    "30006": "the number takes no text messages",
    "30007": "the carrier filtered it",
    "30034": "the sender is not registered for the United States",
}
CANNOT_REPORT = 21609
"""Twilio refuses a message whose status callback is not a public address."""

REPORTS_AGAIN = "#rc=5&rp=5xx,ct,rt"
"""Makes Twilio repeat a failed status report: five times after a 5xx, a failed connection or a missing answer."""

_ALPHABET = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
_ESCAPED = frozenset("\f^{}\\[~]|€")
"""The SMS alphabet (GSM 03.38). The escaped characters take two units."""

_PLAIN = str.maketrans({"…": "...", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "·": "-"})
"""Replacements for characters that would switch the whole message to the wide alphabet."""


class TwilioSms(ServiceKind):
    """Settings: `{accountSid, keySid, keySecret, from, to, server}`."""

    description = KindDescription(
        kind="twilio_sms",
        position=140,
        label="SMS by Twilio",
        summary="A short text message to one phone number. Each message costs money.",
        target="to",
        icon=Icon.PHONE,
        limits=Limits(text_length=LONGEST_TEXT, pace_seconds=1.0),
        personal=Personal("to", "SMS", channel=Channel.SMS),
        fields=(
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
            setting_fields.text(
                "from",
                "From",
                "A number of the account, a sender name that the country allows, or the SID of a messaging service.",
                "+15550100",
                pattern=r"\+[1-9][0-9]{4,14}|MG[0-9a-f]{32}|[A-Za-z0-9 ]{1,11}",
            ),
            setting_fields.text(
                "to",
                "To",
                "The phone number with its country code.",
                "+491700000000",
                pattern=r"\+[1-9][0-9]{4,14}",
            ),
            setting_fields.server(
                "API server", "Only for another region of Twilio.", API, required=False, when_absent=API
            ),
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Queues the message. Twilio reports later whether it arrived, if it can reach this instance."""
        public = config.public
        sender = "MessagingServiceSid" if public["from"].startswith("MG") else "From"
        form = {"To": public["to"], sender: public["from"], "Body": text_of(message.content)}
        form["ValidityPeriod"] = str(VALID_SECONDS)
        if message.status_url:
            answer = _post({**form, "StatusCallback": message.status_url + REPORTS_AGAIN}, config, client)
            if answer.code() != CANNOT_REPORT:
                return receipt_of(answer)
        return receipt_of(_post(form, config, client))

    def undelivered_because(self, form: Mapping[str, str]) -> str | None:
        """Returns the reason for the two final states without a delivery. Twilio reports every step of a message."""
        status, code = form.get("MessageStatus"), form.get("ErrorCode", "")
        if status not in NOT_ARRIVED:
            return None
        error = f", error {code}" if re.fullmatch(r"[0-9]{5}", code) else ""
        meaning = f": {UNDELIVERED[code]}" if code in UNDELIVERED else ""
        return f"Twilio reported the message as {status}{error}{meaning}."


def _post(form: Mapping[str, str], config: Config, client: Client) -> Answer:
    pair = f"{config.public['keySid']}:{config.secrets['keySecret']}".encode()
    headers = {
        "Authorization": f"Basic {base64.b64encode(pair).decode()}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    server = str(config.public.get(setting_fields.SERVER, API)).rstrip("/")
    url = f"{server}/{VERSION}/Accounts/{config.public['accountSid']}/Messages.json"
    return Answer.of(client.exchange("POST", url, headers, urlencode(form).encode()))


def text_of(content: NoticeContent) -> str:
    """Returns the status, the title, the beginning of the body, and the link. Longer titles are cut.

    The link is left out if it would leave too little of the title. The beginning of the body is left out if it would
    leave too little of the body or need other characters than the rest.
    """
    title = (f"{content.title}. {content.sentence}" if content.lines else content.title).translate(_PLAIN)
    whole = f"{content.status} {title} {content.url}"
    longest, length = (LONGEST_TEXT, _units) if _is_plain(whole) else (LONGEST_WIDE_TEXT, utf16_length)

    def cut_to(room: int) -> str:
        return cut(title, room, lambda part: length(part.translate(_PLAIN))).translate(_PLAIN)

    room = longest - length(f"{content.status}  {content.url}")
    if room >= min(length(title), SHORTEST_TITLE):
        return f"{content.status} {cut_to(room)}{_beginning(content, room - length(title), length)} {content.url}"
    return f"{content.status} {cut_to(longest - length(content.status) - 1)}"


def _beginning(content: NoticeContent, room: int, length: Callable[[str], int]) -> str:
    """Returns the beginning of the body after a colon; empty if it does not fit into the units that are left."""
    text = " ".join(content.excerpt.split()).translate(_PLAIN)
    if not text or room < SHORTEST_TITLE or (length is _units and not _is_plain(text)):
        return ""
    return ": " + cut(text, room - 2, lambda part: length(part.translate(_PLAIN))).translate(_PLAIN)


def _is_plain(text: str) -> bool:
    return _ALPHABET.union(_ESCAPED).issuperset(text)


def _units(text: str) -> int:
    """Returns the length in units of the SMS alphabet."""
    return len(text) + sum(sign in _ESCAPED for sign in text)


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer."""
    code = answer.code()
    if code in BUSY:
        return answer.failed(FailureReason.SERVICE_BUSY)
    return answer.failed(FailureReason.DESTINATION_REFUSED) if code in WRONG else answer.receipt


KIND = TwilioSms()
