"""Quiet hours for tests of notices."""

from __future__ import annotations

import pytest

from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, be_quiet
from tests.flow.routing_fixtures import route_to
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Receiver


@pytest.fixture
def pager(cast: Cast, receiver: Receiver) -> Destination:
    """A webhook at the end of the default route, on a Saturday on which it is quiet from eight to twelve."""
    destination = make_destination(cast.workspace, receiver, created_at=NOW)
    be_quiet(cast.workspace)
    route_to(cast.workspace, [destination])
    return destination


def sent(receiver: Receiver) -> list[str]:
    return [request.json["type"].removeprefix("incident.") for request in receiver.requests]


def deliver_at(minutes: float) -> None:
    deliver(lambda: NOW + minutes * MINUTE)
