"""When nobody could be told of an alarm, somebody else is, once for each time that it opens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox import settings as settings_module
from inbox.domain import ids
from inbox.domain.incident import Act, Actor
from inbox.flow.delivery.deliver import deliver
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.tables.destinations import Destination
from inbox.models.tables.incidents import Incident, Timer
from inbox.models.tables.mail import Mail
from inbox.models.tables.notices import Delivery
from inbox.services import destinations
from inbox.settings import Settings
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, be_quiet, follow, pass_to, step, timers
from tests.flow.routing_fixtures import (
    bodies,
    decisions,
    incident,
    listen,
    notices,
    reasons,
    route_to,
    routed,
    settle,
    timeline,
    told,
)
from tests.outgoing_posts import make_destination
from tests.receivers import Answer, Receiver

MIA = Actor("user", "", "Mia")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def last(cast: Cast) -> Destination:
    """The workspace's fallback."""
    destination = listen(cast.workspace, "Last", routed=False)
    settle(cast.workspace, fallbackDestinationId=str(destination.id), renotifyMinutes={"CRITICAL": 0, "ERROR": 0})
    return destination


@pytest.fixture
def mailing(ground: object, settings: Settings) -> None:
    """A mail server is set."""
    chosen = replace(settings, smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>")
    settings_module.use(chosen)


def because(known: Incident) -> list[Any]:
    return [each.get("fallbackReason") for each in notices(known.id)[-1].decisions]


def opened(cast: Cast, at: datetime = NOW, **fields: str) -> Incident:
    return incident(routed(cast.source, at, **fields).id)


def hand_over(cast: Cast, receiver: Receiver, *paths: str) -> list[Destination]:
    """Webhooks of these paths in the default route."""
    made = [make_destination(cast.workspace, receiver.url + path, name=path or "Receiver") for path in paths]
    route_to(cast.workspace, list(made))
    return made


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"enabled": False}, "no_destination"),
        ({"stopped_at": NOW, "stopped_reason": "http_401"}, "all_stopped"),
    ],
)
def test_when_no_destination_can_hear_the_fallback_is_told(
    cast: Cast, last: Destination, fields: dict[str, Any], reason: str
) -> None:
    listen(cast.workspace, **fields)
    known = opened(cast)
    pass_to(0.1)

    assert told(last) == [("fallback", "pending", None)]
    assert because(known) == [reason]
    assert bodies(known.id)[-1]["type"] == "incident.fallback"
    assert timeline(known.id) == ["opened", "fallback"]
    assert Incident.get_by_id(known.id).state == "open"


def test_a_workspace_without_any_destination_falls_back(cast: Cast, last: Destination) -> None:
    known = opened(cast)
    pass_to(0)
    assert (told(last), because(known)) == ([("fallback", "pending", None)], ["no_destination"])


def test_one_that_could_hear_and_does_not_want_to_is_enough(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, min_severity="CRITICAL")
    listen(cast.workspace, "Off", enabled=False)
    known = opened(cast)
    pass_to(0)
    assert (reasons(known.id), told(last)) == (["opened"], [])


def test_a_later_step_is_somebody_to_tell(cast: Cast, last: Destination) -> None:
    boss = listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0), step(10, boss))
    known = opened(cast)
    pass_to(0)
    assert (reasons(known.id), told(last)) == (["opened"], [])


def test_the_profiles_own_fallback_comes_before_the_workspaces(cast: Cast, last: Destination) -> None:
    pager, own = listen(cast.workspace, routed=False, enabled=False), listen(cast.workspace, "Own", routed=False)
    follow(cast.workspace, step(0, pager), fallback_destination_id=own.id)
    opened(cast)
    pass_to(0)
    assert ([reason for reason, _, _ in told(own)], told(last)) == (["fallback"], [])


def test_a_fallback_that_cannot_hear_either_leaves_it_to_the_next(cast: Cast, last: Destination) -> None:
    pager = listen(cast.workspace, routed=False, enabled=False)
    own = listen(cast.workspace, "Own", routed=False, enabled=False)
    follow(cast.workspace, step(0, pager), fallback_destination_id=own.id)
    opened(cast)
    pass_to(0)
    assert (told(own), [reason for reason, _, _ in told(last)]) == ([], ["fallback"])


