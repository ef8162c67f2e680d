"""Twilio: sends a short text message to a phone number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from inbox.destinations import setting_fields, twilio
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Icon, KindDescription, Limits, Personal
from inbox.destinations.http import Client
from inbox.destinations.layout import cut, utf16_length
from inbox.destinations.service import ServiceKind
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.deliveries.paid_messages import Channel
from inbox.domain.explaining.notice_content import NoticeContent

VALID_SECONDS = 600
CODE = "code"
"""The member of the reference with the number by which a person answers."""

LONGEST_TEXT, LONGEST_WIDE_TEXT = 160, 134
"""Limits of a message: one part in the SMS alphabet, and two parts in UTF-16 units with other characters.

Each part is paid for. One part of a wide text has 70 units, which is shorter than most links.
"""

SHORTEST_TITLE = 20
"""The minimum length of a title beside a long link. If less would be left, the link is left out."""

NOT_ARRIVED = frozenset({"failed", "undelivered"})
UNDELIVERED = {
    "30003": "the phone could not be reached",
    "30004": "the recipient or the carrier blocks it",
    "30005": "the number does not exist",
    "30006": "the number takes no text messages",
    "30007": "the carrier filtered it",
    "30034": "the sender is not registered for the United States",
}
_ALPHABET = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
_ESCAPED = frozenset("\f^{}\\[~]|€")
"""The SMS alphabet (GSM 03.38). The escaped characters take two units."""

_PLAIN = str.maketrans({"…": "...", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "·": "-"})
"""Replacements for characters that would switch the whole message to the wide alphabet."""


class Texted(NamedTuple):
    """A text message that a phone sent: the number, the words, and the id by which a repeat is known."""

    sender: str
    words: str
    id: str


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
            *twilio.ACCOUNT,
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
                pattern=twilio.NUMBER,
            ),
            *twilio.ANSWERS,
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Queues the message. Twilio reports later whether it arrived, if it can reach this instance."""
        public = config.public
        sender = "MessagingServiceSid" if public["from"].startswith("MG") else "From"
        form = {
            "To": public["to"],
            sender: public["from"],
            "Body": text_of(message.content, self._ending(message, config)),
        }
        form["ValidityPeriod"] = str(VALID_SECONDS)
        if message.status_url:
            reported = {**form, "StatusCallback": message.status_url + twilio.REPORTS_AGAIN}
            answer = twilio.post("Messages", reported, config, client)
            if answer.code() != twilio.CANNOT_REPORT:
                return twilio.receipt_of(answer)
        return twilio.receipt_of(twilio.post("Messages", form, config, client))

    def _ending(self, message: Message, config: Config) -> str:
        """Returns the words with which the person can answer, if their answers can be verified."""
        code = message.reference.get(CODE)
        return f" Reply {code}a/{code}e/{code}r" if code and twilio.auth_token(config) is not None else ""

    def read(self, url: str, form: Mapping[str, str], signature: str, config: Config) -> Texted | None:
        """Returns what a phone sent to the number of the account; None if Twilio did not sign it."""
        if not twilio.is_signed(config, url, form, signature):
            return None
        return Texted(form.get("From", ""), form.get("Body", ""), form.get("MessageSid", ""))

    def answer(self, words: str) -> str:
        """Returns the document that sends these words back; without words nothing is sent."""
        return twilio.twiml(twilio.text("Message", words)) if words else twilio.twiml()

    def undelivered_because(self, form: Mapping[str, str]) -> str | None:
        """Returns the reason for the two final states without a delivery. Twilio reports every step of a message."""
        status, code = form.get("MessageStatus"), form.get("ErrorCode", "")
        if status not in NOT_ARRIVED:
            return None
        error = f", error {code}" if re.fullmatch(r"[0-9]{5}", code) else ""
        meaning = f": {UNDELIVERED[code]}" if code in UNDELIVERED else ""
        return f"Twilio reported the message as {status}{error}{meaning}."


def text_of(content: NoticeContent, ending: str = "") -> str:
    """Returns the status, the title, the beginning of the body, the link and the ending. Longer titles are cut.

    The link is left out if it would leave too little of the title. The beginning of the body is left out if it would
    leave too little of the body or need other characters than the rest.
    """
    title = (f"{content.title}. {content.sentence}" if content.lines else content.title).translate(_PLAIN)
    whole = f"{content.status} {title} {content.url}"
    longest, length = (LONGEST_TEXT, _units) if _is_plain(whole) else (LONGEST_WIDE_TEXT, utf16_length)
    longest -= len(ending)

    def cut_to(room: int) -> str:
        return cut(title, room, lambda part: length(part.translate(_PLAIN))).translate(_PLAIN)

    room = longest - length(f"{content.status}  {content.url}")
    if room >= min(length(title), SHORTEST_TITLE):
        return (
            f"{content.status} {cut_to(room)}{_beginning(content, room - length(title), length)} {content.url}{ending}"
        )
    return f"{content.status} {cut_to(longest - length(content.status) - 1)}{ending}"


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


KIND = TwilioSms()
