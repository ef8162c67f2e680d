"""Who is sent when: order within an incident, the cap of a destination, fairness, leases; under several workers."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from inbox import settings as settings_module
from inbox.domain import ids
from inbox.domain.delivery import Receipt
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import AttemptOutcome, record_results
from inbox.models.sql.base import new_id
from inbox.models.tables.destinations import Destination
from inbox.models.tables.notices import Delivery
from inbox.queue import job_queues
from inbox.settings import Settings
from tests.cast import NOW, Cast, present
from tests.outgoing_posts import attempts_of, fresh, make_destination, make_incident, owe, statuses
from tests.receivers import Answer, Receiver, Request
from tests.workers import workers

LEASE = timedelta(seconds=45)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def destination(cast: Cast, receiver: Receiver) -> Destination:
    return make_destination(cast.workspace, receiver)


@pytest.fixture
def chosen(ground: object, settings: Settings) -> Callable[..., None]:
    """Change settings for one test."""

    def choose(**changes: int) -> None:
        settings_module.use(replace(settings, **changes))

    return choose


def test_two_workers_keep_the_order_of_each_incident_and_send_nothing_twice(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    other = make_destination(cast.workspace, receiver.url + "/other")
    incidents = [make_incident(cast) for _ in range(8)]
    owed = [owe(to, incident, seq) for seq in range(1, 7) for incident in incidents for to in (destination, other)]
    open_lines: list[object] = []
    overtaken: list[object] = []
    lines = {ids.encode("dlv", each.id): (each.destination_id, each.incident_id) for each in owed}

    def answer(request: Request) -> Answer:
        line = lines[request.id]
        overtaken.extend(each for each in open_lines if each == line)
        open_lines.append(line)
        time.sleep(random.uniform(0, 0.03))
        open_lines.remove(line)
        return Answer()

    receiver.answer = answer

    with workers(2):
        pass

    assert {fresh(delivery).status for delivery in owed} == {"sent"}
    assert len(receiver.requests) == len(owed)
    assert overtaken == []
    assert_in_order(owed, receiver.requests)


def assert_in_order(owed: list[Delivery], requests: list[Request]) -> None:
    places = {ids.encode("dlv", each.id): ((each.destination_id, each.incident_id), each.seq) for each in owed}
    last: dict[object, int] = defaultdict(int)
    for request in requests:
        line, seq = places[request.id]
        assert seq == last[line] + 1
        last[line] = seq


def test_a_later_notice_waits_while_an_earlier_one_of_its_incident_is_tried_again(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    incident, other = make_incident(cast), make_incident(cast)
    first, second, elsewhere = owe(destination, incident, 1), owe(destination, incident, 2), owe(destination, other, 1)
    receiver.answer = lambda request: Answer(500 if request.id == ids.encode("dlv", first.id) else 200)

    deliver(present)

    assert [fresh(each).status for each in (first, second, elsewhere)] == ["retrying", "pending", "sent"]
    assert fresh(second).due_at == fresh(first).due_at
    receiver.answer = Answer()
    deliver(lambda: present() + timedelta(seconds=10))
    assert [fresh(each).status for each in (first, second)] == ["sent", "sent"]
    assert [request.id for request in receiver.requests[-2:]] == [
        ids.encode("dlv", each.id) for each in (first, second)
    ]


@pytest.mark.parametrize("settled", ["sent", "failed", "skipped", "expired"])
def test_what_is_settled_holds_nobody_up(cast: Cast, destination: Destination, settled: str) -> None:
    incident = make_incident(cast)
    owe(destination, incident, 1, status=settled, due_at=None)
    second = owe(destination, incident, 2)

    deliver(present)

    assert fresh(second).status == "sent"


def test_notices_of_no_incident_wait_for_nobody(destination: Destination, receiver: Receiver) -> None:
    receiver.script(500)
    owed = [owe(destination, created_at=present() - timedelta(seconds=9 - n)) for n in range(3)]

    deliver(present)

    assert [fresh(each).status for each in owed].count("sent") == 2


def test_at_most_eight_calls_of_one_destination_are_open_whatever_the_workers(
    destination: Destination, receiver: Receiver
) -> None:
    gate = threading.Event()
    receiver.answer = Answer(gate=gate)
    for _ in range(30):
        owe(destination)

    with workers(3):
        receiver.wait_until_open(8)
        gate.set()

    assert receiver.most_open == 8
    assert statuses(destination.id) == ["sent"] * 30
    assert len(receiver.by_id()) == len(receiver.requests) == 30


def test_claims_at_one_moment_keep_the_cap_and_take_nothing_twice(destination: Destination) -> None:
    for _ in range(40):
        owe(destination)
    start = threading.Barrier(6)

    def claim_some() -> list[object]:
        start.wait()
        return [claimed.id for _ in range(5) for claimed, _ in claim_due(present(), 3).calls]

    with workers(6, claim_some) as claimers:
        pass

    taken = [each for claimer in claimers for each in claimer.result()]
    assert len(taken) == len(set(taken)) == 8


def test_a_destination_with_thousands_due_starves_nobody(cast: Cast, destination: Destination) -> None:
    model = owe(destination)
    Delivery.insert_many(
        [
            {**model.__data__, "id": new_id(), "due_at": NOW - timedelta(hours=1), "replay_of": model.id}
            for _ in range(3_000)
        ]
    ).execute()
    others = [make_destination(cast.workspace, "http://127.0.0.1:9/") for _ in range(5)]
    owed = [owe(other, due_at=NOW, created_at=NOW) for other in others]

    claim = claim_due(NOW, 8)

    assert {delivery.id for delivery in owed} <= {claimed.id for claimed, _ in claim.calls}
    assert len(claim.calls) == 8


def test_a_slow_destination_delays_no_other_not_even_what_comes_later(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    gate = threading.Event()
    receiver.answer = Answer(gate=gate)
    for _ in range(20):
        owe(destination)
    with Receiver() as quick:
        fast = make_destination(cast.workspace, quick)
        with workers(1):
            receiver.wait_until_open(8)
            owe(fast)
            quick.wait_for(1)
            assert receiver.now_open == 8
            gate.set()

    assert statuses(fast.id) == ["sent"]
    assert statuses(destination.id) == ["sent"] * 20


def test_a_receiver_that_hangs_is_left_after_the_time_and_tried_again(
    destination: Destination, receiver: Receiver, chosen: Callable[..., None]
) -> None:
    chosen(delivery_timeout_seconds=1)
    receiver.answer = Answer(gate=threading.Event())
    delivery = owe(destination)

    deliver(present)

    assert (fresh(delivery).status, fresh(delivery).cause) == ("retrying", "timeout")


def test_what_a_dead_worker_had_is_sent_again_after_its_lease_with_the_same_id(
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
    ((again, _),) = claim_due(NOW + LEASE, 10).calls

    record_results([AttemptOutcome(claimed, addressee.generation, Receipt(status_code=status_code), NOW)], NOW + LEASE)

    assert (fresh(delivery).status, fresh(delivery).attempt) == ("sending", 2)
    assert attempts_of(delivery) == []
    assert (fresh(destination).stopped_at, fresh(destination).rejections_in_a_row) == (None, 0)
    record_results([AttemptOutcome(again, addressee.generation, Receipt(status_code=200), NOW)], NOW + LEASE)
    assert fresh(delivery).status == "sent"


def test_an_answer_settled_twice_counts_once(destination: Destination) -> None:
    owe(destination, due_at=NOW)
    ((claimed, addressee),) = claim_due(NOW, 10).calls
    outcome = AttemptOutcome(claimed, addressee.generation, Receipt(status_code=400), NOW)

    record_results([outcome], NOW)
    record_results([outcome], NOW)

    assert fresh(destination).rejections_in_a_row == 1


def test_more_than_one_worker_can_hold_calls_another_one(
    cast: Cast, receiver: Receiver, chosen: Callable[..., None]
) -> None:
    chosen(delivery_concurrency=4)
    for _ in range(8):
        owe(make_destination(cast.workspace, receiver))

    deliver(present)

    assert job_queues().redis.llen("rq:queue:delivery") == 1
    assert len(receiver.requests) == 8


def test_a_job_that_has_run_long_enough_leaves_the_rest_to_the_next_one(
    destination: Destination, receiver: Receiver
) -> None:
    owe(destination)

    assert deliver(present, run_seconds=-1) == 0

    assert job_queues().redis.llen("rq:queue:delivery") == 1
    assert receiver.requests == []


def test_when_all_is_sent_no_caller_is_left_behind(destination: Destination) -> None:
    for _ in range(20):
        owe(destination)

    assert deliver(present) == 20

    assert [thread for thread in threading.enumerate() if thread.name == "delivery"] == []


def test_a_worker_that_is_to_end_finishes_what_is_open_and_takes_nothing_more(
    destination: Destination, receiver: Receiver
) -> None:
    gate, leaving = threading.Event(), threading.Event()
    receiver.answer = Answer(gate=gate)
    for _ in range(20):
        owe(destination)

    with workers(1, lambda: deliver(present, is_leaving=leaving.is_set)):
        receiver.wait_until_open(8)
        leaving.set()
        gate.set()

    assert sorted(statuses(destination.id)) == ["pending"] * 12 + ["sent"] * 8
    assert job_queues().redis.llen("rq:queue:delivery") == 1
