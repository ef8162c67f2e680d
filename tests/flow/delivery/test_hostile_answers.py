"""Answers with values that PostgreSQL cannot store: the loop and other deliveries continue."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inbox.destinations import Config, outbound_policy
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.deliveries.message_references import LONGEST
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome, send_one
from inbox.models.deliveries.destinations import Destination, DestinationMessage
from tests.cast import Cast, present
from tests.flow.delivery.test_message_references import Clock, notify
from tests.flow.delivery.test_message_references import Reason as NoticeReason
from tests.stand_ins.outgoing_posts import (
    attempts_of,
    fresh,
    make_destination,
    make_incident,
    owe,
    statuses,
    store_destination,
)
from tests.stand_ins.receivers import Answer, Receiver


def discord_at(cast: Cast, receiver: Receiver) -> Destination:
    url = f"{receiver.url.rstrip('/')}/api/webhooks/1/token"
    return store_destination(cast.workspace, "discord", Config({"urlHint": "…oken"}, {"url": url}))


@pytest.mark.parametrize("id", ["\\u0000", "1\\ud800", "1" * (LONGEST + 1)], ids=["nul", "surrogate", "long"])
def test_a_message_id_that_cannot_be_stored_is_dropped_and_harms_no_other_delivery(
    cast: Cast, receiver: Receiver, id: str
) -> None:
    hostile, clock = discord_at(cast, receiver), Clock()
    with Receiver() as good:
        other = make_destination(cast.workspace, good)
        receiver.answer = Answer(200, b'{"id": "%s"}' % id.encode())
        notify(hostile, make_incident(cast), 1, NoticeReason.OPENED)
        for _ in range(3):
            owe(other, created_at=clock.now)

        deliver(clock)

        assert (statuses(hostile.id), statuses(other.id)) == (["sent"], ["sent"] * 3)
        assert (len(receiver.requests), len(good.requests)) == (1, 3)
    assert DestinationMessage.select().count() == 0


@pytest.mark.parametrize("poison", [{"excerpt": "a\0b"}, {"excerpt": "\ud800"}, {"status_code": 10**12}])
def test_a_result_that_cannot_be_stored_leaves_other_results_alone(
    cast: Cast, receiver: Receiver, poison: dict[str, Any]
) -> None:
    one, other = (make_destination(cast.workspace, receiver) for _ in range(2))
    poisoned, clean = owe(one), owe(other)
    calls = claim_due(present(), 2).calls
    outcomes = [send_one(*each, outbound_policy.client(), present) for each in calls]

    def bad(outcome: AttemptOutcome) -> AttemptOutcome:
        return replace(outcome, receipt=replace(outcome.receipt, **poison))

    record_results([bad(each) if each.delivery.id == poisoned.id else each for each in outcomes], present())

    assert fresh(clean).status == "sent"
    if "excerpt" in poison:
        assert fresh(poisoned).status == "sent"
        assert [each.excerpt for each in attempts_of(poisoned)] == [""]


def test_a_refusal_with_a_text_that_cannot_be_stored_counts_once(cast: Cast, receiver: Receiver) -> None:
    destination = make_destination(cast.workspace, receiver)
    delivery = owe(destination)
    ((claimed, state),) = claim_due(present(), 1).calls

    record_results([AttemptOutcome(claimed, state.generation, Receipt(400, excerpt="\0"), present())], present())

    assert (fresh(delivery).status, fresh(destination).rejections_in_a_row) == ("failed", 1)