def test_it_is_told_once_for_each_opening(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    known = opened(cast, severity="WARNING")
    pass_to(0)
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    pass_to(5)
    assert reasons(known.id) == ["opened", "fallback", "escalated"]

    routed(cast.source, NOW + 6 * MINUTE, action="resolve")
    routed(cast.source, NOW + 7 * MINUTE)
    pass_to(8)
    assert [reason for reason, _, _ in told(last)] == ["fallback", "resolved", "fallback"]


def test_the_fallback_hears_what_follows_and_the_end(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    known = opened(cast)
    pass_to(0)
    with work() as done:
        incidents.act(known.id, Act.ACKNOWLEDGE, NOW + MINUTE, done, by=MIA)
        incidents.act(known.id, Act.RESOLVE, NOW + 2 * MINUTE, done, by=MIA)
    assert [reason for reason, _, _ in told(last)] == ["fallback", "acknowledged", "resolved"]


def test_when_all_deliveries_are_given_up_the_fallback_is_told(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a", "/b")
    receiver.answer = lambda request: Answer(400 if request.path == "/a" else 500)
    known = opened(cast)
    deliver(lambda: NOW)
    pass_to(0)
    assert reasons(known.id) == ["opened"]  # the other one is still tried

    Delivery.update(attempt=9, due_at=NOW).where(Delivery.status == "retrying").execute()
    deliver(lambda: NOW + MINUTE)
    pass_to(1)

    assert (reasons(known.id), because(known)) == (["opened", "fallback"], ["retries_exhausted"])


def test_one_that_heard_is_enough(cast: Cast, last: Destination, receiver: Receiver) -> None:
    hand_over(cast, receiver, "/a", "/b")
    receiver.answer = lambda request: Answer(400 if request.path == "/a" else 200)
    known = opened(cast, severity="CRITICAL")
    deliver(lambda: NOW)
    pass_to(60)
    assert reasons(known.id) == ["opened"]


def test_when_the_only_receiver_stops_on_the_alarm_the_fallback_is_told(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    receiver.answer = Answer(401)
    known = opened(cast)
    deliver(lambda: NOW)
    pass_to(0)
    assert (reasons(known.id), because(known)) == (["opened", "fallback"], ["all_stopped"])


def test_what_waits_when_its_destination_stops_or_is_disabled_is_unheard_too(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    (pager,) = hand_over(cast, receiver, "/a")
    known = opened(cast)
    destinations.edit(pager, {"enabled": False}, expected_rev=None, now=NOW)
    pass_to(0)
    assert because(known) == ["no_destination"]


def test_a_critical_alarm_that_nobody_took_in_two_minutes_falls_back(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    receiver.answer = Answer(503)
    known = opened(cast, severity="CRITICAL")
    deliver(lambda: NOW + timedelta(seconds=10))

    pass_to(2)
    assert reasons(known.id) == ["opened"]
    deliver(lambda: NOW + timedelta(seconds=129))
    pass_to(129 / 60)
    assert reasons(known.id) == ["opened"]
    pass_to(130 / 60)

    assert (reasons(known.id), because(known)) == (["opened", "fallback"], ["undelivered"])
    assert pass_to(60) == 0


def test_as_long_as_it_was_not_tried_it_is_looked_at_again(cast: Cast, last: Destination, receiver: Receiver) -> None:
    hand_over(cast, receiver, "/a")
    known = opened(cast, severity="CRITICAL")
    pass_to(2)
    assert timers(notices(known.id)[0].id) == {"notice.fallback_check": 2.5}
    deliver(lambda: NOW + 2 * MINUTE)
    assert timers(notices(known.id)[0].id) == {}


def test_what_is_less_than_critical_waits_for_the_last_attempt(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    receiver.answer = Answer(503)
    known = opened(cast, severity="ERROR")
    deliver(lambda: NOW)
    pass_to(600)
    assert reasons(known.id) == ["opened"]


@pytest.mark.parametrize("what", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_what_somebody_has_taken_needs_no_fallback(cast: Cast, last: Destination, what: Act) -> None:
    listen(cast.workspace, enabled=False)
    known = opened(cast)
    with work() as done:
        incidents.act(known.id, what, NOW + MINUTE, done, by=MIA)
    pass_to(2)
    assert "fallback" not in reasons(known.id)


def test_a_fallback_is_never_followed_by_another(cast: Cast, receiver: Receiver) -> None:
    last = make_destination(cast.workspace, receiver, name="Last")
    settle(cast.workspace, fallbackDestinationId=str(last.id), renotifyMinutes={"ERROR": 0})
    receiver.answer = Answer(400)
    known = opened(cast)
    pass_to(0)
    deliver(lambda: NOW)
    assert pass_to(600) == 0
    assert (reasons(known.id), told(last)) == (["opened", "fallback"], [("fallback", "failed", "http_400")])


def test_who_gave_up_the_alarm_is_not_its_fallback(cast: Cast, receiver: Receiver, mailing: None) -> None:
    (pager,) = hand_over(cast, receiver, "/a")
    settle(cast.workspace, fallbackDestinationId=str(pager.id), renotifyMinutes={"ERROR": 0})
    receiver.answer = Answer(400)
    known = opened(cast)
    deliver(lambda: NOW)
    pass_to(0)
    assert decisions(notices(known.id)[-1]) == {"The owners": "mailed"}
    assert [mail.address for mail in Mail.select()] == ["olga@example.org"]


def test_without_a_fallback_the_owners_are_mailed(cast: Cast, mailing: None) -> None:
    listen(cast.workspace, stopped_at=NOW, stopped_reason="http_401")
    known = opened(cast)
    pass_to(0)

    (record,) = notices(known.id)[-1].decisions
    assert record == {
        "destinationId": None,
        "name": "The owners",
        "decision": "mailed",
        "fallbackReason": "all_stopped",
    }
    assert [(mail.template, mail.address) for mail in Mail.select()] == [("nobody_told", "olga@example.org")]


def test_with_nobody_to_fall_back_to_nothing_is_looked_at(cast: Cast) -> None:
    listen(cast.workspace, enabled=False)
    known = opened(cast, severity="WARNING")
    assert (reasons(known.id), Timer.select().count()) == (["opened"], 0)


def test_in_quiet_hours_what_waits_for_their_end_is_not_unheard(cast: Cast, last: Destination) -> None:
    listen(cast.workspace)
    be_quiet(cast.workspace, fallbackDestinationId=str(last.id), renotifyMinutes={"ERROR": 0})
    known = opened(cast)
    pass_to(60)
    assert reasons(known.id) == ["opened"]


def test_in_quiet_hours_a_fallback_does_not_wait(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    be_quiet(cast.workspace, fallbackDestinationId=str(last.id), renotifyMinutes={"ERROR": 0})
    opened(cast)
    pass_to(0)
    assert told(last) == [("fallback", "pending", None)]


def test_the_decision_names_the_destination(cast: Cast, last: Destination) -> None:
    known = opened(cast)
    pass_to(0)
    assert notices(known.id)[-1].decisions == [
        {
            "destinationId": ids.encode("dst", last.id),
            "name": "Last",
            "decision": "notify",
            "fallbackReason": "no_destination",
        }
    ]
