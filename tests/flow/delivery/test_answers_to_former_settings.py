"""Answers to calls that began before an edit of the destination: valid and ignored effects (specification 9.7)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.destinations import Config, outbound_policy
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome, send_one
from inbox.models.deliveries.destinations import Destination, DestinationMessage
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast, present
from tests.destinations.kinds.notice_bodies import body
from tests.flow.delivery.stopping_steps import edit
from tests.flow.delivery.test_hostile_answers import discord_at
from tests.mail.servers import mail_server_in_force
from tests.stand_ins.outgoing_posts import fresh, make_incident, owe, store_destination
from tests.stand_ins.receivers import Answer, Receiver

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize("failure", [FailureReason.DESTINATION_REFUSED, FailureReason.MESSAGE_REFUSED])
def test_a_refusal_of_the_old_address_does_not_stop_a_corrected_destination_of_mail(
    cast: Cast, settings: Settings, failure: FailureReason
) -> None:
    with mail_server_in_force(settings):
        mails = store_destination(cast.workspace, "email", Config({"to": "wrong@example.org"}))
        delivery = owe(mails, due_at=NOW, created_at=NOW)
        ((claimed, state),) = claim_due(NOW, 1).calls
        edit(mails, config={"to": "right@example.org"})

        record_results([AttemptOutcome(claimed, state.generation, Receipt(failure=failure), NOW)], NOW)

    assert (fresh(delivery).status, fresh(delivery).due_at) == ("retrying", NOW)
    assert (fresh(mails).stopped_at, fresh(mails).rejections_in_a_row) == (None, 0)


def test_a_404_of_the_old_address_is_not_the_first_of_two_that_stop(cast: Cast, receiver: Receiver) -> None:
    discord = discord_at(cast, receiver)
    delivery = owe(discord, due_at=NOW, created_at=NOW - 10 * MINUTE)
    for at in (NOW, NOW + MINUTE):
        ((claimed, state),) = claim_due(at, 1).calls
        if at == NOW:
            edit(discord, config={"url": f"{receiver.url.rstrip('/')}/api/webhooks/2/token"})

        record_results([AttemptOutcome(claimed, state.generation, Receipt(404), at)], at)

        assert fresh(discord).stopped_at is None
    assert (fresh(delivery).status, fresh(delivery).cause) == ("retrying", "http_404")


def sent_while(cast: Cast, receiver: Receiver, **changes: Any) -> Destination:
    """A destination that is edited during the call about the first notice of an incident."""
    discord = discord_at(cast, receiver)
    receiver.answer = Answer(200, b'{"id": "1000"}', {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "600"})
    owe(discord, make_incident(cast), 1, body=body().decode())
    ((claimed, state),) = claim_due(present(), 1).calls
    outcome = send_one(claimed, state, outbound_policy.client(), present)
    destinations.edit(fresh(discord), changes, expected_rev=None, now=present())

    record_results([outcome], present())

    return discord


@pytest.mark.parametrize("changes", [{"name": "Renamed"}, {"send_notes": False}, {"min_severity": "ERROR"}])
def test_an_edit_that_leaves_the_settings_keeps_the_message_and_the_pause(
    cast: Cast, receiver: Receiver, changes: dict[str, Any]
) -> None:
    discord = sent_while(cast, receiver, **changes)

    assert [each.reference["id"] for each in DestinationMessage.select()] == ["1000"]
    assert fresh(discord).next_call_at > present() + 9 * MINUTE


def test_new_settings_begin_with_new_messages_and_without_a_pause(cast: Cast, receiver: Receiver) -> None:
    discord = sent_while(cast, receiver, config={"threadId": "123456789012345678"})

    assert DestinationMessage.select().count() == 0
    assert fresh(discord).next_call_at is None
