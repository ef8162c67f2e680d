"""A worker finds due rows without a wake-up and without a scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from inbox.models.events.tables import EventQueueRow
from tests.cast import Cast, present
from tests.flow.routing_fixtures import accept, event
from tests.jobs.worker_process import worker_of
from tests.ops.processes import Reported, until


@pytest.fixture
def worker(cast: Cast, settings: Settings, tmp_path: Path) -> Iterator[Reported]:
    with worker_of(settings, tmp_path / "worker") as reported:
        yield reported


@pytest.mark.slow
def test_an_event_whose_wake_up_was_lost_is_routed_without_a_scheduler(worker: Reported, cast: Cast) -> None:
    worker.waits_for("worker started")

    undelivered = accept(cast.source, present())

    assert until(lambda: event(undelivered).disposition == "opened", "it is routed")
    assert EventQueueRow.select().count() == 0
