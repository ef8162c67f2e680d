"""Twilio: calls a phone, speaks the notice twice, and takes the keys that answer it."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from inbox.destinations import setting_fields, twilio
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Icon, KindDescription, Limits, Personal
from inbox.destinations.http import Client
from inbox.destinations.phone_answers import KEYS_TEXT, Keyed, speech
from inbox.destinations.service import ServiceKind
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.deliveries.paid_messages import Channel

RING_SECONDS = "30"
LONGEST_DOCUMENT = 4_000
"""The characters of instructions that Twilio takes with a call."""

NOT_ANSWERED = frozenset({"busy", "no-answer", "failed", "canceled"})
PAUSE = '<Pause length="1"/>'
GOODBYE = "Goodbye."


class TwilioVoice(ServiceKind):
    """Settings: `{accountSid, keySid, keySecret, from, to, server, authToken}`."""

    description = KindDescription(
        kind="twilio_voice",
        position=145,
        label="Voice call by Twilio",
        summary="A call that speaks the notice. Each call costs money.",
        target="to",
        icon=Icon.PHONE,
        limits=Limits(text_length=LONGEST_DOCUMENT, pace_seconds=1.0),
        personal=Personal("to", "call", channel=Channel.CALL),
        fields=(
            *twilio.ACCOUNT,
            setting_fields.text(
                "from", "From", "A number of the account that can call.", "+15550100", pattern=twilio.NUMBER
            ),
            setting_fields.text(
                "to", "To", "The phone number with its country code.", "+491700000000", pattern=twilio.NUMBER
            ),
            *twilio.ANSWERS,
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Starts the call. Twilio reports later whether somebody took it, if it can reach this instance."""
        takes_keys = message.answer_url and twilio.auth_token(config) is not None
        words = speech(message.content)
        form = {"To": config.public["to"], "From": config.public["from"], "Timeout": RING_SECONDS}
        form["Twiml"] = spoken(words, message.answer_url if takes_keys else "")
        if message.status_url:
            answer = twilio.post("Calls", {**form, "StatusCallback": message.status_url}, config, client)
            if answer.code() != twilio.CANNOT_REPORT:
                return twilio.receipt_of(answer)
        return twilio.receipt_of(twilio.post("Calls", form, config, client))

    def undelivered_because(self, form: Mapping[str, str]) -> str | None:
        """Returns the reason for a call that nobody took. A taken call proves nothing: it may be an answering machine."""
        status = form.get("CallStatus")
        return f"Twilio reported the call as {status}." if status in NOT_ANSWERED else None

    def keys(self, url: str, form: Mapping[str, str], signature: str, config: Config) -> Keyed | None:
        """Returns the pressed key; None if Twilio did not sign it."""
        if not twilio.is_signed(config, url, form, signature):
            return None
        return Keyed(form.get("Digits", ""), form.get("CallSid", ""))

    def repeat(self, words: str, url: str) -> tuple[str, str]:
        """Returns the document that speaks again and takes keys."""
        return twilio.XML, spoken(words, url)

    def end(self, words: str) -> tuple[str, str]:
        """Returns the document that says what was done, and ends the call."""
        return twilio.XML, twilio.twiml(twilio.text("Say", words), twilio.text("Say", GOODBYE))


def spoken(words: str, answer_url: str) -> str:
    """Returns the document that says the words twice, and takes one key if there is an address for it."""
    twice = f"{twilio.text('Say', words)}{PAUSE}{twilio.text('Say', words)}"
    if not answer_url:
        return twilio.twiml(twice)
    gather = f'<Gather action={quoteattr(answer_url)} method="POST" numDigits="1" timeout="10">'
    return twilio.twiml(f"{gather}{twice}{twilio.text('Say', KEYS_TEXT)}</Gather>", twilio.text("Say", GOODBYE))


KIND = TwilioVoice()
