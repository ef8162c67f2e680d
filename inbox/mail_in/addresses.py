"""Addresses of sources: `svc_mail_…` before the `@`, an optional tag after a `+`, and the domain of the instance."""

from __future__ import annotations

from typing import NamedTuple

from inbox.config import settings
from inbox.database.base import db
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind, SenderKeyKind
from inbox.models.events import sender_sources
from inbox.models.events.sender_sources import SenderSource


class MailAddress(NamedTuple):
    """A mail address in our format. `digest` is the digest of its secret part."""

    digest: bytes
    tag: str


def is_ours(address: str) -> bool:
    """Return whether the address is in the domain of this instance. Mails to other domains are never relayed."""
    return address.rpartition("@")[2].lower() == settings.current().mail_in_domain


def parse(address: str) -> MailAddress | None:
    """Return the address, if a source can have it. Mail servers may change the case of an address."""
    local, plus, tag = address.rpartition("@")[0].partition("+")
    secret = local.lower()
    if not keys.well_formed(KeyKind.MAIL, secret):
        return None
    return MailAddress(keys.digest(secret), tag if plus else "")


def source_of(address: MailAddress) -> SenderSource | None:
    """Return the source of a live address. Raises the error of an unavailable database."""
    with db.connection_context():
        return sender_sources.of_key(address.digest, SenderKeyKind.MAIL_ADDRESS)
