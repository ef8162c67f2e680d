"""SMS to people: one a minute, with a summary of what waits, and the limits of a day (specification 23.19)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from inbox.database.base import db
from inbox.domain.incidents.incident import Act
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.mail_outbox import Mail
from inbox.services.explaining.explanations import explained
from tests.cast import NOW, Cast, typeid
from tests.flow.notices.paging_steps import mail_of, mailing, paging  # noqa: F401
from tests.flow.notices.paid_steps import number_of
from tests.flow.notices.test_never_notified import act
from tests.flow.plans import follow
from tests.flow.routing_fixtures import incident, notices, reported, routed, settle
from tests.stand_ins.twilio import ADAMS, MIAS, TwilioServer, make_provider

SECOND = timedelta(seconds=1)


def at(seconds: float) -> None:
    """Deliveries that are due so many seconds from `NOW`."""
    moment = NOW + seconds * SECOND
    deliver(lambda: moment)


def page(cast: Cast, key: str, seconds: float = 0, **more: str) -> None:
    moment: datetime = NOW + seconds * SECOND
    routed(cast.source, moment, key=key, **more)


def test_a_person_gets_one_message_a_minute_and_then_a_summary(
    cast: Cast, twilio: TwilioServer, provider: Destination
) -> None:
    number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    page(cast, "first")
    at(1)
    for seconds, key in ((10, "second"), (20, "third")):
        page(cast, key, seconds, severity="CRITICAL")
    at(30)
    at(60)
    assert len(twilio.texts()) == 1

    at(62)

    assert len(twilio.texts()) == 2
    assert "2 " in twilio.texts()[1][1]
    at(90)
    assert len(twilio.texts()) == 2


def test_two_incidents_at_once_are_one_message(cast: Cast, twilio: TwilioServer, provider: Destination) -> None:
    number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    page(cast, "first", severity="CRITICAL")
    page(cast, "second", severity="CRITICAL")

    at(1)

    assert len(twilio.texts()) == 1


def test_two_numbers_of_a_person_share_the_minute_and_people_do_not(
    cast: Cast, twilio: TwilioServer, provider: Destination
) -> None:
    number_of(cast.users["mia"], MIAS, provider, make_provider(cast.workspace, twilio, name="Second"))
    number_of(cast.users["adam"], ADAMS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"], cast.users["adam"]))
    page(cast, "first")

    at(1)
    assert sorted(to for to, _ in twilio.texts()) == [MIAS, ADAMS]
    at(30)
    assert len(twilio.texts()) == 2
    at(63)

    assert sorted(to for to, _ in twilio.texts()) == [MIAS, MIAS, ADAMS]


@pytest.mark.parametrize("name", ["smsPerPerson", "smsPerWorkspace"])
@pytest.mark.parametrize(("limit", "sent"), [(0, 0), (1, 1), (2, 2), (3, 2)])
def test_messages_beyond_the_limit_of_a_day_are_skipped(
    cast: Cast, twilio: TwilioServer, provider: Destination, name: str, limit: int, sent: int
) -> None:
    settle(cast.workspace, dailyMessages={name: limit})
    [method] = number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    for number in range(2):
        page(cast, f"key {number}", 100 * number)
        at(100 * number + 1)

    assert len(twilio.texts()) == sent
    causes = [cause for _, _, cause in reported(mail_of(cast.users["mia"], typeid("cme", method.id)))]
    assert causes == [*[None] * sent, *["daily_limit"] * (2 - sent)]


def test_the_limit_of_a_person_leaves_others_their_messages(
    cast: Cast, twilio: TwilioServer, provider: Destination
) -> None:
    settle(cast.workspace, dailyMessages={"smsPerPerson": 1})
    number_of(cast.users["mia"], MIAS, provider)
    number_of(cast.users["adam"], ADAMS, provider, after=2)
    follow(cast.workspace, paging(0, cast.users["mia"], cast.users["adam"]))
    page(cast, "first")
    at(1)
    page(cast, "second", 100)
    at(101)
    at(300)

    assert sorted({to for to, _ in twilio.texts()}) == [MIAS, ADAMS]
    assert [to for to, _ in twilio.texts()].count(MIAS) == 1


def test_the_limit_begins_anew_on_the_next_day(cast: Cast, twilio: TwilioServer, provider: Destination) -> None:
    settle(cast.workspace, dailyMessages={"smsPerPerson": 1})
    number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    page(cast, "first")
    at(1)
    tomorrow = 24 * 3600
    page(cast, "second", tomorrow)

    at(tomorrow + 1)

    assert len(twilio.texts()) == 2


@pytest.mark.usefixtures("mailing")
def test_administrators_are_told_of_a_limit_once_a_day(cast: Cast, twilio: TwilioServer, provider: Destination) -> None:
    settle(cast.workspace, dailyMessages={"smsPerPerson": 0})
    number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    for number in range(3):
        page(cast, f"key {number}", number)
        at(number + 1)

    told = [each.address for each in Mail.select().where(Mail.template == "daily_limit")]
    assert sorted(told) == ["adam@example.org", "olga@example.org"]


def test_an_explanation_says_that_the_limit_was_reached(
    cast: Cast, twilio: TwilioServer, provider: Destination
) -> None:
    settle(cast.workspace, dailyMessages={"smsPerWorkspace": 0})
    number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    opened = incident(routed(cast.source).id)
    at(1)

    [found] = explained(cast.workspace.id, [each.id for each in notices(opened.id)])

    assert [each["text"] for each in found["decisions"]] == [
        "Mia (SMS) was not notified: the calls or text messages of the day were used up."
    ]


@pytest.mark.parametrize("ended", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_what_waits_for_the_minute_ends_when_somebody_acts(
    cast: Cast, twilio: TwilioServer, provider: Destination, ended: Act
) -> None:
    [method] = number_of(cast.users["mia"], MIAS, provider)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    page(cast, "first")
    at(1)
    second = incident(routed(cast.source, NOW + 2 * SECOND, key="second").id)

    act(second, ended, 0.1)
    at(120)

    assert len(twilio.texts()) == 1
    contact = mail_of(cast.users["mia"], typeid("cme", method.id))
    assert reported(contact)[1:] == [("opened", "skipped", "acknowledged")]


def test_workers_at_one_moment_send_a_person_one_message(
    cast: Cast, twilio: TwilioServer, provider: Destination
) -> None:
    numbers = [provider, *(make_provider(cast.workspace, twilio, name=f"Number {each}") for each in range(5))]
    methods = number_of(cast.users["mia"], MIAS, *numbers)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    page(cast, "first")
    contacts = [mail_of(cast.users["mia"], typeid("cme", each.id)).id for each in methods]
    ready = threading.Barrier(len(contacts))

    def claim(contact_id: UUID) -> int:
        with db.connection_context():
            ready.wait()
            return len(claim_due(NOW + SECOND, 10, [contact_id]).calls)

    with ThreadPoolExecutor(len(contacts)) as threads:
        claimed = list(threads.map(claim, contacts))

    assert sum(claimed) == 1
