"""What the tests of ingest share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask

from inbox import settings as in_force
from inbox.settings import Settings
from tests.api.events.senders import DOORS, Sender
from tests.cast import Cast


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> str:
    """By which door events come in: everything must hold at both."""
    return str(request.param)


@pytest.fixture
def sender(app: Flask, cast: Cast, door: str) -> Sender:
    """A sender with the key of the cast's source."""
    return Sender(app, cast.key, door=door)


@pytest.fixture
def other_sender(app: Flask, cast: Cast, door: str) -> Sender:
    """A sender with the key of another workspace's source."""
    return Sender(app, cast.foreign_key, door=door)


@pytest.fixture
def no_database(settings: Settings) -> Iterator[None]:
    """Nothing answers where ingest looks for the database."""
    in_force.use(replace(settings, database_url="postgresql://nobody@127.0.0.1:1/nothing"))
    yield
    in_force.use(settings)
