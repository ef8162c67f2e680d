"""The entry point of each queue opens a separate connection, does the work, and permits the next wake-up."""

from __future__ import annotations

import importlib
import threading
from datetime import timedelta

import pytest
from redis import Redis
from rq import Queue

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.flow.routing.route import route
from inbox.models.incidents.tables import Incident, Timer
from inbox.runtime.queue import QueueName, job_queues
from tests.cast import Cast, present
from tests.flow.routing_fixtures import accept, event, listen


def run(wake_up: QueueName) -> None:
    """As a worker does it: in a thread that has no connection yet."""
    faults: list[BaseException] = []

    def work() -> None:
        try:
            importlib.import_module(f"jobs.{wake_up}").run()
            assert db.is_closed()
        except Exception as fault:
            faults.append(fault)
            raise

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert faults == []


def test_the_routing_job_routes_waiting_events_and_wakes_delivery(cast: Cast, settings: Settings) -> None:
    listen(cast.workspace)
    opening = accept(cast.source, present())

    run(QueueName.ROUTING)

    assert event(opening).disposition == "opened"
    redis = Redis.from_url(settings.redis_url)
    assert Queue("delivery", connection=redis).count == 1
    redis.close()


def test_the_timers_job_fires_due_timers(cast: Cast) -> None:
    opening = accept(cast.source, present())
    run(QueueName.ROUTING)
    existing = Incident.get_by_id(event(opening).incident_id)
    Incident.update(state="snoozed", snoozed_until=present()).execute()
    Timer.create(
        kind="incident.snooze_end", subject_id=existing.id, workspace_id=existing.workspace_id, due_at=present()
    )

    run(QueueName.TIMERS)

    assert Incident.get_by_id(existing.id).state == "open"


@pytest.mark.parametrize(
    "wake_up", [QueueName.ROUTING, QueueName.TIMERS, QueueName.SWEEP, QueueName.PURGE, QueueName.MAIL]
)
def test_a_wake_up_after_a_worker_arrived_calls_another(cast: Cast, settings: Settings, wake_up: QueueName) -> None:
    redis = Redis.from_url(settings.redis_url)
    job_queues().wake(wake_up)
    job_queues().wake(wake_up)
    assert Queue(wake_up.value, connection=redis).count == 1

    run(wake_up)
    job_queues().wake(wake_up)

    assert Queue(wake_up.value, connection=redis).count == 2
    redis.close()


def test_routing_yields_after_its_turn_and_sends_the_next_wake_up(cast: Cast, settings: Settings) -> None:
    opening = accept(cast.source, present())
    redis = Redis.from_url(settings.redis_url)

    with db.connection_context():
        assert route(present, idle_seconds=timedelta(0)) == 0

    assert event(opening).disposition == "pending"
    assert Queue("routing", connection=redis).count == 1
    redis.close()


def test_timers_yield_after_their_turn_and_send_the_next_wake_up(
    cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    Timer.create(
        kind="workspace.quiet_recheck", subject_id=cast.workspace.id, workspace_id=cast.workspace.id, due_at=present()
    )
    monkeypatch.setattr(importlib.import_module("jobs.timers"), "BATCH_SECONDS", timedelta(0))
    redis = Redis.from_url(settings.redis_url)

    run(QueueName.TIMERS)

    assert Timer.select().count() == 1
    assert Queue("timers", connection=redis).count == 1
    redis.close()
