"""The end of quiet hours: chats and mails get one digest of what was held, webhooks get each notice."""

from __future__ import annotations

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.cast import NOW, Cast
from tests.flow.notices.digest_steps import (
    HOURLY,
    deliver_at,
    due_of,
    lines,
    make_discord,
    make_gotify,
    messages,
    of,
)
from tests.flow.plans import MINUTE, MORNING, be_quiet, pass_to
from tests.flow.routing_fixtures import incident, route_to, routed, settle
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Answer, Receiver


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    """A chat at the end of the default route, while it is quiet until twelve."""
    destination = make_gotify(cast.workspace, receiver)
    be_quiet(cast.workspace)
    route_to(cast.workspace, [destination])
    return destination


def test_a_chat_gets_one_digest_after_quiet_hours(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    routed(cast.source, key="a", title="Disk full", severity="WARNING")
    routed(cast.source, NOW + MINUTE, key="b", title="Site down")
    routed(cast.source, NOW + 2 * MINUTE, key="c", title="Job failed")
    routed(cast.source, NOW + 3 * MINUTE, key="c", title="Job failed", action="resolve")

    deliver_at(180)

    assert messages(receiver) == ["DIGEST · 3 notices about 3 incidents"]
    assert lines(receiver) == ["ERROR Site down 09:01", "WARNING Disk full 09:00", "RESOLVED Job failed 09:03"]
    assert of(chat) == [
        *[("opened", "gathered", "digest")] * 2,
        *(("opened", "skipped", "superseded"), ("resolved", "gathered", "digest"), ("digest", "sent", None)),
    ]


def test_a_webhook_gets_each_notice_of_the_night(cast: Cast, receiver: Receiver) -> None:
    pager = make_destination(cast.workspace, receiver, created_at=NOW)
    be_quiet(cast.workspace)
    route_to(cast.workspace, [pager])
    for key in ("a", "b"):
        routed(cast.source, key=key)

    deliver_at(180)

    assert [request.json["type"] for request in receiver.requests] == ["incident.opened"] * 2


def test_a_single_notice_held_by_quiet_hours_is_sent_unchanged(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    deliver_at(180)
    assert messages(receiver) == ["ERROR · Disk full"]
    assert of(chat) == [("opened", "sent", None)]


def test_a_critical_notice_of_the_night_is_not_in_the_digest(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    for key in ("a", "b"):
        routed(cast.source, key=key)
    routed(cast.source, NOW + MINUTE, key="c", severity="CRITICAL", title="Site down")

    deliver_at(2)
    assert messages(receiver) == ["CRITICAL · Site down"]
    deliver_at(180)
    assert messages(receiver)[1:] == ["DIGEST · 2 notices about 2 incidents"]


def test_a_destination_with_digests_gets_the_night_with_its_next_digest(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    Destination.update(digest={"every": "day", "at": "13:00"}).execute()
    routed(cast.source, key="a")

    deliver_at(180)
    assert (messages(receiver), due_of(chat)) == ([], [MORNING + 60 * MINUTE])
    routed(cast.source, MORNING + MINUTE, key="b")
    deliver_at(240)

    assert messages(receiver) == ["DIGEST · 2 notices about 2 incidents"]


def test_quiet_hours_that_are_turned_off_release_one_digest(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    for key in ("a", "b"):
        routed(cast.source, key=key)
    settle(cast.workspace)

    pass_to(2)
    deliver_at(2)

    assert messages(receiver) == ["DIGEST · 2 notices about 2 incidents"]


def test_a_message_from_before_the_night_shows_the_end_of_its_incident(cast: Cast, receiver: Receiver) -> None:
    receiver.answer = Answer(200, b'{"id": "55"}', {"Content-Type": "application/json"})
    chat = make_discord(cast.workspace, receiver)
    route_to(cast.workspace, [chat])
    routed(cast.source, NOW - 90 * MINUTE)
    deliver_at(-90)
    be_quiet(cast.workspace)
    routed(cast.source, NOW, action="resolve")
    for key in ("a", "b"):
        routed(cast.source, key=key)

    for minutes in (180, 181, 182):
        deliver_at(minutes)

    assert [request.method for request in receiver.requests] == ["POST", "POST", "PATCH"]
    assert "2 notices about 2 incidents" in receiver.requests[1].json["embeds"][0]["title"]


def test_an_acknowledgement_at_night_is_in_the_digest(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    existing = incident(routed(cast.source, key="a").id)
    routed(cast.source, key="b", title="Site down")
    with work() as done:
        request = incidents.ActRequest(Act.ACKNOWLEDGE, by=Actor("user", "", "Mia"))
        incidents.act(existing.id, request, NOW + MINUTE, done)

    deliver_at(180)

    assert messages(receiver) == ["DIGEST · 3 notices about 2 incidents"]
    assert lines(receiver)[-1] == "ACKNOWLEDGED Disk full 09:01, 2 notices"


def test_a_notice_after_the_quiet_hours_digest_waits_for_the_next_digest(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    routed(cast.source, key="night")
    Destination.update(digest=HOURLY).execute()
    deliver_at(180)
    routed(cast.source, MORNING + MINUTE, key="day")
    deliver_at(182)
    assert len(messages(receiver)) == 1
    deliver_at(240)
    assert len(messages(receiver)) == 2
    assert Delivery.select().where(Delivery.status == "held").count() == 0
