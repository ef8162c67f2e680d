"""A service that seems to be gone is called once more before its destination stops (specification 9.7)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.deliveries import notices
from inbox.domain.deliveries.delivery import SECOND_TRY_AFTER
from inbox.flow.delivery.deliver import deliver
from inbox.flow.delivery.test_send import send_test
from inbox.models.deliveries.destinations import Destination
from tests.cast import NOW, Cast
from tests.flow.delivery.test_action_links import chat
from tests.stand_ins.outgoing_posts import attempts_of, fresh, owe
from tests.stand_ins.receivers import Answer, Receiver

only = pytest.mark.parametrize
LATER = NOW + SECOND_TRY_AFTER
BODY = notices.body_text(notices.payload_of_test("Home", "https://inbox.example.org/w/home", NOW))


@pytest.fixture
def teams(cast: Cast, receiver: Receiver) -> Destination:
    return chat(cast, receiver)


@only("code", [401, 403, 404, 410])
def test_a_single_gone_answer_does_not_stop_the_destination(teams: Destination, receiver: Receiver, code: int) -> None:
    receiver.script(Answer(code))
    delivery = owe(teams, body=BODY, due_at=NOW, created_at=NOW)
    deliver(lambda: NOW)
    assert (fresh(delivery).status, fresh(delivery).cause) == ("retrying", f"http_{code}")
    assert fresh(delivery).due_at == LATER
    assert fresh(teams).stopped_at is None

    deliver(lambda: LATER)

    assert fresh(delivery).status == "sent"
    assert [attempt.status_code for attempt in attempts_of(delivery)] == [code, 200]


def test_a_repeated_gone_answer_stops_the_destination(teams: Destination, receiver: Receiver) -> None:
    receiver.script(Answer(404), Answer(404))
    delivery = owe(teams, body=BODY, due_at=NOW, created_at=NOW)
    other = owe(teams, body=BODY, due_at=LATER + timedelta(minutes=1), created_at=NOW)
    deliver(lambda: NOW)

    deliver(lambda: LATER)

    assert fresh(teams).stopped_reason == "http_404"
    assert [fresh(each).status for each in (delivery, other)] == ["held", "held"]


def test_a_gone_answer_between_other_failures_is_retried_once(teams: Destination, receiver: Receiver) -> None:
    receiver.script(503, 503, 503, 404, 503, 404, 200)
    delivery = owe(teams, body=BODY, due_at=NOW, created_at=NOW)
    for _ in range(7):
        due_at = fresh(delivery).due_at
        deliver(lambda due_at=due_at: due_at)  # type: ignore[misc]
        assert fresh(teams).stopped_at is None

    assert [attempt.status_code for attempt in attempts_of(delivery)] == [503, 503, 503, 404, 503, 404, 200]
    assert fresh(delivery).status == "sent"


def test_an_old_delivery_is_tried_twice_too(teams: Destination, receiver: Receiver) -> None:
    receiver.script(Answer(404))
    delivery = owe(teams, body=BODY, due_at=NOW, created_at=NOW - timedelta(hours=8))

    deliver(lambda: NOW)

    assert fresh(delivery).status == "retrying"


def test_a_test_is_answered_at_once(teams: Destination, receiver: Receiver) -> None:
    receiver.script(Answer(404))

    send_test(teams.id, lambda: NOW)

    assert fresh(teams).stopped_reason == "http_404"


def test_a_webhook_stops_at_once(destination: Destination, receiver: Receiver) -> None:
    receiver.script(404)
    owe(destination, due_at=NOW, created_at=NOW)

    deliver(lambda: NOW)

    assert fresh(destination).stopped_reason == "http_404"
