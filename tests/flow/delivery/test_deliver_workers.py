"""Leases of workers that die or are late, and workers that stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.values import ids
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.models.deliveries.destinations import Destination
from inbox.runtime.queue import job_queues
from tests.cast import NOW, Cast, present
from tests.flow.delivery.order_steps import chosen  # noqa: F401
from tests.stand_ins.outgoing_posts import attempts_of, fresh, make_destination, owe, statuses
from tests.stand_ins.receivers import Answer, Receiver
from tests.workers import workers

LEASE = timedelta(seconds=45)


def test_a_delivery_of_a_dead_worker_is_sent_again_with_the_same_id_after_its_lease(
    destination: Destination, receiver: Receiver
) -> None:
    delivery = owe(destination)
    now = present()
    ((_, _),) = claim_due(now, 10).calls

    assert deliver(lambda: now + LEASE - timedelta(seconds=1)) == 0
    assert deliver(lambda: now + LEASE) == 1

    assert (fresh(delivery).status, fresh(delivery).attempt) == ("sent", 2)
    assert [request.id for request in receiver.requests] == [ids.encode("dlv", delivery.id)]


@pytest.mark.parametrize("status_code", [200, 401, 400, 500])
def test_the_late_answer_of_a_worker_whose_lease_ended_changes_nothing(
    destination: Destination, receiver: Receiver, status_code: int
) -> None:
    delivery = owe(destination, due_at=NOW)
    ((claimed, addressee),) = claim_due(NOW, 10).calls
    ((repeated, _),) = claim_due(NOW + LEASE, 10).calls

    record_results([AttemptOutcome(claimed, addressee.generation, Receipt(status_code=status_code), NOW)], NOW + LEASE)

    assert (fresh(delivery).status, fresh(delivery).attempt) == ("sending", 2)
    assert attempts_of(delivery) == []
    assert (fresh(destination).stopped_at, fresh(destination).rejections_in_a_row) == (None, 0)
    record_results([AttemptOutcome(repeated, addressee.generation, Receipt(status_code=200), NOW)], NOW + LEASE)
    assert fresh(delivery).status == "sent"


def test_an_answer_settled_twice_counts_once(destination: Destination) -> None:
    owe(destination, due_at=NOW)
    ((claimed, addressee),) = claim_due(NOW, 10).calls
    outcome = AttemptOutcome(claimed, addressee.generation, Receipt(status_code=400), NOW)

    record_results([outcome], NOW)
    record_results([outcome], NOW)

    assert fresh(destination).rejections_in_a_row == 1


def test_a_backlog_larger_than_one_worker_wakes_another(
    cast: Cast, receiver: Receiver, chosen: Callable[..., None]
) -> None:
    chosen(delivery_concurrency=4)
    for _ in range(8):
        owe(make_destination(cast.workspace, receiver))

    deliver(present)

    assert job_queues().redis.llen("rq:queue:delivery") == 1
    assert len(receiver.requests) == 8


def test_a_stopping_worker_leaves_due_deliveries_to_another(destination: Destination, receiver: Receiver) -> None:
    owe(destination)

    assert deliver(present, is_stopping=lambda: True) == 0

    assert job_queues().redis.llen("rq:queue:delivery") == 1
    assert receiver.requests == []


def test_no_caller_thread_remains_after_the_last_delivery(destination: Destination) -> None:
    for _ in range(20):
        owe(destination)

    assert deliver(present) == 20

    assert [thread for thread in threading.enumerate() if thread.name == "delivery"] == []


def test_a_stopping_worker_finishes_open_calls_and_claims_no_more(destination: Destination, receiver: Receiver) -> None:
    gate, leaving = threading.Event(), threading.Event()
    receiver.answer = Answer(gate=gate)
    for _ in range(20):
        owe(destination)

    with workers(1, lambda: deliver(present, is_stopping=leaving.is_set)):
        receiver.wait_until_open(8)
        leaving.set()
        gate.set()

    assert sorted(statuses(destination.id)) == ["pending"] * 12 + ["sent"] * 8
    assert job_queues().redis.llen("rq:queue:delivery") == 1
