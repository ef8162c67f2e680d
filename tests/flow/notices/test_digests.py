"""Digests that a person enabled: collected notices, exceptions, and one message at its time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.incidents.tables import Incident
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.notices.digest_steps import (
    FULL_HOUR,
    HOURLY,
    deliver_at,
    due_of,
    lines,
    make_discord,
    make_gotify,
    messages,
    of,
)
from tests.flow.plans import MINUTE, NIGHT
from tests.flow.routing_fixtures import incident, notices, route_to, routed, settle
from tests.flow.rulemaking import rule
from tests.stand_ins.outgoing_posts import attempts_of, fresh
from tests.stand_ins.receivers import Answer, Receiver


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    """A destination at the end of the default route that gets a digest at each full hour."""
    destination = make_gotify(cast.workspace, receiver, digest=HOURLY)
    route_to(cast.workspace, [destination])
    return destination


def digest_of(destination: Destination) -> Delivery:
    found: Delivery = Delivery.get(Delivery.destination_id == destination.id, Delivery.reason == "digest")
    return found


def test_notices_gather_and_go_as_one_message_at_the_time(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    routed(cast.source, key="a", title="Disk full", severity="WARNING")
    routed(cast.source, NOW + MINUTE, key="b", title="Site down")
    routed(cast.source, NOW + 2 * MINUTE, key="a", action="resolve")

    deliver_at(59)
    assert messages(receiver) == []
    assert due_of(chat) == [FULL_HOUR] * 3

    deliver_at(60)
    deliver_at(61)
    assert messages(receiver) == ["DIGEST · 3 notices about 2 incidents"]
    assert lines(receiver) == ["ERROR Site down 09:01", "RESOLVED Disk full 09:02, 2 notices"]
    assert of(chat) == [
        *(("opened", "gathered", "digest"), ("opened", "gathered", "digest"), ("resolved", "gathered", "digest")),
        ("digest", "sent", None),
    ]


def test_each_gathered_notice_knows_its_digest(cast: Cast, chat: Destination) -> None:
    for key in ("a", "b"):
        routed(cast.source, key=key)

    deliver_at(60)

    digest = digest_of(chat)
    gathered = Delivery.select().where(Delivery.reason == "opened")
    assert {row.digest_id for row in gathered} == {digest.id}
    assert {(row.attempt, row.due_at) for row in gathered} == {(0, None)}
    assert (digest.incident_id, digest.attempt, digest.created_at) == (None, 1, FULL_HOUR)


def test_a_notice_says_for_which_digest_it_waits(cast: Cast, chat: Destination) -> None:
    opening = routed(cast.source)

    (decision,) = notices(opening.incident_id)[0].decisions
    assert (decision["decision"], decision["until"]) == ("digest", "2026-11-21T10:00:00.000Z")


def test_a_notice_that_was_refused_at_once_leaves_the_waiting_ones_to_the_digest(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    routed(cast.source, severity="WARNING")
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    receiver.script(Answer(400))
    deliver_at(2)

    deliver_at(60)

    assert of(chat) == [
        ("opened", "gathered", "digest"),
        ("escalated", "failed", "http_400"),
        ("digest", "sent", None),
    ]
    assert messages(receiver)[1:] == ["DIGEST · 1 notice about 1 incident"]


def test_a_single_notice_is_a_digest_too(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    routed(cast.source)
    deliver_at(60)
    assert messages(receiver) == ["DIGEST · 1 notice about 1 incident"]


def test_a_critical_notice_is_sent_at_once_and_supersedes_waiting_notices(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    routed(cast.source, key="other")
    routed(cast.source, severity="ERROR")
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")

    deliver_at(2)
    assert messages(receiver) == ["CRITICAL · Disk full"]
    deliver_at(60)
    assert messages(receiver)[1:] == ["DIGEST · 1 notice about 1 incident"]
    assert ("opened", "skipped", "superseded") in of(chat)


def test_a_digest_leaves_out_a_silenced_incident(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    existing = incident(routed(cast.source).id)
    Incident.update(state="silenced", state_before_silence="open").where(Incident.id == existing.id).execute()

    deliver_at(60)

    assert (messages(receiver), of(chat)) == ([], [("opened", "skipped", "silenced")])


def test_a_notice_after_the_full_hour_waits_for_the_next_digest(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    routed(cast.source, key="a")
    routed(cast.source, FULL_HOUR, key="b")

    deliver_at(60)
    deliver_at(120)

    assert messages(receiver) == ["DIGEST · 1 notice about 1 incident"] * 2


def test_quiet_hours_postpone_a_digest_until_they_end(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    routed(cast.source, NOW - 62 * MINUTE, key="early")  # before the quiet hours, for nine o'clock less an hour
    Delivery.update(due_at=NOW).execute()
    settle(cast.workspace, quietHours=NIGHT)
    routed(cast.source, key="a")

    deliver_at(60)
    assert messages(receiver) == []
    deliver_at(180)
    assert messages(receiver) == ["DIGEST · 2 notices about 2 incidents"]


def test_a_digest_that_fails_is_retried_and_its_notices_stay_with_it(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    receiver.answer = lambda _: Answer(500 if len(receiver.requests) == 1 else 200)
    routed(cast.source)

    deliver_at(60)
    digest = digest_of(chat)
    assert digest.status == "retrying"
    deliver_at(61)

    assert (fresh(digest).status, len(attempts_of(digest))) == ("sent", 2)
    assert receiver.requests[0].body == receiver.requests[1].body
    assert of(chat)[0] == ("opened", "gathered", "digest")


def test_a_stopped_destination_holds_its_digest(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    Destination.update(stopped_at=NOW, stopped_reason="http_404").execute()
    for key in ("a", "b"):
        routed(cast.source, key=key)

    deliver_at(60)

    assert of(chat) == [*[("opened", "gathered", "digest")] * 2, ("digest", "held", "stopped")]
    assert receiver.requests == []


def test_a_digest_for_a_disabled_destination_is_skipped(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    routed(cast.source)
    Destination.update(enabled=False).execute()
    deliver_at(60)
    assert (of(chat), receiver.requests) == ([("opened", "skipped", "disabled")], [])


def test_events_without_an_incident_have_lines_of_their_own(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    rule(cast.workspace, disposition="notify", destination_ids=(chat.id,))
    for number in (1, 2):
        routed(cast.source, key=None, severity="INFO", title=f"Deploy {number}")

    deliver_at(60)

    assert messages(receiver) == ["DIGEST · 2 notices about 2 events"]


@pytest.mark.parametrize(("key", "expected"), [("15_minutes", 15), ("hour", 60)])
def test_the_time_of_a_digest_follows_the_setting(cast: Cast, receiver: Receiver, key: str, expected: int) -> None:
    chat = make_gotify(cast.workspace, receiver, digest={"every": key})
    route_to(cast.workspace, [chat])
    routed(cast.source)
    assert due_of(chat) == [NOW + expected * MINUTE]


def test_a_daily_digest_goes_at_the_local_time(cast: Cast, receiver: Receiver) -> None:
    Workspace.update(timezone="Europe/Berlin").execute()
    chat = make_gotify(cast.workspace, receiver, digest={"every": "day", "at": "18:30"})
    route_to(cast.workspace, [chat])

    routed(cast.source)

    assert due_of(chat) == [NOW.replace(hour=17, minute=30)]
    deliver(lambda: NOW.replace(hour=17, minute=30))
    assert messages(receiver) == ["DIGEST · 1 notice about 1 incident"]


def test_an_edited_message_is_updated_and_not_listed_in_the_digest(cast: Cast, receiver: Receiver) -> None:
    receiver.answer = Answer(200, b'{"id": "55"}', {"Content-Type": "application/json"})
    chat = make_discord(cast.workspace, receiver)
    route_to(cast.workspace, [chat])
    routed(cast.source)
    deliver_at(0)
    Destination.update(digest=HOURLY).execute()
    routed(cast.source, NOW + MINUTE, action="resolve")
    routed(cast.source, NOW + MINUTE, key="other")

    for minutes in (60, 61, 62):
        deliver_at(minutes)

    assert [request.method for request in receiver.requests] == ["POST", "POST", "PATCH"]
    assert [status for _, status, _ in of(chat)] == ["sent", "sent", "gathered", "sent"]


def test_a_digest_lists_the_lines_that_fit_and_counts_the_rest(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    for number in range(30):
        routed(cast.source, NOW + number * timedelta(seconds=1), key=f"k{number}", title=f"Alarm {number}")

    deliver_at(60)

    assert messages(receiver) == ["DIGEST · 30 notices about 30 incidents"]
    assert len(lines(receiver)) == 25
    assert "and 5 more" in receiver.requests[0].json["message"]


def test_the_stored_body_has_the_counts_and_the_link(cast: Cast, chat: Destination) -> None:
    routed(cast.source)
    deliver_at(60)
    notice = Notice.get(Notice.reason == "digest")
    assert notice.incident_id is None
    assert '"notices":1' in notice.body and '"incidents":1' in notice.body
