"""Stopped, disabled, deleted and edited destinations, and their pending deliveries (specification 9.8)."""

from __future__ import annotations

import threading
from datetime import timedelta

from inbox.domain.values import ids
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.runtime.queue import job_queues
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast, present
from tests.flow.delivery.stopping_steps import edit
from tests.stand_ins.outgoing_posts import attempts_of, fresh, make_incident, owe
from tests.stand_ins.receivers import Answer, Receiver
from tests.workers import workers


def stop(destination: Destination, receiver: Receiver) -> None:
    """By an answer, as it happens."""
    receiver.script(410)
    refused = owe(destination, due_at=NOW, created_at=NOW)
    deliver(lambda: NOW)
    refused.delete_instance()
    receiver.forget()
    assert fresh(destination).stopped_reason == "http_410"


def hold(destination: Destination, receiver: Receiver, count: int) -> None:
    """Stop it, and owe it that many deliveries, which are held."""
    stop(destination, receiver)
    for _ in range(count):
        owe(destination, created_at=NOW, due_at=NOW)
    deliver(lambda: NOW)


def test_deliveries_waiting_for_a_destination_that_stops_are_held(destination: Destination, receiver: Receiver) -> None:
    waiting = [owe(destination, due_at=NOW + timedelta(hours=1), status=status) for status in ("pending", "retrying")]
    receiver.script(401)
    owe(destination, due_at=NOW)
    deliver(lambda: NOW)
    later = owe(destination, due_at=NOW)

    deliver(lambda: NOW)

    assert [(fresh(each).status, fresh(each).cause) for each in [*waiting, later]] == [("held", "stopped")] * 3
    assert len(receiver.requests) == 1


