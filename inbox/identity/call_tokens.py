"""Signed tokens of calls: whoever has one answers a page in the name of the called person (specification 23.21)."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from inbox.identity import tickets
from inbox.identity.tickets import TicketRefused

PURPOSE = "call_answer"
LIFETIME = timedelta(hours=1)


def issue(key: str, delivery_id: UUID, now: datetime) -> str:
    """Return the token of a call about this delivery. It is valid for `LIFETIME` from `now`."""
    return tickets.issue(key, PURPOSE, {"delivery": delivery_id.hex}, now=now, lifetime=LIFETIME)


def verify(key: str, token: str, now: datetime) -> UUID:
    """Return the delivery of this token. Raises `TicketRefused`."""
    values = tickets.verify(key, PURPOSE, token, now=now).values
    try:
        return UUID(values["delivery"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TicketRefused from None
