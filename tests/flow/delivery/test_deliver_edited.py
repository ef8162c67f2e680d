"""Disabled, deleted and edited destinations, and their pending deliveries (specification 9.8)."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.deliveries.delivery import Receipt
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast, present
from tests.flow.delivery.stopping_steps import edit
from tests.stand_ins.outgoing_posts import fresh, owe, statuses
from tests.stand_ins.receivers import SECRET, Answer, Receiver
from tests.workers import workers

NEW_SECRET = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0LW5ldy1zZWNyZXQ="


def test_deliveries_waiting_for_a_disabled_destination_are_skipped_for_ever(
    destination: Destination, receiver: Receiver
) -> None:
    waiting = [owe(destination, status=status) for status in ("pending", "retrying", "held")]

    edit(destination, enabled=False)
    overlooked = owe(destination)
    deliver(present)
    edit(destination, enabled=True)
    deliver(present)

    assert [(fresh(each).status, fresh(each).cause) for each in [*waiting, overlooked]] == [("skipped", "disabled")] * 4
    assert receiver.requests == []


def test_deliveries_waiting_for_a_deleted_destination_are_never_sent(
    destination: Destination, receiver: Receiver
) -> None:
    waiting = [owe(destination, status=status) for status in ("pending", "retrying", "held")]

    destinations.remove(destination, expected_rev=None, now=NOW)
    overlooked = owe(destination)
    deliver(present)

    assert [(fresh(each).status, fresh(each).cause) for each in [*waiting, overlooked]] == [("skipped", "deleted")] * 4
    assert receiver.requests == []


def test_a_thousand_waiting_when_the_destination_is_deleted_cause_no_call_that_was_not_open(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    gate = threading.Event()
    receiver.answer = Answer(500, gate=gate)
    model = owe(destination)
    rows = [{**model.__data__, "id": _later(model, n), "replay_of": model.id} for n in range(200)]
    Delivery.insert_many(rows).execute()
    with workers(1):
        receiver.wait_until_open(8)
        destinations.remove(destination, expected_rev=None, now=present())
        gate.set()

    assert len(receiver.requests) == 8
    assert set(statuses(destination.id)) == {"skipped"}


def _later(delivery: Delivery, place: int) -> object:
    from inbox.database.base import new_id

    return new_id(delivery.created_at + timedelta(milliseconds=place))


@pytest.mark.parametrize(("change", "settled"), [({"enabled": False}, "disabled"), (None, "deleted")])
def test_an_open_call_is_not_repeated_after_its_destination_was_deleted(
    destination: Destination, change: dict[str, Any] | None, settled: str
) -> None:
    delivery = owe(destination, due_at=NOW)
    ((claimed, addressee),) = claim_due(NOW, 1).calls
    if change:
        edit(destination, **change)
    else:
        destinations.remove(destination, expected_rev=None, now=NOW)

    record_results([AttemptOutcome(claimed, addressee.generation, Receipt(status_code=503), NOW)], NOW)

    assert (fresh(delivery).status, fresh(delivery).cause) == ("skipped", settled)


def test_an_answer_of_an_earlier_address_stops_nothing_and_the_notice_goes_to_the_new_one(
    destination: Destination, receiver: Receiver
) -> None:
    gate = threading.Event()
    receiver.answer = Answer(401, gate=gate)
    delivery = owe(destination)
    with Receiver() as new:
        with workers(1):
            receiver.wait_until_open(1)
            edit(destination, present(), config={"url": new.url})
            gate.set()

        assert (fresh(destination).stopped_at, fresh(destination).rejections_in_a_row) == (None, 0)
        assert fresh(delivery).status == "sent"
        assert [request.id for request in new.requests] == [request.id for request in receiver.requests]


@pytest.mark.parametrize("status_code", [400, 401, 410, 422])
def test_a_refusal_of_an_earlier_secret_counts_for_nothing(destination: Destination, status_code: int) -> None:
    delivery = owe(destination, due_at=NOW)
    ((claimed, addressee),) = claim_due(NOW, 1).calls
    edit(destination, config={"secret": NEW_SECRET})

    record_results([AttemptOutcome(claimed, addressee.generation, Receipt(status_code=status_code), NOW)], NOW)

    assert (fresh(delivery).status, fresh(delivery).due_at) == ("retrying", NOW)
    assert (fresh(destination).stopped_at, fresh(destination).rejections_in_a_row) == (None, 0)


def test_both_secrets_sign_after_a_rotation(destination: Destination, receiver: Receiver) -> None:
    owe(destination)
    deliver(present)

    edit(destination, present(), config={"secret": NEW_SECRET})
    receiver.secrets = {SECRET, NEW_SECRET}
    owe(destination)
    deliver(present)

    first, second = receiver.requests
    assert first.verified(SECRET)
    assert second.verified(NEW_SECRET)
    assert second.verified(SECRET)


def test_a_secret_rotated_under_load_signs_everything_that_is_sent_from_then_on(
    destination: Destination, receiver: Receiver
) -> None:
    gate = threading.Event()
    receiver.answer = Answer(gate=gate)
    for _ in range(20):
        owe(destination)
    with workers(1):
        receiver.wait_until_open(8)
        edit(destination, present(), config={"secret": NEW_SECRET})
        receiver.forget()
        receiver.secrets = {NEW_SECRET}
        gate.set()

    assert len(receiver.requests) == 12
    assert all(request.verified(NEW_SECRET) for request in receiver.requests)


def test_fifty_refusals_at_once_stop_the_destination_exactly_at_the_fifth(
    destination: Destination, receiver: Receiver
) -> None:
    deliveries = [owe(destination, due_at=NOW) for _ in range(50)]
    claims = [call for _ in range(7) for call in _claimed_beyond_the_cap()]
    assert len(claims) == 50
    start = threading.Barrier(5)
    outcomes = [
        AttemptOutcome(claimed, addressee.generation, Receipt(status_code=400), NOW) for claimed, addressee in claims
    ]
    shares = iter([outcomes[place::5] for place in range(5)])

    def settle_some() -> None:
        own_one = next(shares)
        start.wait()
        for outcome in own_one:
            record_results([outcome], NOW)

    with workers(5, settle_some):
        pass

    ended = [fresh(delivery).status for delivery in deliveries]
    assert (ended.count("failed"), ended.count("held")) == (4, 46)
    assert fresh(destination).stopped_reason == "http_400"


def _claimed_beyond_the_cap() -> Any:
    from inbox.config import settings

    settings.use(replace(settings.current(), destination_concurrency=100))
    return claim_due(NOW, 50).calls


def test_a_worker_that_loses_its_connection_still_writes_the_answers_it_has(
    destination: Destination, receiver: Receiver, ground: Any
) -> None:
    gate = threading.Event()
    receiver.answer = Answer(gate=gate)
    delivery = owe(destination)
    with workers(1):
        receiver.wait_until_open(1)
        ground.execute_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        gate.set()

    assert (fresh(delivery).status, fresh(delivery).attempt) == ("sent", 1)
    assert len(receiver.requests) == 1
