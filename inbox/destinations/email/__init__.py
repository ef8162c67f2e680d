"""Email: sends a mail through the mail server of the instance. Mails of an incident form a thread."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from email.message import EmailMessage
from types import MappingProxyType
from typing import Any

from inbox.config import settings
from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, FieldDescription, FieldType, Icon, KindDescription, Limits
from inbox.destinations.email import recipients
from inbox.destinations.http import Client
from inbox.destinations.service import ServiceKind
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.mail import smtp
from inbox.mail.message import InvalidAddress, SenderIdentity, build_notice, message_id
from inbox.mail.smtp import Mailer, SendOutcome, SendResult
from inbox.runtime import tls

ACCEPTED = 250
"""The reply of a mail server that accepts a mail."""

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

_REFUSALS = (FailureReason.MESSAGE_REFUSED, FailureReason.DESTINATION_REFUSED)
"""The failures of one address. If several addresses fail, the first of these counts."""


class Email(ServiceKind):
    """Settings: `{to}`."""

    description = KindDescription(
        kind="email",
        position=150,
        label="Email",
        summary="A mail to up to ten addresses. Mails about an incident form a thread.",
        target="to",
        icon=Icon.MAIL,
        can=Abilities(threads=True, action_links=True, digests=True, templates=True),
        limits=Limits(pace_seconds=1.0),
        fields=(
            FieldDescription(
                name="to",
                label="Addresses",
                type=FieldType.TEXT,
                help="Up to ten, separated by commas. Each gets a mail of its own.",
                example="on-call@example.org, olga@example.org",
                max_length=recipients.LONGEST_TEXT,
                check=recipients.fault,
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
        """Hands a mail for each address to the server. Its Message-ID is the delivery id, so receivers recognise a repeat.

        A repeated attempt leaves out the addresses whose mail the server accepted before.
        """
        chosen, began = settings.current(), time.monotonic()
        if not chosen.smtp_url:
            return Receipt(failure=FailureReason.UNSENDABLE)
        sender = SenderIdentity(chosen.name, chosen.base_url, chosen.mail_from)
        accepted = _accepted_before(message)
        waiting = [to for to in recipients.of_config(config.public) if to not in accepted]
        failures, is_unavailable = dict[str, FailureReason](), False
        seconds = chosen.delivery_timeout_seconds
        trust, left = tls.trust(chosen.ca_file), client.seconds_left
        with Mailer(chosen.smtp_url, trust=trust, whole_seconds=seconds, total_seconds=left) as mailer:
            for to in waiting:
                outcome = _send(message, sender, to, mailer, client)
                is_unavailable = is_unavailable or outcome.failure is smtp.FailureReason.UNAVAILABLE
                if outcome.result is SendResult.SENT:
                    accepted.append(to)
                else:
                    failures[to] = _failure_of(outcome)
        receipt = _receipt(failures, has_accepted=bool(accepted))
        took = int((time.monotonic() - began) * 1000)
        reference = _reference(message, sender, accepted, is_complete=receipt.is_accepted)
        return replace(receipt, duration_ms=took, reference=reference, is_server_limit=is_unavailable)


def _send(message: Message, sender: SenderIdentity, to: str, mailer: Mailer, client: Client) -> SendOutcome:
    """Sends the mail for one address."""
    try:
        mail = build_notice(
            message.content,
            sender,
            to=to,
            id=message.delivery_id,
            first_id=message.reference.get("messageId", ""),
            unsubscribe_url=message.unsubscribe_urls.get(to, ""),
        )
    except InvalidAddress:
        return SendOutcome(SendResult.REJECTED, smtp.FailureReason.UNSENDABLE)
    client.note("MAIL", f"mailto:{to}", dict(mail.items()), readable_body(mail))
    return mailer.send(mail, sender=sender.sender_address, to=to)


def _failure_of(outcome: SendOutcome) -> FailureReason:
    found = None if outcome.failure is None else _FAILURES.get(outcome.failure)
    return found or FailureReason.UNSENDABLE


def _receipt(failures: Mapping[str, FailureReason], *, has_accepted: bool) -> Receipt:
    """Returns the receipt of all mails.

    A failure that may pass is tried again. An address that the server refuses does not hold up the others: the receipt
    names it, and the mail counts as accepted if another address got it.
    """
    passing = [each for each in failures.values() if each not in _REFUSALS]
    if passing:
        return Receipt(failure=passing[0])
    if failures and not has_accepted:
        return Receipt(failure=min(failures.values(), key=_REFUSALS.index))
    note = f"The mail server refused {', '.join(failures)}." if failures else ""
    return Receipt(ACCEPTED, excerpt=note)


def _accepted_before(message: Message) -> list[str]:
    """Returns the addresses whose mail an earlier attempt of the same delivery handed over."""
    is_same = message.reference.get("deliveryId") == message.delivery_id
    return str(message.reference.get("accepted", "")).split() if is_same else []


def _reference(
    message: Message, sender: SenderIdentity, accepted: Sequence[str], *, is_complete: bool
) -> dict[str, Any] | None:
    """Returns the id of the first mail of an incident, and the addresses that need no repeat of an attempt."""
    if not accepted or (is_complete and "messageId" in message.reference):
        return None
    first = message.reference.get("messageId", message_id(message.delivery_id, sender))
    return {"messageId": first, "deliveryId": message.delivery_id, "accepted": " ".join(accepted)}


def readable_body(mail: EmailMessage) -> str:
    """Returns the decoded parts of a mail, each below its type."""
    return "\n".join(
        f"Content-Type: {part.get_content_type()}\n\n{part.get_content()}"
        for part in mail.walk()
        if not part.is_multipart()
    )


KIND = Email()
