"""Signed tokens that end the mails of a destination (specification 9.20)."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inbox.identity import tickets
from inbox.identity.tickets import TicketRefused

PURPOSE = "unsubscribe"
LIFETIME = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Unsubscription:
    """The permission of a link: to end mails of a destination while it has the address of the mail."""

    destination_id: UUID
    address_digest: str

    def is_for(self, address: str) -> bool:
        """Return whether the mail was sent to this address."""
        return hmac.compare_digest(self.address_digest, _digest(address))


def issue(key: str, destination_id: UUID, address: str, now: datetime) -> str:
    """Return the token of a mail to this address. It is valid for `LIFETIME` from `now`."""
    values = {"destination": destination_id.hex, "address": _digest(address)}
    return tickets.issue(key, PURPOSE, values, now=now, lifetime=LIFETIME)


def verify(key: str, token: str, now: datetime) -> Unsubscription:
    """Return what this token permits. Raises `TicketRefused`."""
    values = tickets.verify(key, PURPOSE, token, now=now).values
    try:
        return Unsubscription(UUID(values["destination"]), str(values["address"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TicketRefused from None


def _digest(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()[:32]
