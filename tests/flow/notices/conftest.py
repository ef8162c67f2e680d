"""Twilio's stand-in, and the destination that sends through it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inbox.models.deliveries.destinations import Destination
from tests.cast import Cast
from tests.stand_ins.twilio import TwilioServer, make_provider


@pytest.fixture
def twilio() -> Iterator[TwilioServer]:
    with TwilioServer() as server:
        yield server


@pytest.fixture
def provider(cast: Cast, twilio: TwilioServer) -> Destination:
    return make_provider(cast.workspace, twilio)
