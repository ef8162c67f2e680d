"""Streams, connections and database refusals are counted in the metrics of the process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.live.hub import Hub
from inbox.live.stream import Subscriber
from inbox.runtime.metrics import REGISTRY
from tests.api.events.senders import DOORS, Sender
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.fault_triggers import row_trigger
from tests.runtime.metrics.counted import Counted

POOL, REFUSED = "inbox_database_pool_connections", "inbox_data_errors_total"
OUT_OF_RANGE = "RAISE EXCEPTION 'x' USING ERRCODE = '22003'"


def test_streams_are_counted_as_they_open_and_shown_while_they_are_open(
    ground: peewee.Database, settings: Settings
) -> None:
    hub = Hub(settings.redis_url)
    hub.start()
    counted = Counted()
    try:
        streams = [hub.open(Subscriber(uuid4(), uuid4(), frozenset())) for _ in range(3)]
        streams[0].close()

        assert counted.of("inbox_streams_opened_total") == 3
        assert counted.of("inbox_streams_open") == 2
    finally:
        hub.stop()


def test_connections_of_the_pool_are_shown_by_their_state(ground: peewee.Database, settings: Settings) -> None:
    def used() -> tuple[float, float]:
        with db.connection_context():
            return counted.of(POOL, state="in_use"), counted.of(POOL, state="idle")

    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(db.connect).result()
        elsewhere.submit(db.close).result()
        counted = Counted()

        assert elsewhere.submit(used).result() == (1, -1)
    assert (counted.of(POOL, state="in_use"), counted.of(POOL, state="idle")) == (0, 0)
    assert REGISTRY.get_sample_value("inbox_database_pool_limit") == settings.database_connections


@pytest.mark.parametrize("door", DOORS)
def test_an_event_that_only_the_database_refuses_is_counted(app: Flask, cast: Cast, door: str) -> None:
    counted = Counted()
    with row_trigger(OUT_OF_RANGE, table="received_events"):
        answer = Sender(app, cast.key, door=door).post({"title": "a"})

    assert answer.status_code == 400
    assert counted.of(REFUSED) == 1


def test_a_write_that_only_the_database_refuses_is_counted(browser: Callable[[str], Browser], cast: Cast) -> None:
    adam, counted = browser("adam"), Counted()
    with row_trigger(OUT_OF_RANGE, table="sources"):
        answer = adam.post("/v1/sources", {"workspaceId": typeid("wsp", cast.workspace.id), "name": "Other"})

    assert answer.status_code == 400
    assert counted.of(REFUSED) == 1
