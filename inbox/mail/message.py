"""The MIME message of a mail: the same text as plain text and as HTML without external content."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, Policy
from email.utils import format_datetime, parseaddr
from urllib.parse import urlsplit
from uuid import UUID

from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.senders.mail_header import OUR_HEADER
from inbox.domain.values.severity import Severity
from inbox.mail import templates
from inbox.mail.templates import Content, MailTemplate


class UnbrokenHeader(UnstructuredHeader, BaseHeader):
    """A header of ids or addresses in angle brackets, on one line.

    The library encodes a word that is longer than a line (RFC 2047). Mail programs do not decode these headers.
    """

    max_count = 1

    def fold(self, *, policy: Policy) -> str:
        """Return the line of the header. A value beyond ASCII is encoded nevertheless."""
        return f"{self.name}: {self}{policy.linesep}" if self.isascii() else super().fold(policy=policy)


def _header_types() -> HeaderRegistry:
    found = HeaderRegistry()
    for name in ("in-reply-to", "references", "list-unsubscribe"):
        found.map_to_type(name, UnbrokenHeader)
    return found


POLICY = SMTP.clone(max_line_length=76, header_factory=_header_types())


@dataclass(frozen=True, slots=True)
class SenderIdentity:
    """The common values of all mails of an instance: its name, its web address, and the sender."""

    instance: str
    base_url: str
    sender: str

    @property
    def sender_address(self) -> str:
        """The sender's address without the name."""
        return parseaddr(self.sender)[1]


class InvalidAddress(ValueError):
    """No mail can be addressed to this address."""


def build_message(mail: MailTemplate, sender: SenderIdentity, *, to: str, mail_id: UUID, at: datetime) -> EmailMessage:
    """Build the message.

    The same mail gives the same message, and its id is the Message-ID. Raises `InvalidAddress`.
    """
    content = templates.render(mail, instance=sender.instance, base_url=sender.base_url)
    return _message(content, sender, to=to, id=str(mail_id), at=at)


def build_notice(
    notice: NoticeContent,
    sender: SenderIdentity,
    *,
    to: str,
    id: str,
    first_id: str = "",
    unsubscribe_url: str = "",
) -> EmailMessage:
    """Build the mail of a notice. `id` is the left part of its Message-ID.

    All mails of an incident refer to one id, and later ones also to `first_id`, the Message-ID of the first mail. So
    mail programs show them as a thread, although their subjects have the state. With `unsubscribe_url` mail programs
    offer to unsubscribe by one tap (RFC 8058). Raises `InvalidAddress`.
    """
    content = templates.render_notice(notice, instance=sender.instance, base_url=sender.base_url)
    message = _message(content, sender, to=to, id=id, at=notice.at)
    message["X-Auto-Response-Suppress"] = "All"
    message["List-Id"] = f"<{urlsplit(sender.base_url).hostname}>"
    if unsubscribe_url:
        message["List-Unsubscribe"] = f"<{unsubscribe_url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    root = message_id(notice.incident_id, sender) if notice.incident_id else ""
    if root:
        message["References"] = f"{root} {first_id}".strip()
    if first_id:
        message["In-Reply-To"] = first_id
    if notice.severity is Severity.CRITICAL and not notice.is_quiet:
        message["Importance"] = "high"
        message["X-Priority"] = "1"
    return message


def message_id(id: str, sender: SenderIdentity) -> str:
    """Return the Message-ID with this left part, in the domain of the sender."""
    return f"<{id}@{sender.sender_address.rpartition('@')[2]}>"


def _message(content: Content, sender: SenderIdentity, *, to: str, id: str, at: datetime) -> EmailMessage:
    message = EmailMessage(policy=POLICY)
    name, address = parseaddr(sender.sender)
    message["From"] = Address(name or sender.instance, addr_spec=address)
    message["To"] = _address(to)
    message["Subject"] = content.subject
    message["Date"] = format_datetime(at.astimezone(UTC))
    message["Message-ID"] = message_id(id, sender)
    message["Auto-Submitted"] = "auto-generated"
    message[OUR_HEADER] = "1"
    message.set_content(content.text, cte="quoted-printable")
    message.add_alternative(content.html, subtype="html", cte="quoted-printable")
    message.set_boundary(f"={id.replace('-', '')}=")
    return message


def _address(to: str) -> Address:
    try:
        return Address(addr_spec=to)
    except (ValueError, IndexError, MessageError):
        raise InvalidAddress("the address cannot be used in a mail") from None
