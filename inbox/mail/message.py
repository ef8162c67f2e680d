"""The MIME message of a mail: the same text as plain text and as HTML without external content."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from html import escape
from uuid import UUID

from inbox.mail.templates import Content, MailTemplate

_FONT = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:16px;line-height:1.5;color:#1a1d21"
_BUTTON = (
    "display:inline-block;padding:10px 18px;border-radius:6px;background:#1f4fd8;color:#ffffff;text-decoration:none"
)


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


def build_message(
    template: MailTemplate, sender: SenderIdentity, *, to: str, mail_id: UUID, at: datetime
) -> EmailMessage:
    """Build the message.

    The same mail gives the same message, and its id is the Message-ID. Raises `InvalidAddress`.
    """
    content = template.content(sender.instance)
    message = EmailMessage(policy=SMTP.clone(max_line_length=76))
    name, address = parseaddr(sender.sender)
    message["From"] = Address(name or sender.instance, addr_spec=address)
    message["To"] = _address(to)
    message["Subject"] = content.subject
    message["Date"] = format_datetime(at.astimezone(UTC))
    message["Message-ID"] = f"<{mail_id}@{address.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(as_text(content, sender), cte="quoted-printable")
    message.add_alternative(as_html(content, sender), subtype="html", cte="quoted-printable")
    message.set_boundary(f"={mail_id.hex}=")
    return message


def as_text(content: Content, sender: SenderIdentity) -> str:
    """Render the plain text. The link has its own line."""
    link = f"{content.button}:\n{content.link}" if content.link else ""
    parts = (content.greeting, *content.paragraphs, link, content.closing)
    return "\n\n".join(part for part in parts if part) + f"\n\n-- \n{sender.instance}\n{sender.base_url}\n"


def as_html(content: Content, sender: SenderIdentity) -> str:
    """Render the HTML without images, scripts or style sheets. Every value is escaped."""
    parts = [f"<p>{escape(text)}</p>" for text in (content.greeting, *content.paragraphs)]
    if content.link:
        link = escape(content.link)
        parts.append(f'<p><a href="{link}" style="{_BUTTON}">{escape(content.button)}</a></p>')
        parts.append(f'<p style="font-size:13px;color:#5a6270;word-break:break-all">{link}</p>')
    if content.closing:
        parts.append(f'<p style="color:#5a6270">{escape(content.closing)}</p>')
    dashboard_url = escape(sender.base_url)
    parts.append(f'<p style="font-size:13px;color:#5a6270">{escape(sender.instance)} · {dashboard_url}</p>')
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(content.subject)}</title></head>\n'
        f'<body style="margin:0;padding:24px;{_FONT}"><div style="max-width:560px">\n{body}\n</div></body></html>\n'
    )


def _address(to: str) -> Address:
    try:
        return Address(addr_spec=to)
    except (ValueError, IndexError, MessageError):
        raise InvalidAddress("the address cannot be used in a mail") from None
