"""Batches and several workers: events are applied in order, exactly once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from redis import Redis
from rq import Queue

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values import ids
from inbox.flow.routing.route import route
from inbox.live.feed import Change
from inbox.models.deliveries.tables import Delivery
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import Event, ReceivedEvent
from inbox.models.incidents.tables import Incident
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName
from tests.cast import NOW, Cast, make_source, make_workspace, present
from tests.flow.routing.route_steps import (
    MINUTE,
)
from tests.flow.routing_fixtures import (
    accept,
    event,
    incident,
    listen,
    notices,
    reasons,
    reported,
    routed,
    timeline,
    waiting,
)


def test_one_batch_gives_the_results_of_its_events_one_by_one(cast: Cast) -> None:
    pager = listen(cast.workspace)
    sent = [
        accept(cast.source, NOW + step * MINUTE, **fields)
        for step, fields in enumerate(
            [
                {"severity": "WARNING"},
                {"severity": "CRITICAL"},
                {"action": "resolve"},
                {"severity": "ERROR"},
                {"severity": "INFO"},
                {"action": "resolve"},
                {"action": "resolve"},
            ]
        )
    ]

    route(lambda: NOW + 10 * MINUTE)

    assert [event(id).disposition for id in sent] == [
        "opened",
        "updated",
        "resolved",
        "opened",
        "logged",
        "resolved",
        "unmatched",
    ]
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "escalated", "resolved", "reopened", "resolved"]
    assert [notice.seq for notice in notices(incident(sent[0]).id)] == [1, 2, 3, 4, 5]
    assert timeline(incident(sent[0]).id) == ["opened", "escalated", "resolved", "reopened", "resolved"]
    assert Change.select().count() >= 1


def test_many_first_events_at_once_are_one_incident(cast: Cast) -> None:
    for _ in range(64):
        accept(cast.source)

    in_parallel(4)

    existing = Incident.get()
    assert (Incident.select().count(), existing.event_count) == (1, 64)
    assert reasons(existing.id) == ["opened"]


@pytest.mark.slow
def test_events_of_a_key_are_applied_in_order_by_any_worker(cast: Cast) -> None:
    keys, rounds = 20, 60
    sources = [cast.source, *(make_source(cast.workspace, name)[0] for name in ("A", "B", "C"))]
    fed = threading.Event()

    def feed() -> None:
        with db.connection_context():
            for step in range(rounds):
                with db.atomic():
                    for key in range(keys):
                        action = "resolve" if step % 2 else "trigger"
                        accept(sources[key % 4], NOW, key=f"key-{key}", action=action)
        fed.set()

    feeder = threading.Thread(target=feed)
    feeder.start()
    in_parallel(4, until=fed)
    feeder.join()

    assert waiting() == 0
    assert Incident.select().count() == keys
    for existing in Incident.select():
        assert (existing.state, existing.event_count, existing.reopen_count) == ("resolved", rounds, rounds // 2 - 1)
        assert [notice.seq for notice in notices(existing.id)] == list(range(1, rounds + 1))
        flapping = ["reopened", "flapping", *["reopened", "resolved"] * (rounds // 2 - 3)]
        assert reasons(existing.id) == ["opened", "resolved", "reopened", "resolved", *flapping]
    assert {e.disposition for e in Event.select(Event.disposition)} == {"opened", "resolved"}


def in_parallel(workers: int, until: threading.Event | None = None) -> None:
    def work() -> None:
        with db.connection_context():
            is_over = False
            while route(present) or not is_over:
                is_over = until is None or until.is_set()  # what came before that is seen by one more look

    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(work) for _ in range(workers)]:
            future.result()


def test_each_event_says_how_it_was_decided(cast: Cast) -> None:
    opening = routed(cast.source)

    assert opening.routing == {
        "by": "default",
        "ruleId": None,
        "trace": ["default route: ERROR opens or updates an incident"],
        "disposition": "opened",
        "act": "trigger",
        "reason": "opened",
    }


def test_events_of_a_deleted_workspace_open_nothing(cast: Cast) -> None:
    Workspace.update(deleted_at=NOW).where(Workspace.id == cast.workspace.id).execute()

    assert routed(cast.source).disposition == "dropped"
    assert Incident.select().count() == 0


def test_a_deleted_event_does_not_block_the_queue(cast: Cast) -> None:
    gone = accept(cast.source)
    ReceivedEvent.delete().where(ReceivedEvent.id == gone).execute()
    after = accept(cast.source)

    route(lambda: NOW)

    assert event(after).disposition == "opened"
    assert waiting() == 0


def test_the_stream_and_the_senders_are_notified_after_the_commit(cast: Cast, settings: Settings) -> None:
    listen(cast.workspace)
    opening = routed(cast.source)

    reported = {(ref["type"], ref["op"], ref["id"]) for change in Change.select() for ref in change.refs}
    assert ("incident", "created", ids.encode("inc", opening.incident_id)) in reported
    assert ("event", "created", ids.encode("evt", opening.id)) in reported
    assert ("delivery", "created", ids.encode("dlv", Delivery.get().id)) in reported
    redis = Redis.from_url(settings.redis_url)
    assert Queue(QueueName.DELIVERY.value, connection=redis).count == 1
    redis.close()


def test_a_storm_of_events_is_notified_as_one_resync_a_workspace(cast: Cast) -> None:
    for number in range(150):
        accept(cast.source, key=f"key-{number}", severity="INFO")
    accept(cast.foreign_source, severity="INFO")

    route(lambda: NOW)

    reported = [(ref["type"], ref["to"]) for change in Change.select() for ref in change.refs]
    assert sorted(reported) == [
        ("event", ids.encode("wsp", cast.foreign.id)),
        ("resync", ids.encode("wsp", cast.workspace.id)),
    ]


def test_numbers_are_given_out_without_a_gap_by_several_workers(cast: Cast) -> None:
    others = [make_workspace(name) for name in ("One", "Two", "Three")]
    sources = [make_source(workspace, f"S{n}")[0] for workspace in others for n in range(4)]
    for source in sources * 20:
        accept(source, key=uuid4().hex)

    in_parallel(4)

    for workspace in others:
        numbers = sorted(i.number for i in Incident.select().where(Incident.workspace_id == workspace.id))
        assert numbers == list(range(1, 81))


def test_a_shard_locked_by_another_worker_is_skipped(cast: Cast) -> None:
    accept(cast.source)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with db.connection_context(), db.atomic():
            assert event_queue.lock_shard(shard_of(cast.source.id))
            held.set()
            done.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(60)
    assert route(lambda: NOW) == 0
    done.set()
    other.join()

    assert route(lambda: NOW) == 1
