"""The delivery thread: open calls block nothing, no wake-up is lost or doubled, and it stops cleanly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from threading import Event

import pytest
from structlog.testing import capture_logs

from inbox.database import base
from inbox.flow.routing import batch
from inbox.models.deliveries.destinations import Destination
from inbox.runtime.queue import WAKEUP, QueueName, job_queues, set_worker_queues
from jobs import delivery, routing
from jobs.delivery_thread import DeliveryThread
from tests.cast import Cast, present
from tests.flow.delivery.order_steps import chosen  # noqa: F401
from tests.flow.routing_fixtures import accept, event
from tests.ops.processes import until
from tests.stand_ins.outgoing_posts import fresh, make_destination, owe, statuses
from tests.stand_ins.receivers import Answer, Receiver


@pytest.fixture
def thread(ground: object) -> Iterator[DeliveryThread]:
    thread = DeliveryThread(present)
    yield thread
    thread.end()


@pytest.fixture
def slow(cast: Cast) -> Iterator[Receiver]:
    """A receiver that answers when its gate opens."""
    with Receiver(Answer(gate=Event())) as receiver:
        yield receiver


def open_gate(receiver: Receiver) -> None:
    assert isinstance(receiver.answer, Answer) and receiver.answer.gate is not None
    receiver.answer.gate.set()


def wake_ups() -> int:
    return int(job_queues().redis.llen("rq:queue:delivery"))


def test_a_call_that_stays_open_holds_up_neither_another_destination_nor_another_job(
    cast: Cast, destination: Destination, receiver: Receiver, slow: Receiver, thread: DeliveryThread
) -> None:
    waiting = owe(make_destination(cast.workspace, slow))
    thread.wake()
    slow.wait_until_open(1)

    other, incoming = owe(destination), accept(cast.source, present())
    thread.wake()
    routing.run()

    until(lambda: fresh(other).status == "sent", "the delivery to the other destination is recorded")
    assert event(incoming).disposition == "opened"
    assert (slow.now_open, fresh(waiting).status, len(receiver.requests)) == (1, "sending", 1)

    open_gate(slow)
    thread.wait()
    assert fresh(waiting).status == "sent"


def test_no_connection_is_held_while_a_receiver_is_waited_for(
    cast: Cast, slow: Receiver, thread: DeliveryThread
) -> None:
    owe(make_destination(cast.workspace, slow))
    held = base.pool_usage()[0]

    thread.wake()
    slow.wait_until_open(1)

    until(lambda: base.pool_usage()[0] == held, "the thread has returned its connection")
    assert slow.now_open == 1


def test_wake_ups_during_the_work_are_acknowledged_before_its_end(
    cast: Cast, slow: Receiver, thread: DeliveryThread
) -> None:
    owe(make_destination(cast.workspace, slow))
    thread.wake()
    slow.wait_until_open(1)
    pending = WAKEUP.format(queue=QueueName.DELIVERY)
    job_queues().redis.set(pending, b"1")

    thread.wake()
    assert job_queues().redis.exists(pending)

    open_gate(slow)
    thread.wait()
    assert not job_queues().redis.exists(pending)


def test_a_full_worker_passes_its_wake_ups_on(
    cast: Cast,
    destination: Destination,
    receiver: Receiver,
    slow: Receiver,
    thread: DeliveryThread,
    chosen: Callable[..., None],
) -> None:
    chosen(delivery_concurrency=1)
    owe(make_destination(cast.workspace, slow))
    thread.wake()
    slow.wait_until_open(1)
    until(lambda: wake_ups() == 1, "the call that took the last slot woke another worker")
    job_queues().redis.flushdb()
    other = owe(destination)

    thread.wake()
    assert wake_ups() == 1
    thread.wake()
    until(lambda: wake_ups() == 2, "the second one follows")

    another = DeliveryThread(present)
    chosen(delivery_concurrency=2)
    another.wake()
    until(lambda: fresh(other).status == "sent", "a worker with room sends it")
    assert slow.now_open == 1
    open_gate(slow)
    another.end()


def test_a_stopping_thread_finishes_its_open_calls_and_leaves_others_to_another_worker(
    cast: Cast, slow: Receiver, thread: DeliveryThread, shutdown: Callable[[], None]
) -> None:
    destination = make_destination(cast.workspace, slow)
    for _ in range(20):
        owe(destination)
    thread.wake()
    slow.wait_until_open(8)

    shutdown()
    open_gate(slow)
    thread.end()

    assert sorted(statuses(destination.id)) == ["pending"] * 12 + ["sent"] * 8
    assert wake_ups() == 1
    thread.wake()
    thread.end()
    assert wake_ups() == 2
    assert len(slow.requests) == 8


def test_a_wake_up_after_a_failed_search_searches_again(destination: Destination) -> None:
    due, clocks = owe(destination), iter([None, *[present] * 1_000])

    def clock() -> datetime:
        moment = next(clocks)
        if moment is None:
            raise RuntimeError("no time")
        return moment()

    thread = DeliveryThread(clock)
    with capture_logs() as lines:
        thread.wake()
        thread.wait()
    assert "deliveries failed" in [line["event"] for line in lines]
    assert fresh(due).status == "pending"

    thread.wake()
    thread.wait()
    assert fresh(due).status == "sent"


def test_a_wake_up_starts_a_thread_after_a_failed_start(
    destination: Destination, monkeypatch: pytest.MonkeyPatch
) -> None:
    due, thread = owe(destination), DeliveryThread(present)

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(threading.Thread, "start", fail)
        thread.wake()
    thread.wait()

    thread.wake()
    thread.wait()
    assert fresh(due).status == "sent"


@pytest.mark.parametrize(
    ("serves", "events", "is_sent"),
    [
        ([QueueName.ROUTING, QueueName.DELIVERY], 6, True),
        ([QueueName.ROUTING, QueueName.DELIVERY], 2, False),
        ([QueueName.ROUTING], 6, False),
    ],
    ids=["a backlog", "no backlog", "deliveries are another worker's"],
)
def test_deliveries_start_between_the_rounds_of_a_routing_backlog(
    cast: Cast,
    destination: Destination,
    thread: DeliveryThread,
    monkeypatch: pytest.MonkeyPatch,
    serves: list[QueueName],
    events: int,
    is_sent: bool,
) -> None:
    monkeypatch.setattr(batch, "FETCH_SIZE", 3)
    monkeypatch.setattr(delivery, "thread", thread)
    set_worker_queues(serves)
    due = owe(destination)
    for number in range(events):
        accept(cast.source, present(), key=f"job {number}")
    job_queues().wake(QueueName.DELIVERY)

    routing.run()

    thread.wait()
    assert (fresh(due).status == "sent") is is_sent


def test_a_routing_backlog_leaves_deliveries_to_the_worker_with_their_job(
    cast: Cast, destination: Destination, thread: DeliveryThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "FETCH_SIZE", 3)
    monkeypatch.setattr(delivery, "thread", thread)
    set_worker_queues([QueueName.ROUTING, QueueName.DELIVERY])
    due = owe(destination)
    for number in range(6):
        accept(cast.source, present(), key=f"job {number}")

    routing.run()

    thread.wait()
    assert fresh(due).status == "pending"
