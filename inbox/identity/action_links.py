"""Signed tokens of action links. The holder may do one thing to one incident for a day (specification 9.15)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.incidents.incident import Act
from inbox.identity import tickets
from inbox.identity.tickets import TicketRefused

PURPOSE = "action_link"
LIFETIME = timedelta(hours=24)
ACTS = (Act.ACKNOWLEDGE, Act.RESOLVE)


@dataclass(frozen=True, slots=True)
class Permission:
    """The permission of a link. `destination_id` is the destination that its message was sent to."""

    act: Act
    incident_id: UUID
    destination_id: UUID


def issue(key: str, permission: Permission, now: datetime) -> str:
    """Return the token of a link that is valid for `LIFETIME` from `now`."""
    values = {
        "act": str(permission.act),
        "incident": permission.incident_id.hex,
        "destination": permission.destination_id.hex,
    }
    return tickets.issue(key, PURPOSE, values, now=now, lifetime=LIFETIME)


def verify(key: str, token: str, now: datetime) -> Permission:
    """Return what this token permits. Raises `TicketRefused`."""
    values = tickets.verify(key, PURPOSE, token, now=now).values
    try:
        found = Permission(Act(values["act"]), UUID(values["incident"]), UUID(values["destination"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TicketRefused from None
    if found.act not in ACTS:
        raise TicketRefused
    return found
