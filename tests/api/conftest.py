"""Fixtures of API tests."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import orjson
import peewee
import pytest
import structlog

from inbox.api import blueprints  # noqa: F401 - its import fills POLICY, for whose endpoints tests are collected
from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.runtime import logs
from tests.api.events.exchanges import Readers, both_readers


@pytest.fixture
def lines(ground: peewee.Database, settings: Settings) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """`lines()` are the log lines of this test so far, from INFO on."""
    written = io.StringIO()
    logs.start("INFO", application="inbox-test")
    structlog.configure(**structlog.get_config() | {"logger_factory": structlog.WriteLoggerFactory(file=written)})
    yield lambda: [orjson.loads(line) for line in written.getvalue().splitlines()]
    logs.start(settings.log_level, application="inbox-test")


@pytest.fixture
def in_settings(settings: Settings) -> Iterator[Callable[..., Settings]]:
    """`in_settings(rate_limits=True)` puts other settings in force until the test ends."""

    def use(**changes: Any) -> Settings:
        chosen = replace(settings, **changes)
        in_force.use(chosen)
        return chosen

    yield use
    in_force.use(settings)


@pytest.fixture(scope="module")
def readers(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    """Two web processes for the tests of a file, of which one reads plain requests itself."""
    with both_readers(settings, tmp_path_factory.mktemp("web")) as readers:
        yield readers
