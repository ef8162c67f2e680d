"""SMS to people when a worker or the database dies: each message is counted before it is sent (specification 23.19)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from inbox.database.base import db
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.paid_messages import PaidMessages
from tests.cast import NOW, Cast
from tests.flow.notices.paging_steps import paging
from tests.flow.notices.paid_steps import number_of
from tests.flow.plans import follow
from tests.flow.routing_fixtures import routed
from tests.stand_ins.twilio import MIAS, TwilioServer

SECOND = timedelta(seconds=1)

NOTE_DURABILITY = """
    CREATE TABLE durability_of_claims (value text);
    CREATE FUNCTION note_durability() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN INSERT INTO durability_of_claims VALUES (current_setting('synchronous_commit')); RETURN NULL; END$$;
    CREATE CONSTRAINT TRIGGER note_durability AFTER UPDATE ON deliveries DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (new.status = 'sending') EXECUTE FUNCTION note_durability();
"""
"""Notes at each commit of a claim whether it waits for the disk."""

FORGET_DURABILITY = "DROP FUNCTION note_durability() CASCADE; DROP TABLE durability_of_claims"


@pytest.fixture
def durability(cast: Cast) -> Iterator[None]:
    db.execute_sql(NOTE_DURABILITY)
    yield
    db.execute_sql(FORGET_DURABILITY)


def paged(cast: Cast, provider: Destination) -> None:
    """Mia is paged by SMS. Nothing is sent yet."""
    number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source, NOW)


def test_a_message_whose_worker_died_is_sent_again_once_after_a_minute_and_counts_twice(
    cast: Cast, twilio: TwilioServer, provider: Destination
) -> None:
    paged(cast, provider)
    lost = claim_due(NOW + SECOND, 10)
    assert len(lost.calls) == 1, "a worker has it, and dies before it records the answer"

    for seconds in (30, 60):
        deliver(lambda seconds=seconds: NOW + seconds * SECOND)  # type: ignore[misc]
    assert twilio.texts() == []
    for seconds in (62, 130, 300):
        deliver(lambda seconds=seconds: NOW + seconds * SECOND)  # type: ignore[misc]

    assert [to for to, _ in twilio.texts()] == [MIAS]
    assert [each.count for each in PaidMessages.select()] == [2]


@pytest.mark.usefixtures("durability")
def test_the_claim_of_a_message_is_on_the_disk_before_it_is_sent(
    cast: Cast, twilio: TwilioServer, provider: Destination
) -> None:
    paged(cast, provider)

    claim_due(NOW + SECOND, 10)

    assert db.execute_sql("SELECT value FROM durability_of_claims").fetchall() == [("on",)]