def test_an_edit_resumes_the_destination_and_held_deliveries_leave_in_order(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    incidents = [make_incident(cast) for _ in range(3)]
    due = [
        owe(destination, incident, seq, created_at=NOW + timedelta(seconds=seq * 10 + place))
        for seq in (1, 2, 3)
        for place, incident in enumerate(incidents)
    ]
    deliver(lambda: NOW + timedelta(hours=1))
    assert {fresh(each).status for each in due} == {"held"}

    edited = edit(destination, NOW + timedelta(hours=2), name="Repaired")
    deliver(lambda: NOW + timedelta(hours=2, seconds=1))

    assert (edited.stopped_at, edited.stopped_reason, edited.rejections_in_a_row, edited.rev) == (None, None, 0, 2)
    assert {fresh(each).status for each in due} == {"sent"}
    for incident in incidents:
        line = [ids.encode("dlv", each.id) for each in due if each.incident_id == incident.id]
        assert [request.id for request in receiver.requests if request.id in line] == line


def test_a_delivery_held_for_a_day_expires_when_the_destination_resumes(
    destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    old = owe(destination, created_at=NOW - timedelta(days=2), due_at=NOW)
    deliver(lambda: NOW)
    young = owe(destination, created_at=NOW + timedelta(minutes=1), due_at=NOW + timedelta(hours=1))
    deliver(lambda: NOW + timedelta(hours=2))

    edit(destination, NOW + timedelta(hours=24), name="Repaired")
    deliver(lambda: NOW + timedelta(hours=24))

    assert (fresh(old).status, fresh(old).cause, fresh(old).due_at) == ("expired", "stopped", None)
    assert fresh(young).status == "sent"
    assert [request.id for request in receiver.requests] == [ids.encode("dlv", young.id)]


def test_a_delivery_held_for_a_day_expires_while_the_destination_stays_stopped(
    destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    found, waiting = (
        owe(destination, created_at=NOW - timedelta(days=2), due_at=NOW, status=status)
        for status in ("pending", "retrying")
    )
    new = owe(destination, created_at=NOW, due_at=NOW, status="held", cause="stopped")
    for hour in (0, 1, 23):
        deliver(lambda hour=hour: NOW + timedelta(hours=hour))  # type: ignore[misc]
    assert [(fresh(each).status, fresh(each).due_at) for each in (found, waiting, new)] == [
        ("held", NOW + timedelta(hours=24))
    ] * 3

    deliver(lambda: NOW + timedelta(hours=24))

    for each in (found, waiting, new):
        assert (fresh(each).status, fresh(each).settled_at) == ("expired", NOW + timedelta(hours=24))


def test_a_destination_resumed_before_its_deliveries_are_claimed_sends_them(
    destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    held = owe(destination, created_at=NOW, due_at=NOW, status="held", cause="stopped")

    edit(destination, NOW + timedelta(hours=23), name="Repaired")

    assert fresh(held).status == "pending"


def test_an_old_delivery_refused_by_the_receiver_is_held_for_a_full_day(
    destination: Destination, receiver: Receiver
) -> None:
    receiver.script(410)
    refused = owe(destination, due_at=NOW, created_at=NOW - timedelta(days=2))
    for hour in (0, 23):
        deliver(lambda hour=hour: NOW + timedelta(hours=hour))  # type: ignore[misc]
    assert (fresh(refused).status, fresh(refused).due_at) == ("held", NOW + timedelta(hours=24))

    edit(destination, NOW + timedelta(hours=23), name="Repaired")

    assert fresh(refused).status == "retrying"


def test_released_deliveries_leave_five_a_second_and_the_oldest_first(
    destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    held = [owe(destination, created_at=NOW - timedelta(minutes=age), due_at=NOW) for age in range(12)]
    deliver(lambda: NOW)

    edit(destination, name="Repaired")
    sent = []
    for second in range(4):
        deliver(lambda second=second: NOW + timedelta(seconds=second))  # type: ignore[misc]
        sent.append({request.id for request in receiver.requests})

    line = [ids.encode("dlv", each.id) for each in reversed(held)]
    assert sent == [set(line[:5]), set(line[:10]), set(line), set(line)]


def test_a_worker_is_woken_in_each_second_in_which_released_deliveries_leave(
    destination: Destination, receiver: Receiver
) -> None:
    hold(destination, receiver, 11)
    redis = job_queues().redis
    redis.delete("rq:scheduler:scheduled_jobs")

    edit(destination, name="Repaired")

    seconds = [int(NOW.timestamp()) + later for later in (1, 2)]
    assert redis.zrange("rq:scheduler:scheduled_jobs", 0, -1, withscores=True) == [
        (f"delivery-{second}".encode(), second) for second in seconds
    ]


def test_a_new_notice_does_not_wait_for_released_deliveries(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    behind = make_incident(cast)
    for _ in range(6):
        owe(destination, created_at=NOW, due_at=NOW)
    last = owe(destination, behind, 1, created_at=NOW + timedelta(minutes=1), due_at=NOW)
    deliver(lambda: NOW)
    edit(destination, name="Repaired")
    new, follower = owe(destination, due_at=NOW), owe(destination, behind, 2, due_at=NOW)

    deliver(lambda: NOW)
    assert (fresh(new).status, fresh(last).status, fresh(follower).status) == ("sent", "pending", "pending")

    deliver(lambda: NOW + timedelta(seconds=1))
    line = [ids.encode("dlv", each.id) for each in (last, follower)]
    assert [request.id for request in receiver.requests if request.id in line] == line


def test_released_deliveries_respect_the_limit_of_open_calls(destination: Destination, receiver: Receiver) -> None:
    hold(destination, receiver, 40)
    gate = threading.Event()
    receiver.answer = Answer(gate=gate)

    edit(destination, name="Repaired")
    with workers(2, lambda: deliver(lambda: NOW + timedelta(minutes=1))):
        receiver.wait_until_open(8)
        gate.set()

    assert receiver.most_open == 8
    assert len(receiver.requests) == 40


def test_a_delivery_that_was_written_as_held_by_mistake_of_a_moment_is_sent(destination: Destination) -> None:
    held = owe(destination, status="held", cause="stopped")

    deliver(present)

    assert fresh(held).status == "sent"


def test_a_test_that_gets_a_2xx_resumes_a_stopped_destination(destination: Destination, receiver: Receiver) -> None:
    stop(destination, receiver)
    held = owe(destination, created_at=NOW, due_at=NOW)
    deliver(lambda: NOW)

    outcome = destinations.test(destination, clock=lambda: NOW)

    assert outcome.receipt.status_code == 200
    assert fresh(destination).stopped_at is None
    assert fresh(held).status == "pending"
    assert job_queues().redis.llen("rq:queue:delivery") == 1


def test_a_delivery_held_for_a_day_expires_when_a_test_resumes_the_destination(
    destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    old = owe(destination, created_at=NOW - timedelta(days=2), due_at=NOW)
    deliver(lambda: NOW)
    young = owe(destination, created_at=NOW + timedelta(minutes=1), due_at=NOW + timedelta(hours=1))
    deliver(lambda: NOW + timedelta(hours=2))

    destinations.test(destination, clock=lambda: NOW + timedelta(hours=24))

    assert (fresh(old).status, fresh(old).cause) == ("expired", "stopped")
    assert fresh(young).status == "pending"


def test_a_failed_test_leaves_the_destination_stopped_and_is_not_retried(
    destination: Destination, receiver: Receiver
) -> None:
    stop(destination, receiver)
    receiver.script(503)

    outcome = destinations.test(destination, clock=lambda: NOW)

    delivery = Delivery.get_by_id(outcome.delivery.id)
    assert (delivery.reason, delivery.status, delivery.cause) == ("test", "failed", "http_503")
    assert fresh(destination).stopped_reason == "http_410"
    assert [attempt.status_code for attempt in attempts_of(delivery)] == [503]
