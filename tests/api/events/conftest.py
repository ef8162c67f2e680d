"""Fixtures of ingest tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from flask import Flask

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from tests.api.events.senders import DOORS, Sender
from tests.api.events.wire import Wire
from tests.cast import Cast
from tests.live.web import Web


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> str:
    """The entry point that takes the events. Every test must pass at both."""
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


@pytest.fixture(scope="module", params=[True, False], ids=["fast path", "gunicorn"])
def web(settings: Settings, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Web]:
    """One worker, as an operator runs it, with room for 5 MiB of bodies. Everything must hold with both readers."""
    chosen = replace(settings, ingest_bytes_in_flight=5 * 1024 * 1024, fast_path=request.param)
    with Web.start(chosen, tmp_path_factory.mktemp("web"), workers=1) as web:
        yield web


@pytest.fixture
def wire(web: Web, cast: Cast) -> Iterator[Wire]:
    """Connections to that worker, which end with the test."""
    with closing(Wire(web)) as wire:
        yield wire
