"""Replays where a service keeps the state of an incident: an older notice must not set it back (specification 9.10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.destinations import Config
from inbox.domain.values import times
from inbox.flow.delivery.deliver import claim_due
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident, owe, store_destination

Browsers = Callable[[str], Browser]

KEEPING: dict[str, Config] = {
    "pagerduty": Config({"region": "us", "routingKeyHint": "…0123"}, {"routingKey": "R" * 32}),
    "opsgenie": Config({"service": "us", "apiKeyHint": "…0123"}, {"apiKey": "A" * 32}),
    "ntfy": Config({"server": "https://ntfy.sh", "topic": "ops"}, {}),
    "pushover": Config({"emergency": True}, {"user": "U" * 30, "token": "T" * 30}),
}
SETTLED: dict[str, Any] = {"due_at": None, "settled_at": None}


@pytest.fixture(params=KEEPING)
def keeping(request: pytest.FixtureRequest, cast: Cast) -> Destination:
    return store_destination(cast.workspace, request.param, KEEPING[request.param])


@pytest.fixture
def incident(cast: Cast) -> Incident:
    return make_incident(cast)


def settled(destination: Destination, incident: Incident, seq: int, reason: str, status: str = "failed") -> Delivery:
    at = present() - timedelta(minutes=30 - seq)
    return owe(destination, incident, seq, reason=reason, status=status, due_at=None, settled_at=at)


def resolve(incident: Incident) -> None:
    Incident.update(state="resolved", resolved_at=present()).where(Incident.id == incident.id).execute()


def replay(browser: Browsers, delivery: Delivery) -> Any:
    return browser("adam").post(f"/v1/deliveries/{typeid('dlv', delivery.id)}/replay")


def replay_failed(browser: Browsers, destination: Destination) -> Any:
    order = {"since": times.rfc3339(present() - timedelta(hours=1))}
    return browser("adam").post(f"/v1/destinations/{typeid('dst', destination.id)}/replay", order).json


@pytest.mark.parametrize("later", [["resolved"], []])
def test_a_replay_does_not_reopen_an_incident_that_ended(
    browser: Browsers, keeping: Destination, incident: Incident, later: list[str]
) -> None:
    opened = settled(keeping, incident, 1, "opened")
    for reason in later:
        settled(keeping, incident, 2, reason, "sent")
    resolve(incident)

    answer = replay(browser, opened)

    assert (answer.status_code, answer.json["code"]) == (409, "conflict")
    assert "keeps the state of the incident" in answer.json["detail"]
    assert Delivery.select().where(Delivery.replay_of.is_null(False)).count() == 0


def test_a_replay_does_not_resolve_an_incident_that_is_open_again(
    browser: Browsers, keeping: Destination, incident: Incident
) -> None:
    ended = settled(keeping, incident, 2, "resolved")

    assert replay(browser, ended).status_code == 409
    resolve(incident)
    assert replay(browser, ended).status_code == 201


def test_the_newest_notice_of_an_open_incident_is_replayed(
    browser: Browsers, keeping: Destination, incident: Incident
) -> None:
    opened, risen = (settled(keeping, incident, seq, each) for seq, each in ((1, "opened"), (2, "escalated")))
    settled(keeping, incident, 3, "updated", "skipped")

    assert [replay(browser, each).status_code for each in (opened, risen)] == [409, 201]


def test_an_event_without_an_incident_is_replayed(browser: Browsers, keeping: Destination) -> None:
    assert replay(browser, owe(keeping, reason="informational", status="failed", **SETTLED)).status_code == 201


@pytest.mark.parametrize("config", [None, Config({"emergency": False}, KEEPING["pushover"].secrets)])
def test_any_replay_is_allowed_for_a_service_without_a_state(
    browser: Browsers, cast: Cast, incident: Incident, config: Config | None
) -> None:
    there = make_destination(cast.workspace, "http://127.0.0.1:9/")
    if config is not None:
        there = store_destination(cast.workspace, "pushover", config)
    opened = settled(there, incident, 1, "opened")
    settled(there, incident, 2, "resolved", "sent")
    resolve(incident)

    assert replay(browser, opened).status_code == 201


def test_a_bulk_replay_skips_and_counts_stale_deliveries(
    browser: Browsers, cast: Cast, keeping: Destination, incident: Incident
) -> None:
    for seq, reason in ((1, "opened"), (2, "escalated")):
        settled(keeping, incident, seq, reason)
    ended = settled(keeping, incident, 3, "resolved")
    resolve(incident)
    still_open = settled(keeping, make_incident(cast), 1, "opened")

    assert replay_failed(browser, keeping) == {"deliveries": 2, "more": False, "stale": 2}
    made = Delivery.select().where(Delivery.replay_of.is_null(False))
    assert {each.replay_of for each in made} == {ended.id, still_open.id}


@pytest.mark.parametrize(("later", "cause"), [(True, "superseded"), (False, "resolved_meanwhile")])
def test_a_replay_that_became_stale_while_it_waited_is_not_sent(
    browser: Browsers, keeping: Destination, incident: Incident, later: bool, cause: str
) -> None:
    replay(browser, settled(keeping, incident, 1, "opened"))
    waiting = Delivery.get(Delivery.replay_of.is_null(False))
    if later:
        settled(keeping, incident, 2, "resolved", "sent")
    resolve(incident)

    claimed = claim_due(present(), 10)

    assert claimed.calls == []
    skipped = fresh(waiting)
    assert (skipped.status, skipped.cause, skipped.attempt, skipped.due_at) == ("skipped", cause, 0, None)
    assert skipped.settled_at is not None


def test_a_replay_that_is_not_stale_is_sent(browser: Browsers, keeping: Destination, incident: Incident) -> None:
    replay(browser, settled(keeping, incident, 1, "opened"))

    ((claimed, _),) = claim_due(present(), 10).calls

    assert claimed.id == Delivery.get(Delivery.replay_of.is_null(False)).id
