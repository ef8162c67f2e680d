"""Checks the settings of mail: sending, receiving, and contacts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parseaddr
from typing import NamedTuple
from urllib.parse import urlsplit

_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", re.ASCII)
LEAST_BYTES = 1_024


def outgoing(smtp_url: str, mail_from: str, contacts: Mapping[str, str]) -> list[str]:
    """Returns the faults of the settings for sending and contacts: one sentence each, by name of the variable."""
    faults = []
    if bool(smtp_url) != bool(mail_from):
        faults.append("INBOX_SMTP_URL and INBOX_MAIL_FROM go together")
    if smtp_url and not _is_mail_server(smtp_url):
        faults.append("INBOX_SMTP_URL must be smtp:// or smtps://, with user:password@ if wanted, host and port")
    _, address = parseaddr(mail_from)
    if mail_from and not (re.fullmatch(r"[^@\s]+@[^@\s]+", address) and mail_from.isprintable()):
        faults.append("INBOX_MAIL_FROM must be an address, or a name with an address in <>")
    for name, contact in contacts.items():
        if contact and not (contact.startswith(("mailto:", "https://")) and contact.isprintable()):
            faults.append(f"{name} must begin with mailto: or https://")
    return faults


def _is_mail_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("smtp", "smtps")
            and bool(parts.hostname)
            and parts.port != 0
            and parts.path in ("", "/")
            and parts.query in ("", "starttls=on", "starttls=off")
            and bool(parts.username) == bool(parts.password)
        )
    except ValueError:
        return False


class MailIn(NamedTuple):
    """The settings for receiving mails. A `port` of 0 receives none."""

    port: int
    domain: str
    most_bytes: int
    connections: int
    certificate: str
    certificate_key: str

    def faults(self) -> list[str]:
        """Returns the faults, one sentence each."""
        if not self.port:
            return []
        is_valid = {
            "INBOX_MAIL_IN_PORT must be 0 to 65535": self.port <= 65_535,
            "INBOX_MAIL_IN_DOMAIN must be a host name, as after the @ of an address": _DOMAIN.fullmatch(self.domain),
            f"INBOX_MAIL_IN_BYTES must be at least {LEAST_BYTES}": self.most_bytes >= LEAST_BYTES,
            "INBOX_MAIL_IN_CONNECTIONS must be at least 1": self.connections >= 1,
            "INBOX_MAIL_IN_CERTIFICATE and INBOX_MAIL_IN_CERTIFICATE_KEY go together": bool(self.certificate)
            == bool(self.certificate_key),
        }
        return [fault for fault in is_valid if not is_valid[fault]]
