"""Fallbacks after deliveries that fail, stop or wait, and alarms without any fallback."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.domain.incidents.incident import Act
from inbox.domain.values import ids
from inbox.flow.delivery.changes import recheck_alerts
from inbox.flow.delivery.deliver import deliver
from inbox.flow.notices import fallback
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import complete
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast
from tests.flow.concurrent_connections import in_a_thread
from tests.flow.fallback_steps import (
    MIA,
    because,
    hand_over,
    last,  # noqa: F401
    opened,
)
from tests.flow.plans import MINUTE, be_quiet, pass_to, timers
from tests.flow.routing_fixtures import (
    decisions,
    listen,
    notices,
    reasons,
    reported,
    routed,
    settle,
)
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Answer, Receiver


@pytest.fixture
def mailing(ground: object, settings: Settings) -> None:
    """A mail server is set."""
    chosen = replace(settings, smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>")
    settings_module.use(chosen)


def test_the_fallback_is_notified_after_all_deliveries_failed(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a", "/b")
    receiver.answer = lambda request: Answer(400 if request.path == "/a" else 500)
    existing = opened(cast)
    deliver(lambda: NOW)
    pass_to(0)
    assert reasons(existing.id) == ["opened"]  # the other one is still tried

    Delivery.update(attempt=9, due_at=NOW).where(Delivery.status == "retrying").execute()
    deliver(lambda: NOW + MINUTE)
    pass_to(1)

    assert (reasons(existing.id), because(existing)) == (["opened", "fallback"], ["retries_exhausted"])


def test_one_accepted_delivery_prevents_the_fallback(cast: Cast, last: Destination, receiver: Receiver) -> None:
    hand_over(cast, receiver, "/a", "/b")
    receiver.answer = lambda request: Answer(400 if request.path == "/a" else 200)
    existing = opened(cast, severity="CRITICAL")
    deliver(lambda: NOW)
    pass_to(60)
    assert reasons(existing.id) == ["opened"]


def test_the_fallback_is_notified_when_the_alarm_stops_the_only_destination(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    receiver.answer = Answer(401)
    existing = opened(cast)
    deliver(lambda: NOW)
    pass_to(0)
    assert (reasons(existing.id), because(existing)) == (["opened", "fallback"], ["all_stopped"])


def test_a_delivery_waiting_for_a_stopped_or_disabled_destination_counts_as_undelivered(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    (pager,) = hand_over(cast, receiver, "/a")
    existing = opened(cast)
    destinations.edit(pager, {"enabled": False}, expected_rev=None, now=NOW)
    pass_to(0)
    assert because(existing) == ["no_destination"]


def test_a_critical_alarm_not_accepted_within_two_minutes_falls_back(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    receiver.answer = Answer(503)
    existing = opened(cast, severity="CRITICAL")
    deliver(lambda: NOW + timedelta(seconds=10))

    pass_to(2)
    assert reasons(existing.id) == ["opened"]
    deliver(lambda: NOW + timedelta(seconds=129))
    pass_to(129 / 60)
    assert reasons(existing.id) == ["opened"]
    pass_to(130 / 60)

    assert (reasons(existing.id), because(existing)) == (["opened", "fallback"], ["undelivered"])
    assert pass_to(60) == 0


def test_a_delivery_that_fails_during_a_check_is_checked_again(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a", "/b")
    existing = opened(cast)
    first, second = Delivery.select().order_by(Delivery.id)

    def fail(delivery: Delivery) -> None:
        with work() as done:
            Delivery.update(status="failed", due_at=None).where(Delivery.id == delivery.id).execute()
            recheck_alerts([delivery.id], done)

    fail(first)
    with work() as done:
        timer = Timer.get(Timer.subject_id == first.notice_id)
        fallback.check(timer.subject_id, NOW, done)
        in_a_thread(lambda: fail(second))()
        complete(timer)
    assert reasons(existing.id) == ["opened"]

    pass_to(0)

    assert (reasons(existing.id), because(existing)) == (["opened", "fallback"], ["retries_exhausted"])


def test_a_fallback_check_is_repeated_until_the_delivery_was_tried(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    existing = opened(cast, severity="CRITICAL")
    pass_to(2)
    assert timers(notices(existing.id)[0].id) == {"notice.fallback_check": 2.5}
    deliver(lambda: NOW + 2 * MINUTE)
    assert timers(notices(existing.id)[0].id) == {}


def test_the_fallback_below_critical_waits_for_the_last_attempt(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    receiver.answer = Answer(503)
    existing = opened(cast, severity="ERROR")
    deliver(lambda: NOW)
    pass_to(600)
    assert reasons(existing.id) == ["opened"]


@pytest.mark.parametrize("what", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_an_acknowledged_or_resolved_incident_needs_no_fallback(cast: Cast, last: Destination, what: Act) -> None:
    listen(cast.workspace, enabled=False)
    existing = opened(cast)
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(what, by=MIA), NOW + MINUTE, done)
    pass_to(2)
    assert "fallback" not in reasons(existing.id)


def test_a_fallback_is_never_followed_by_another(cast: Cast, receiver: Receiver) -> None:
    last = make_destination(cast.workspace, receiver, name="Last")
    settle(cast.workspace, fallbackDestinationId=str(last.id), renotifyMinutes={"ERROR": 0})
    receiver.answer = Answer(400)
    existing = opened(cast)
    pass_to(0)
    deliver(lambda: NOW)
    assert pass_to(600) == 0
    assert (reasons(existing.id), reported(last)) == (["opened", "fallback"], [("fallback", "failed", "http_400")])


def test_a_destination_that_failed_the_alarm_is_not_its_own_fallback(
    cast: Cast, receiver: Receiver, mailing: None
) -> None:
    (pager,) = hand_over(cast, receiver, "/a")
    settle(cast.workspace, fallbackDestinationId=str(pager.id), renotifyMinutes={"ERROR": 0})
    receiver.answer = Answer(400)
    existing = opened(cast)
    deliver(lambda: NOW)
    pass_to(0)
    assert decisions(notices(existing.id)[-1]) == {"The owners": "mailed"}
    assert [mail.address for mail in Mail.select()] == ["olga@example.org"]


def test_owners_are_mailed_when_there_is_no_fallback(cast: Cast, mailing: None) -> None:
    listen(cast.workspace, stopped_at=NOW, stopped_reason="http_401")
    existing = opened(cast)
    pass_to(0)

    (record,) = notices(existing.id)[-1].decisions
    assert record == {
        "destinationId": None,
        "name": "The owners",
        "decision": "mailed",
        "fallbackReason": "all_stopped",
    }
    assert [(mail.template, mail.address) for mail in Mail.select()] == [("nobody_told", "olga@example.org")]


def test_an_alarm_without_a_fallback_sets_no_timer(cast: Cast) -> None:
    listen(cast.workspace, enabled=False)
    existing = opened(cast, severity="WARNING")
    assert (reasons(existing.id), Timer.select().count()) == (["opened"], 0)


def test_an_alert_that_is_withheld_while_its_incident_flaps_falls_back_to_nobody(cast: Cast, mailing: None) -> None:
    settle(cast.workspace, renotifyMinutes={"ERROR": 0})
    counts = []
    for minute in range(14):
        sent = routed(cast.source, NOW + minute * MINUTE, action=("trigger", "resolve")[minute % 2])
        pass_to(minute)
        counts.append(reasons(sent.incident_id).count("fallback"))

    assert counts[5:] == [counts[5]] * 9


def test_a_delivery_held_by_quiet_hours_is_not_undelivered(cast: Cast, last: Destination) -> None:
    listen(cast.workspace)
    be_quiet(cast.workspace, fallbackDestinationId=str(last.id), renotifyMinutes={"ERROR": 0})
    existing = opened(cast)
    pass_to(60)
    assert reasons(existing.id) == ["opened"]


def test_a_fallback_does_not_wait_for_quiet_hours(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    be_quiet(cast.workspace, fallbackDestinationId=str(last.id), renotifyMinutes={"ERROR": 0})
    opened(cast)
    pass_to(0)
    assert reported(last) == [("fallback", "pending", None)]


def test_the_decision_names_the_destination(cast: Cast, last: Destination) -> None:
    existing = opened(cast)
    pass_to(0)
    assert notices(existing.id)[-1].decisions == [
        {
            "destinationId": ids.encode("dst", last.id),
            "name": "Last",
            "decision": "notify",
            "fallbackReason": "no_destination",
        }
    ]
