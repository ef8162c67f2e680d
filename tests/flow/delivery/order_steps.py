"""Deliveries to slow and counting receivers, as tests of their order make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from inbox import settings as settings_module
from inbox.models.tables.destinations import Destination
from inbox.settings import Settings
from tests.cast import Cast
from tests.outgoing_posts import make_destination
from tests.receivers import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def destination(cast: Cast, receiver: Receiver) -> Destination:
    return make_destination(cast.workspace, receiver)


@pytest.fixture
def chosen(ground: object, settings: Settings) -> Callable[..., None]:
    """Change settings for one test."""

    def choose(**changes: int) -> None:
        settings_module.use(replace(settings, **changes))

    return choose
