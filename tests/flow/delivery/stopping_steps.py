"""Creates stopped destinations and their pending deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.models.deliveries.destinations import Destination
from inbox.services.deliveries import destinations
from tests.cast import NOW


def edit(destination: Destination, now: datetime = NOW, **fields: Any) -> Destination:
    return destinations.edit(destination, fields, expected_rev=None, now=now)
