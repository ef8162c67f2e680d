"""Fixtures of stream tests: web processes with a separate Redis that may be killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.runtime import queue
from ops.embedded import Servers
from tests.cast import Cast
from tests.live.web import Web


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with Servers.start(tmp_path_factory.mktemp("redis"), durable=False, postgres=False) as servers:
        yield servers


@pytest.fixture(scope="module")
def live_settings(settings: Settings, redis_server: Servers) -> Settings:
    return replace(settings, redis_url=redis_server.redis_url)


@pytest.fixture(scope="module")
def web(live_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web.start(live_settings, tmp_path_factory.mktemp("web")) as web:
        yield web
    assert '"level": "error"' not in web.log.read_text()


@pytest.fixture
def audience(cast: Cast, live_settings: Settings) -> Cast:
    """The cast; this process publishes to the Redis of the web processes, which outlive the clean database."""
    queue.use(queue.JobQueues(live_settings.redis_url))
    db.execute_sql(f"ALTER TABLE change_feed ALTER COLUMN seq RESTART WITH {time.time_ns() // 1_000_000}")
    return cast
