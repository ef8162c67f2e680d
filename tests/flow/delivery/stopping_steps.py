"""Destinations that stop, and what waits for them, as tests make them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from inbox.models.tables.destinations import Destination
from inbox.services import destinations
from tests.cast import NOW, Cast
from tests.outgoing_posts import make_destination
from tests.receivers import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def destination(cast: Cast, receiver: Receiver) -> Destination:
    return make_destination(cast.workspace, receiver)


def edit(destination: Destination, now: datetime = NOW, **fields: Any) -> Destination:
    return destinations.edit(destination, fields, expected_rev=None, now=now)
