"""Order of deliveries: within an incident, the cap of a destination, fairness and leases under several workers."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta

import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.cast import NOW, Cast, present
from tests.flow.delivery.order_steps import chosen  # noqa: F401
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident, owe, statuses
from tests.stand_ins.receivers import Answer, Receiver, Request
from tests.workers import workers


def test_two_workers_keep_the_order_of_each_incident_and_send_nothing_twice(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    other = make_destination(cast.workspace, receiver.url + "/other")
    incidents = [make_incident(cast) for _ in range(8)]
    due = [owe(to, incident, seq) for seq in range(1, 7) for incident in incidents for to in (destination, other)]
    open_lines: list[object] = []
    overtaken: list[object] = []
    lines = {ids.encode("dlv", each.id): (each.destination_id, each.incident_id) for each in due}

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

    assert {fresh(delivery).status for delivery in due} == {"sent"}
    assert len(receiver.requests) == len(due)
    assert overtaken == []
    assert_in_order(due, receiver.requests)


def assert_in_order(due: list[Delivery], requests: list[Request]) -> None:
    places = {ids.encode("dlv", each.id): ((each.destination_id, each.incident_id), each.seq) for each in due}
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
def test_a_settled_delivery_does_not_hold_up_the_next(cast: Cast, destination: Destination, settled: str) -> None:
    incident = make_incident(cast)
    owe(destination, incident, 1, status=settled, due_at=None)
    second = owe(destination, incident, 2)

    deliver(present)

    assert fresh(second).status == "sent"


def test_notices_of_no_incident_wait_for_nobody(destination: Destination, receiver: Receiver) -> None:
    receiver.script(500)
    due = [owe(destination, created_at=present() - timedelta(seconds=9 - n)) for n in range(3)]

    deliver(present)

    assert [fresh(each).status for each in due].count("sent") == 2


def test_a_destination_has_at_most_eight_open_calls_with_any_number_of_workers(
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
        """Claim until a claim that met no other one takes nothing."""
        start.wait()
        taken: list[object] = []
        while (batch := claim_due(present(), 3)).calls or batch.is_contended:
            taken += [claimed.id for claimed, _ in batch.calls]
        return taken

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
    due = [owe(other, due_at=NOW, created_at=NOW) for other in others]

    claim = claim_due(NOW, 8)

    assert {delivery.id for delivery in due} <= {claimed.id for claimed, _ in claim.calls}
    assert len(claim.calls) == 8


def test_a_slow_destination_delays_no_other_destination(
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
