"""Adds to text messages the numbers by which people answer them (specification 23.21)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from inbox.destinations import PAID
from inbox.domain.deliveries.paid_messages import Channel
from inbox.models.deliveries import reply_codes
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.destination_state import DestinationState


def added(
    claimed: list[ClaimedDelivery], destinations: Mapping[UUID, DestinationState], now: datetime
) -> list[ClaimedDelivery]:
    """Returns the claimed deliveries, with a number for each incident at a phone that gets text messages."""
    places = {
        each.id: (each.destination_id, each.incident_id)
        for each in claimed
        if each.incident_id is not None and _is_text(destinations[each.destination_id])
    }
    codes = reply_codes.assign(dict.fromkeys(places.values()), now)
    return [
        replace(each, reference={"code": codes[places[each.id]]}) if each.id in places else each for each in claimed
    ]


def _is_text(destination: DestinationState) -> bool:
    return destination.owner_id is not None and PAID.get(destination.kind) is Channel.SMS
