"""Reports of services on messages that they accepted (specification 9.21)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from inbox.destinations import REPORTING
from inbox.domain.values.refusals import TokenInvalid
from inbox.flow.delivery.status_callbacks import record_undelivered
from inbox.identity import status_tokens
from inbox.identity.tickets import TicketRefused
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery


def receive(token: str, form: Mapping[str, str], now: datetime, *, signing_key: str) -> None:
    """Process a report. Only the report of a message that did not arrive changes its delivery.

    Raises `TokenInvalid` for a wrong or old token, and `Unavailable` while the message is being sent.
    """
    try:
        sent = status_tokens.verify(signing_key, token, now)
    except TicketRefused:
        raise TokenInvalid from None
    kind = (
        Destination.select(Destination.kind)
        .join(Delivery, on=Delivery.destination_id == Destination.id)
        .where(Delivery.id == sent.delivery_id)
        .scalar()
    )
    why = REPORTING[kind].undelivered_because(form) if kind in REPORTING else None
    if why is not None:
        record_undelivered(sent, why, now)
