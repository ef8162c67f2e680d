"""Creates alarms and fallbacks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from inbox.domain.incidents.incident import Actor
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import (
    incident,
    listen,
    notices,
    route_to,
    routed,
    settle,
)
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Receiver

MIA = Actor("user", "", "Mia")


@pytest.fixture
def last(cast: Cast) -> Destination:
    """The workspace's fallback."""
    destination = listen(cast.workspace, "Last", routed=False)
    settle(cast.workspace, fallbackDestinationId=str(destination.id), renotifyMinutes={"CRITICAL": 0, "ERROR": 0})
    return destination


def because(existing: Incident) -> list[Any]:
    return [each.get("fallbackReason") for each in notices(existing.id)[-1].decisions]


def opened(cast: Cast, at: datetime = NOW, **fields: str) -> Incident:
    return incident(routed(cast.source, at, **fields).id)


def hand_over(cast: Cast, receiver: Receiver, *paths: str) -> list[Destination]:
    """Webhooks of these paths in the default route."""
    made = [make_destination(cast.workspace, receiver.url + path, name=path or "Receiver") for path in paths]
    route_to(cast.workspace, list(made))
    return made
