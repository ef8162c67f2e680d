"""Claims of deliveries at given times: lease time, pauses and attempt counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Self

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.destinations import Config
from inbox.flow.delivery.deliver import LEASE_MARGIN, claim_due
from inbox.flow.delivery.senders import send_one
from inbox.flow.delivery.test_send import send_test
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.cast import NOW, Cast
from tests.destinations.kinds.notice_bodies import body
from tests.destinations.kinds.stand_in import RedirectedClient
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident, owe, store_destination
from tests.stand_ins.receivers import Receiver

SECOND = timedelta(seconds=1)
LONG = 240
"""Seconds: a call may last far longer than the shipped time-out and its margin."""


@pytest.fixture
def destination(cast: Cast) -> Destination:
    return make_destination(cast.workspace, "http://127.0.0.1:9/")


@pytest.fixture
def chosen(ground: object, settings: Settings) -> Callable[..., None]:
    """Change settings for one test."""
    return lambda **changes: in_force.use(replace(settings, **changes))


def claimed(at: datetime, room: int = 100) -> list[object]:
    """The deliveries that a worker takes at this moment."""
    return [each.id for each, _ in claim_due(at, room).calls]


def test_a_claim_holds_for_as_long_as_the_time_out_that_was_chosen(
    destination: Destination, settings: Settings, chosen: Callable[..., None]
) -> None:
    assert settings.delivery_timeout_seconds + LEASE_MARGIN.total_seconds() < LONG
    chosen(delivery_timeout_seconds=LONG)
    delivery = owe(destination, created_at=NOW)

    assert claimed(NOW) == [delivery.id]
    assert fresh(delivery).lease_until == NOW + LONG * SECOND + LEASE_MARGIN
    assert claimed(NOW + LONG * SECOND) == []
    assert claimed(NOW + LONG * SECOND + LEASE_MARGIN + SECOND) == [delivery.id]


class NotingClient(RedirectedClient):
    """A client that notes how long its calls may take."""

    def limited(self, seconds: float) -> Self:
        self.limits = [*getattr(self, "limits", []), seconds]
        return self


def test_all_calls_of_a_message_end_before_its_lease(
    cast: Cast, receiver: Receiver, chosen: Callable[..., None]
) -> None:
    chosen(delivery_timeout_seconds=LONG)
    url = f"{receiver.url}/api/webhooks/1/token"
    owe(
        store_destination(cast.workspace, "discord", Config({}, {"url": url})),
        make_incident(cast), 2, body=body("escalated").decode(), created_at=NOW,
    )  # fmt: skip
    ((claim, state),) = claim_due(NOW, 1).calls
    client = NotingClient(receiver)

    send_one(replace(claim, reference={"id": "1", "place": "channel"}), state, client, lambda: NOW)

    assert [each.method for each in receiver.requests] == ["PATCH", "POST"]
    assert LONG < client.limits[1] < client.limits[0] < LONG + LEASE_MARGIN.total_seconds()


@pytest.mark.parametrize("seconds", [0, 1, 60, 3599])
def test_no_notice_overtakes_an_earlier_one_of_its_incident_that_waits_for_its_retry(
    cast: Cast, destination: Destination, seconds: int
) -> None:
    incident, other = make_incident(cast), make_incident(cast)
    repeated = NOW + timedelta(hours=1)
    first = owe(destination, incident, 1, created_at=NOW, status="retrying", attempt=1, due_at=repeated)
    second = owe(destination, incident, 2, created_at=NOW)
    elsewhere = owe(destination, other, 1, created_at=NOW)

    taken = claimed(NOW + seconds * SECOND)

    assert taken == [elsewhere.id]
    assert [fresh(each).attempt for each in (first, second)] == [1, 0]


def test_a_notice_goes_behind_the_retry_that_it_waited_for(cast: Cast, destination: Destination) -> None:
    incident = make_incident(cast)
    first = owe(destination, incident, 1, created_at=NOW, status="retrying", attempt=1, due_at=NOW + SECOND)
    second = owe(destination, incident, 2, created_at=NOW)

    assert claimed(NOW + SECOND) == [first.id]
    assert claimed(NOW + 2 * SECOND) == []
    Delivery.update(status="sent", due_at=None, settled_at=NOW).where(Delivery.id == first.id).execute()
    assert claimed(NOW + 3 * SECOND) == [second.id]


def test_the_calls_of_a_dead_worker_count_for_the_cap_until_their_leases_end(
    destination: Destination, settings: Settings, chosen: Callable[..., None]
) -> None:
    chosen(destination_concurrency=2)
    due = {owe(destination, created_at=NOW).id for _ in range(6)}
    lease = settings.delivery_timeout_seconds * SECOND + LEASE_MARGIN

    dead = set(claimed(NOW))
    assert len(dead) == 2
    assert claimed(NOW + lease - SECOND) == []
    after = set(claimed(NOW + lease + SECOND))

    assert len(after) == 2
    assert after <= due
    assert db.execute_sql("SELECT count(*) FROM deliveries WHERE status = 'sending'").fetchone()[0] >= 2


@pytest.mark.parametrize(
    "fields", [{"name": "Works"}, {"enabled": False}, {"stopped_at": NOW, "stopped_reason": "http_401"}]
)
def test_a_test_whose_process_dies_is_neither_repeated_nor_held(
    destination: Destination, settings: Settings, fields: dict[str, Any]
) -> None:
    Destination.update(**fields).execute()
    times = iter([NOW])
    with pytest.raises(StopIteration):  # when the call asks for the time
        send_test(destination.id, lambda: next(times))
    lease = settings.delivery_timeout_seconds * SECOND + LEASE_MARGIN

    assert claimed(NOW + lease - SECOND) == []
    assert Delivery.get().status == "sending"
    assert claimed(NOW + lease) == []

    left = Delivery.get()
    assert (left.reason, left.status, left.cause, left.attempt) == ("test", "failed", "connection_lost", 1)
    assert (left.due_at, left.lease_until, left.settled_at) == (None, None, NOW + lease)
