"""The strict push service refuses invalid requests, and its answers have the documented effects."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.deliveries.delivery import SECOND_TRY_AFTER
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.cast import Cast, present
from tests.destinations.kinds.defects import with_headers
from tests.destinations.web_push.test_web_push import notice, send
from tests.flow.notices.test_phones import phone_of
from tests.stand_ins.outgoing_posts import fresh, make_incident, owe
from tests.stand_ins.push_service import Subscription, service  # noqa: F401
from tests.stand_ins.receivers import Answer, Receiver, Request
from tests.stand_ins.strict_push import CHECKS, LARGEST, LONGEST_TTL, PushService, busy, refusal

DEFECTS: list[tuple[str, Callable[[Request], Request], int]] = [
    ("method", lambda sent: replace(sent, method="PUT"), 405),
    ("credential", lambda sent: with_headers(sent, authorization=None), 401),
    ("credential", lambda sent: with_headers(sent, authorization=sent.headers["authorization"][:-4] + "AAAA"), 401),
    ("credential", lambda sent: with_headers(sent, host="other.example"), 401),
    ("lifetime", lambda sent: with_headers(sent, ttl=None), 400),
    ("lifetime", lambda sent: with_headers(sent, ttl=str(LONGEST_TTL + 1)), 400),
    ("topic", lambda sent: with_headers(sent, topic="x" * 33), 400),
    ("topic", lambda sent: with_headers(sent, topic="a b"), 400),
    ("urgency", lambda sent: with_headers(sent, urgency="now"), 400),
    ("encoding", lambda sent: with_headers(sent, content_encoding="aesgcm"), 400),
    ("type", lambda sent: with_headers(sent, content_type="application/json"), 400),
    ("size", lambda sent: replace(sent, body=sent.body.ljust(LARGEST + 1, b"x")), 413),
    ("body", lambda sent: replace(sent, body=b""), 400),
    ("body", lambda sent: replace(sent, body=sent.body[:20] + b"\x00" + sent.body[21:]), 400),
]


@pytest.fixture
def phone(cast: Cast, service: Receiver) -> Destination:
    return phone_of(cast.users["mia"], cast, Subscription(service))


def due_delivery(phone: Destination, cast: Cast, **more: Any) -> Delivery:
    """A delivery to the phone, for the notice of another incident."""
    return owe(phone, make_incident(cast), 1, body=json.dumps(notice()), **more)


@pytest.mark.parametrize(("what", "change", "status"), DEFECTS)
def test_a_request_with_one_defect_is_refused(
    what: str,
    change: Callable[[Request], Request],
    status: int,
    service: Receiver,
) -> None:
    send(Subscription(service), notice())
    strict = PushService()

    assert strict(service.requests[0]).status == 201
    try:
        refused = strict(change(service.requests[0])).status
    except ValueError:  # the key is no point of the curve
        refused = 401
    assert refused == status


def test_each_check_has_a_defect() -> None:
    assert [what for what, *_ in CHECKS] == list(dict.fromkeys(what for what, *_ in DEFECTS))


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_left_alone_as_long_as_it_asks(
    status: int,
    cast: Cast,
    phone: Destination,
    service: Receiver,
) -> None:
    now = present()
    first, second = (due_delivery(phone, cast) for _ in range(2))
    service.script(busy(timedelta(minutes=10), status), busy(timedelta(minutes=10), status))

    deliver(lambda: now)

    assert {fresh(each).status for each in (first, second)} == {"retrying"}
    assert claim_due(now + timedelta(minutes=9, seconds=59), 10).calls == []
    now += timedelta(minutes=10, seconds=1)
    deliver(lambda: now)
    assert {fresh(each).status for each in (first, second)} == {"sent"}


def test_a_pause_of_a_phone_applies_to_all_its_messages(cast: Cast, phone: Destination, service: Receiver) -> None:
    now = present()
    due_delivery(phone, cast)
    service.script(busy(timedelta(minutes=10)))
    deliver(lambda: now)

    later = due_delivery(phone, cast, created_at=now)

    assert claim_due(now + timedelta(minutes=9), 10).calls == []
    assert fresh(later).status == "pending"


@pytest.mark.parametrize(("answer", "status"), [(refusal(413, 104), "failed"), (refusal(400, 112), "failed")])
def test_a_message_that_the_service_refuses_is_given_up_and_the_phone_stays(
    answer: Answer,
    status: str,
    cast: Cast,
    phone: Destination,
    service: Receiver,
) -> None:
    delivery = due_delivery(phone, cast)
    service.script(answer)

    deliver(present)

    assert fresh(delivery).status == status
    assert fresh(phone).stopped_at is None
    assert fresh(phone).sealed is not None


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_of_ours_deletes_no_subscription(
    status: int,
    cast: Cast,
    phone: Destination,
    service: Receiver,
) -> None:
    now = present()
    due_delivery(phone, cast, created_at=now)
    service.script(refusal(status, 109), refusal(status, 109))

    for moved in (timedelta(), SECOND_TRY_AFTER + timedelta(seconds=1)):
        now += moved
        deliver(lambda: now)  # noqa: B023  it is called at once

    assert fresh(phone).sealed is not None
    assert {each.status for each in Delivery.select()} <= {"held", "retrying"}
