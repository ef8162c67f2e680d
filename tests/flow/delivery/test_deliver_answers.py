"""Answers of a receiver: their effect on the delivery and its destination (specification 9.7), over real HTTP."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from inbox.domain.deliveries.delivery import ATTEMPTS, RETRY_DELAYS
from inbox.domain.values import ids
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.runtime.queue import job_queues
from tests.cast import NOW, Cast, present
from tests.stand_ins.outgoing_posts import BODY, attempts_of, fresh, make_destination, make_due, owe
from tests.stand_ins.receivers import SECRET, Answer, Receiver


def send(delivery: Delivery, *, now: datetime = NOW) -> Delivery:
    """One attempt, however long the delivery had to wait for it."""
    Delivery.update(due_at=now).where(Delivery.id == delivery.id, Delivery.due_at.is_null(False)).execute()
    deliver(lambda: now)
    return fresh(delivery)


def test_a_notice_is_one_signed_post_with_the_exact_body(destination: Destination, receiver: Receiver) -> None:
    delivery = owe(destination)

    deliver(present)

    (request,) = receiver.requests
    assert request.method == "POST"
    assert request.path == "/hook"
    assert request.headers["content-type"] == "application/json"
    assert request.body == BODY.encode()
    assert request.verified()
    assert fresh(delivery).status == "sent"


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_2xx_is_sent_and_clears_the_count(destination: Destination, receiver: Receiver, status: int) -> None:
    Destination.update(rejections_in_a_row=4).execute()
    receiver.script(status)

    delivery = send(owe(destination))

    assert (delivery.status, delivery.cause, delivery.due_at, delivery.settled_at) == ("sent", None, None, NOW)
    (attempt,) = attempts_of(delivery)
    assert (attempt.status_code, attempt.error) == (status, None)
    assert fresh(destination).rejections_in_a_row == 0


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_statuses_of_revoked_access_stop_the_destination_and_hold_the_delivery(
    destination: Destination, receiver: Receiver, status: int
) -> None:
    receiver.script(status)

    delivery = send(owe(destination))

    stopped = fresh(destination)
    assert (stopped.stopped_at, stopped.stopped_reason) == (NOW, f"http_{status}")
    assert (delivery.status, delivery.cause) == ("held", "stopped")
    (attempt,) = attempts_of(delivery)
    assert (attempt.status_code, attempt.error) == (status, f"http_{status}")


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 599])
def test_temporary_failures_are_retried_later(destination: Destination, receiver: Receiver, status: int) -> None:
    receiver.script(status)

    delivery = send(owe(destination))

    assert (delivery.status, delivery.cause) == ("retrying", f"http_{status}")
    assert timedelta(seconds=4) <= delivery.due_at - NOW <= timedelta(seconds=6)
    assert fresh(destination).stopped_at is None
    assert fresh(destination).rejections_in_a_row == 0


@pytest.mark.parametrize("status", [400, 402, 405, 409, 418, 422, 451])
def test_any_other_4xx_gives_up_that_one_and_later_ones_are_sent(
    destination: Destination, receiver: Receiver, status: int
) -> None:
    receiver.script(status)

    delivery = send(owe(destination))
    later = send(owe(destination))

    assert (delivery.status, delivery.cause) == ("failed", f"http_{status}")
    assert later.status == "sent"
    assert fresh(destination).rejections_in_a_row == 0


def test_the_fifth_refusal_in_a_row_stops_the_destination(destination: Destination, receiver: Receiver) -> None:
    receiver.script(400, 422, 400, 409, 400)

    ended = [send(owe(destination)) for _ in range(5)]

    assert [delivery.status for delivery in ended] == ["failed"] * 4 + ["held"]
    assert fresh(destination).stopped_reason == "http_400"


def test_a_single_delivered_notice_clears_the_count(destination: Destination, receiver: Receiver) -> None:
    receiver.script(400, 400, 400, 400, 200, 400, 400, 400, 400)

    for _ in range(9):
        send(owe(destination))

    assert fresh(destination).stopped_at is None
    assert fresh(destination).rejections_in_a_row == 4


def test_a_retried_answer_neither_counts_as_a_refusal_nor_clears_the_count(
    destination: Destination, receiver: Receiver
) -> None:
    receiver.script(400, 500, 429, 400)

    for _ in range(4):
        send(owe(destination))

    assert fresh(destination).rejections_in_a_row == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_never_followed(destination: Destination, receiver: Receiver, status: int) -> None:
    with Receiver() as elsewhere:
        receiver.script(Answer(status, headers={"Location": elsewhere.url}))

        delivery = send(owe(destination))

        assert (delivery.status, delivery.cause) == ("retrying", f"redirect_{status}")
        assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (Answer(reset=True), "connection_lost"),
        (Answer(raw=b"SSH-2.0-OpenSSH_9.6\r\n"), "bad_answer"),
        (Answer(raw=b""), "connection_lost"),
    ],
)
def test_a_broken_answer_is_tried_again(
    destination: Destination, receiver: Receiver, answer: Answer, trouble: str
) -> None:
    receiver.answer = answer

    delivery = send(owe(destination))

    assert (delivery.status, delivery.cause) == ("retrying", trouble)


def test_an_unreachable_receiver_is_retried(cast: Cast) -> None:
    with Receiver() as gone:
        destination = make_destination(cast.workspace, gone)

    delivery = send(owe(destination))

    assert (delivery.status, delivery.cause) == ("retrying", "connect_failed")


def test_a_huge_answer_is_read_in_part_and_of_a_loopback_address_nothing_is_kept(
    destination: Destination, receiver: Receiver
) -> None:
    receiver.script(Answer(500, b"no room \x07" * 100_000))

    delivery = send(owe(destination))

    (attempt,) = attempts_of(delivery)
    assert attempt.status_code == 500
    assert attempt.excerpt == ""


def test_a_failing_delivery_uses_every_retry_delay_with_one_id_and_then_fails(
    destination: Destination, receiver: Receiver
) -> None:
    receiver.answer = Answer(503)
    delivery = owe(destination)

    waits = []
    for number in range(1, ATTEMPTS + 1):
        now = NOW + timedelta(days=number)
        delivery = send(delivery, now=now)
        if delivery.due_at is not None:
            waits.append((delivery.due_at - now) / RETRY_DELAYS[number])

    assert (delivery.status, delivery.cause, delivery.attempt) == ("failed", "http_503", 10)
    assert len(waits) == 9
    assert all(0.8 <= wait <= 1.2 for wait in waits)
    assert len(set(waits)) > 1, "no jitter"
    assert [attempt.number for attempt in attempts_of(delivery)] == list(range(1, 11))
    assert len({request.id for request in receiver.requests}) == 1
    assert len({request.body for request in receiver.requests}) == 1
    assert len({request.headers["webhook-timestamp"] for request in receiver.requests}) == 10
    assert len({request.headers["webhook-signature"] for request in receiver.requests}) == 10


@pytest.mark.parametrize(("requested", "waited"), [("120", 120), ("86400", 3600), ("1", 5), ("soon", 5)])
def test_retry_after_is_obeyed_up_to_an_hour_and_never_shortens_the_wait(
    destination: Destination, receiver: Receiver, requested: str, waited: int
) -> None:
    receiver.script(Answer(429, headers={"Retry-After": requested}))

    delivery = send(owe(destination))

    assert 0.8 * waited <= (delivery.due_at - NOW).total_seconds() <= 1.2 * waited
    if waited > 5:
        assert delivery.due_at - NOW == timedelta(seconds=waited)


def test_a_retry_sends_a_wake_up_at_its_due_time(destination: Destination, receiver: Receiver) -> None:
    receiver.script(500)

    delivery = send(owe(destination), now=present())

    ((_, score),) = job_queues().redis.zrange("rq:scheduler:scheduled_jobs", 0, -1, withscores=True)
    assert 0 <= score - delivery.due_at.timestamp() <= 2


def test_a_secret_that_cannot_be_opened_is_a_failure_of_that_destination_alone(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    swapped = make_destination(cast.workspace, receiver)
    Destination.update(sealed=destination.sealed).where(Destination.id == swapped.id).execute()
    broken, fine = owe(swapped), owe(destination)

    deliver(lambda: present())

    assert (fresh(broken).status, fresh(broken).cause) == ("retrying", "unsendable")
    assert fresh(fine).status == "sent"
    assert [request.id for request in receiver.requests] == [ids.encode("dlv", fine.id)]


def test_an_address_that_may_not_be_called_is_checked_at_every_attempt(cast: Cast) -> None:
    delivery = owe(make_destination(cast.workspace, "http://169.254.169.254/latest"))

    assert (send(delivery).status, fresh(delivery).cause) == ("retrying", "address_refused")


def test_a_secret_repeated_by_the_receiver_is_not_stored(
    destination: Destination, receiver: Receiver, capfd: pytest.CaptureFixture[str]
) -> None:
    receiver.script(Answer(400, f"bad key {SECRET}".encode()))

    delivery = send(owe(destination))

    (attempt,) = attempts_of(delivery)
    assert SECRET not in repr([attempt.__data__, delivery.__data__, fresh(destination).__data__])
    assert SECRET not in "".join(capfd.readouterr())


def test_a_delivery_is_not_sent_before_it_is_due(destination: Destination, receiver: Receiver) -> None:
    delivery = owe(destination, due_at=NOW + timedelta(seconds=1))

    assert deliver(lambda: NOW) == 0
    assert deliver(lambda: NOW + timedelta(seconds=1)) == 1
    assert fresh(delivery).status == "sent"


def test_making_a_delivery_due_moves_its_retry_forward(destination: Destination, receiver: Receiver) -> None:
    receiver.script(500)
    delivery = owe(destination)
    deliver(present)
    make_due(delivery)

    deliver(present)

    assert fresh(delivery).status == "sent"
