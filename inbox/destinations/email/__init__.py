"""E-mail: sends a mail through the mail server of the instance. Mails of an incident form a thread."""

from __future__ import annotations

import re
import time
from email.message import EmailMessage
from types import MappingProxyType

from inbox.config import settings
from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, FieldDescription, FieldType, Icon, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.service import ServiceKind
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.mail import smtp
from inbox.mail.message import InvalidAddress, SenderIdentity, build_notice
from inbox.mail.smtp import Mailer, SendResult
from inbox.runtime import tls

ACCEPTED = 250
"""The reply of a mail server that accepts a mail."""

LONGEST_ADDRESS = 254
NO_SERVER = "The operator has set no mail server (INBOX_SMTP_URL)."
OPEN_SIGN_UP = "Anyone can sign up here, so mail to arbitrary addresses is off."

_FAILURES = MappingProxyType(
    {
        smtp.FailureReason.UNREACHABLE: FailureReason.CONNECT_FAILED,
        smtp.FailureReason.TIMEOUT: FailureReason.TIMEOUT,
        smtp.FailureReason.TLS_FAILED: FailureReason.TLS_FAILED,
        smtp.FailureReason.NO_STARTTLS: FailureReason.TLS_FAILED,
        smtp.FailureReason.CONNECTION_LOST: FailureReason.CONNECTION_LOST,
        smtp.FailureReason.BUSY: FailureReason.SERVICE_BUSY,
        smtp.FailureReason.UNAVAILABLE: FailureReason.SERVICE_BUSY,
        smtp.FailureReason.ADDRESS_REFUSED: FailureReason.DESTINATION_REFUSED,
        smtp.FailureReason.MESSAGE_REFUSED: FailureReason.MESSAGE_REFUSED,
    }
)
"""Failure reasons by failure of the mail server. Other failures are configuration faults and are retried."""


def _address_fault(text: str) -> str | None:
    local, _, domain = text.rpartition("@")
    is_address = re.fullmatch(r"[^\s@<>,;:\"\\()\[\]]{1,64}", local) and re.fullmatch(
        r"[^\s@<>,;]+\.[^\s@<>,;.]+", domain
    )
    return None if is_address else "must be one e-mail address"


class Email(ServiceKind):
    """Settings: `{to}`."""

    description = KindDescription(
        kind="email",
        position=150,
        label="E-mail",
        summary="A mail to one address. Mails about an incident form a thread.",
        target="to",
        icon=Icon.MAIL,
        can=Abilities(threads=True, action_links=True, digests=True, templates=True),
        limits=Limits(pace_seconds=1.0),
        fields=(
            FieldDescription(
                name="to",
                label="Address",
                type=FieldType.TEXT,
                help="One address. To reach several people, use a group address.",
                example="on-call@example.org",
                max_length=LONGEST_ADDRESS,
                check=_address_fault,
            ),
            setting_fields.action_links(),
            setting_fields.unsubscribe(),
        ),
    )

    def unavailable_because(self) -> str | None:
        chosen = settings.current()
        if not chosen.smtp_url:
            return NO_SERVER
        return OPEN_SIGN_UP if chosen.is_hosted else None

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Hands the mail to the server. Its Message-ID is the delivery id, so that receivers recognise a repeat."""
        chosen, began = settings.current(), time.monotonic()
        if not chosen.smtp_url:
            return Receipt(failure=FailureReason.UNSENDABLE)
        sender = SenderIdentity(chosen.name, chosen.base_url, chosen.mail_from)
        to = str(config.public["to"])
        try:
            mail = build_notice(
                message.content,
                sender,
                to=to,
                id=message.delivery_id,
                thread=message.reference,
                unsubscribe_url=message.unsubscribe_url,
            )
        except InvalidAddress:
            return Receipt(failure=FailureReason.UNSENDABLE)
        client.note("MAIL", f"mailto:{to}", dict(mail.items()), readable_body(mail))
        seconds = chosen.delivery_timeout_seconds
        trust, left = tls.trust(chosen.ca_file), client.seconds_left
        with Mailer(chosen.smtp_url, trust=trust, whole_seconds=seconds, total_seconds=left) as mailer:
            outcome = mailer.send(mail, sender=sender.sender_address, to=to)
        took = int((time.monotonic() - began) * 1000)
        if outcome.result is SendResult.SENT:
            return Receipt(ACCEPTED, duration_ms=took, reference=_reference(message, mail))
        failure = FailureReason.UNSENDABLE if outcome.failure is None else _FAILURES.get(outcome.failure)
        is_unavailable = outcome.failure is smtp.FailureReason.UNAVAILABLE
        return Receipt(failure=failure or FailureReason.UNSENDABLE, duration_ms=took, is_server_limit=is_unavailable)


def readable_body(mail: EmailMessage) -> str:
    """Returns the decoded parts of a mail, each below its type."""
    return "\n".join(
        f"Content-Type: {part.get_content_type()}\n\n{part.get_content()}"
        for part in mail.walk()
        if not part.is_multipart()
    )


def _reference(message: Message, mail: EmailMessage) -> dict[str, str] | None:
    """Returns the id and the subject of the first mail of an incident."""
    return None if message.reference else {"messageId": str(mail["Message-ID"]), "subject": str(mail["Subject"])}


KIND = Email()
