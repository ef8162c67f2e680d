"""A storm at a chat with a pace: the most severe first, and one message for the others."""

from __future__ import annotations

from collections import Counter

import pytest

from inbox.flow.delivery.resume import resume
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries import results
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.routing.routing_config import bump_revision
from tests.cast import Cast
from tests.flow.notices.digest_steps import make_gotify, of
from tests.flow.notices.storm_steps import ACCEPTED, PACE, at, heads, make_telegram, run, send, texts
from tests.flow.routing_fixtures import route_to
from tests.silences import make_silence
from tests.stand_ins.outgoing_posts import fresh, make_destination
from tests.stand_ins.receivers import Answer, Receiver


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    """A chat at the end of the default route."""
    destination = make_telegram(cast.workspace, receiver)
    route_to(cast.workspace, [destination])
    return destination


def by_status(destination: Destination) -> Counter[str]:
    rows = Delivery.select(Delivery.status).where(Delivery.destination_id == destination.id)
    return Counter(row.status for row in rows)


def test_a_critical_alert_is_sent_before_warnings_that_came_earlier(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, range(10))
    send(cast.source, ["database"], 1, severity="CRITICAL")

    run(1, 1)

    assert heads(receiver) == ["CRITICAL · Alarm database"]


def test_notices_of_one_severity_are_sent_in_the_order_of_time(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    for number, severity in enumerate(["WARNING", "ERROR", "WARNING", "ERROR"]):
        send(cast.source, [number], number, severity=severity)

    run(4, 4 + 3 * PACE)

    ordered = ["ERROR · Alarm 1", "ERROR · Alarm 3", "WARNING · Alarm 0", "WARNING · Alarm 2"]
    assert heads(receiver) == ordered


def test_an_alert_lends_its_severity_to_what_precedes_it_in_its_incident(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, ["other"], severity="ERROR")
    send(cast.source, ["disk"])
    send(cast.source, ["disk"], 1, severity="CRITICAL")

    run(1, 1 + PACE)

    assert heads(receiver)[:2] == ["WARNING · Alarm disk", "CRITICAL · Alarm disk"]


def test_twenty_waiting_notices_are_sent_one_by_one(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    send(cast.source, range(20))
    run(0, 0)
    assert heads(receiver) == ["WARNING · Alarm 0"]


def test_more_than_twenty_waiting_notices_become_one_message(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    send(cast.source, range(21))

    run(0, 120)

    (text,) = texts(receiver)
    assert "DIGEST · 21 notices about 21 incidents" in text
    assert "21 WARNING" in text
    assert text.count("WARNING · Alarm") == 10 and "and 11 more" in text
    assert by_status(chat) == {"gathered": 21, "sent": 1}


def test_a_notice_that_waits_for_a_minute_makes_the_next_message_a_summary(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    Destination.update(next_call_at=at(60)).execute()
    send(cast.source, range(3))

    run(60, 61)

    assert heads(receiver) == ["DIGEST · 3 notices about 3 incidents"]


def test_a_single_notice_that_waits_for_a_minute_is_sent_as_it_is(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    Destination.update(next_call_at=at(90)).execute()
    send(cast.source, ["disk"])

    run(90, 91)

    assert heads(receiver) == ["WARNING · Alarm disk"]


def test_up_to_five_critical_alerts_precede_the_summary(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    send(cast.source, range(20))
    send(cast.source, [f"c{number}" for number in range(8)], 1, severity="CRITICAL")

    run(1, 1 + 6 * PACE)

    assert heads(receiver) == [
        *(f"CRITICAL · Alarm c{number}" for number in range(5)),
        "DIGEST · 23 notices about 23 incidents",
    ]
    assert "3 CRITICAL and 20 WARNING" in texts(receiver)[-1]


def test_an_alert_supersedes_what_its_incident_announced_while_it_waited(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, range(21))
    send(cast.source, ["0"], 1, severity="CRITICAL")

    run(1, 1 + 2 * PACE)

    assert heads(receiver) == ["CRITICAL · Alarm 0", "DIGEST · 20 notices about 20 incidents"]
    assert by_status(chat) == {"skipped": 1, "gathered": 20, "sent": 2}


def test_an_incident_that_opened_and_ended_while_it_waited_is_a_word_in_the_summary(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, range(21))
    send(cast.source, range(4), 1, action="resolve")

    run(1, 1)

    (text,) = texts(receiver)
    assert "17 WARNING and 4 RESOLVED. 4 of them opened and ended meanwhile." in text


def test_after_a_summary_other_notices_wait_for_a_minute_and_critical_alerts_do_not(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, range(21))
    run(0, 9)
    send(cast.source, ["late", "later", *range(30, 36)], 10, severity="ERROR")
    send(cast.source, ["database"], 11, severity="CRITICAL")

    run(10, 59)
    assert heads(receiver)[1:] == ["CRITICAL · Alarm database"]
    run(60, 120)
    assert heads(receiver)[2:] == ["DIGEST · 8 notices about 8 incidents"]


def test_five_critical_alerts_are_sent_in_the_minute_after_a_summary(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, range(21))
    run(0, 0)
    send(cast.source, [f"c{number}" for number in range(30)], 3, severity="CRITICAL")

    run(3, 59)
    assert len(receiver.requests) == 1 + 5
    run(60, 100)
    assert "DIGEST · 20 notices about 20 incidents" in heads(receiver)[6:]


def test_notices_are_sent_one_by_one_again_after_the_storm(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    send(cast.source, range(21))
    run(0, 130)
    send(cast.source, range(30, 36), 131)

    run(131, 131 + 6 * PACE)

    assert heads(receiver)[1:] == [f"WARNING · Alarm {number}" for number in range(30, 36)]


def test_a_summary_that_fails_is_retried_and_no_second_one_is_made_before(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    receiver.answer = lambda _: Answer(500) if len(receiver.requests) == 1 else ACCEPTED
    send(cast.source, range(21))
    run(0, 0)
    send(cast.source, range(30, 60), 1)

    run(1, 100)

    assert heads(receiver)[:2] == ["DIGEST · 21 notices about 21 incidents"] * 2
    assert heads(receiver)[2:] == ["DIGEST · 30 notices about 30 incidents"]


def test_an_end_waits_for_the_summary_with_the_opening(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    receiver.answer = lambda request: Answer(500) if b"DIGEST" in request.body else ACCEPTED
    send(cast.source, range(21))
    run(0, 30)
    send(cast.source, ["3"], 31, action="resolve")
    send(cast.source, range(30, 60), 32)
    run(33, 240)
    assert Delivery.select().where(Delivery.reason == "digest").count() == 1
    assert "RESOLVED · Alarm 3" not in heads(receiver)
    receiver.answer, so_far = ACCEPTED, len(receiver.requests)

    run(240, 1_200)

    assert heads(receiver)[so_far] == "DIGEST · 21 notices about 21 incidents"


def test_a_destination_that_resumes_gets_one_summary(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    Destination.update(stopped_at=at(0), stopped_reason="http_404").execute()
    send(cast.source, range(60))
    run(0, 0)
    with work() as done:
        resume(results.lock([chat.id])[chat.id], done, now=at(30))

    run(30, 120)

    assert heads(receiver) == ["DIGEST · 60 notices about 60 incidents"]


def test_a_destination_that_stopped_holds_its_summary(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    receiver.answer = Answer(403, b'{"ok": false, "description": "Forbidden: bot was kicked"}')
    send(cast.source, range(21))

    run(0, 300)

    assert fresh(chat).stopped_at is not None
    assert by_status(chat) == {"gathered": 21, "held": 1}


def test_each_notice_of_a_summary_names_it(cast: Cast, chat: Destination) -> None:
    send(cast.source, range(21))
    run(0, 0)

    digest = Delivery.get(Delivery.reason == "digest")
    gathered = Delivery.select().where(Delivery.reason == "opened")
    assert {(row.digest_id, row.cause, row.due_at, row.attempt) for row in gathered} == {
        (digest.id, "summary", None, 0)
    }
    assert '"summary":true' in Notice.get_by_id(digest.notice_id).body


@pytest.mark.parametrize("make", [make_destination, make_gotify])
def test_a_destination_without_a_pace_gets_every_notice(cast: Cast, receiver: Receiver, make: object) -> None:
    destination = make(cast.workspace, receiver)  # type: ignore[operator]
    route_to(cast.workspace, [destination])
    send(cast.source, range(30))

    run(90, 90)

    assert len(receiver.requests) == 30
    assert of(destination) == [("opened", "sent", None)] * 30


def test_ends_of_incidents_that_a_summary_announced_are_one_message(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, range(30))
    run(0, 6)
    for wave in range(3):
        send(cast.source, range(10 * wave, 10 * wave + 6), 200 + 10 * wave, action="resolve")

    run(200, 300)

    assert heads(receiver)[1:] == ["DIGEST · 18 notices about 18 incidents"]
    assert "18 RESOLVED." in texts(receiver)[-1]


def test_the_end_of_an_incident_with_its_own_message_is_told_at_once(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    send(cast.source, ["disk"])
    run(0, 3)
    send(cast.source, ["disk"], 10, action="resolve")

    run(10, 13)

    assert heads(receiver)[1:2] == ["RESOLVED · Alarm disk"]


def test_a_silence_that_ends_over_many_incidents_is_one_message(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    make_silence(cast.workspace, start=at(0))
    bump_revision(cast.workspace.id)
    run_due(lambda: at(0))
    send(cast.source, range(30), 60)

    run_due(lambda: at(3_600))
    run(3_600, 3_606)

    assert heads(receiver) == ["DIGEST · 30 notices about 30 incidents"]
