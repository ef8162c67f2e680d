"""Signed tokens with which a service reports the result of a message (specification 9.21)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inbox.identity import tickets
from inbox.identity.tickets import TicketRefused

PURPOSE = "delivery_status"
LIFETIME = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class SentAttempt:
    """The attempt of a token. `number` counts from 1."""

    delivery_id: UUID
    number: int


def issue(key: str, attempt: SentAttempt, now: datetime) -> str:
    """Return the token of this attempt. It is valid for `LIFETIME` from `now`."""
    values = {"delivery": attempt.delivery_id.hex, "attempt": attempt.number}
    return tickets.issue(key, PURPOSE, values, now=now, lifetime=LIFETIME)


def verify(key: str, token: str, now: datetime) -> SentAttempt:
    """Return the attempt of this token. Raises `TicketRefused`."""
    values = tickets.verify(key, PURPOSE, token, now=now).values
    try:
        return SentAttempt(UUID(values["delivery"]), int(values["attempt"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TicketRefused from None
