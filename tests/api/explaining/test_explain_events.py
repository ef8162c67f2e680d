"""The explanation of one event: the result of routing, its reasons, and the recipients of its notices."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.database.base import new_id
from inbox.models.deliveries.tables import Delivery
from inbox.models.events.tables import RoutingTrace
from inbox.services.explaining.explanations import explained
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.routing_fixtures import accept, listen, routed
from tests.flow.rulemaking import clause, rule
from tests.silences import make_silence

Browsers = Callable[[str], Browser]
MINUTE = timedelta(minutes=1)


def path(event_id: UUID) -> str:
    return f"/v1/events/{typeid('evt', event_id)}/explain"


def requested(browser: Browsers, event_id: UUID) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The event as it is explained, and the notices."""
    answer = browser("vic").get(path(event_id))
    assert answer.status_code == 200
    first, *rest = answer.get_json()["items"]
    assert (first["kind"], first["eventId"]) == ("event", typeid("evt", event_id))
    assert {each["kind"] for each in rest} <= {"notice"}
    return first, rest


def test_an_informational_notice_says_who_was_notified_and_who_was_not(browser: Browsers, cast: Cast) -> None:
    pager, chat = listen(cast.workspace, min_severity="ERROR"), listen(cast.workspace, "Chat")
    rule(cast.workspace, clause("type", "eq", "deploy.done"), "notify", name="Deploys")
    first = routed(cast.source, NOW, severity="INFO", type="deploy.done", title="Version 7 is out")
    routed(cast.source, NOW, severity="INFO", type="deploy.done", title="Version 8 is out")
    Delivery.update(status="sent", settled_at=NOW).execute()

    event, (notice,) = requested(browser, first.id)

    assert (event["title"], event["severity"]) == ("Version 7 is out", "INFO")
    assert event["text"] == "Event sent as information only, no incident."
    assert event["reasons"][0] == 'Matched rule "Deploys": type = "deploy.done" (value: "deploy.done").'
    assert event["routing"]["disposition"] == "notified"
    assert (notice["eventId"], notice["reason"]) == (typeid("evt", first.id), "informational")
    assert notice["text"] == "Information only, no incident. Notified: Chat. Not notified: Pager."
    assert [(each["destinationId"], each["decision"], each["status"]) for each in notice["decisions"]] == [
        (typeid("dst", pager.id), "below_min_severity", None),
        (typeid("dst", chat.id), "notify", "sent"),
    ]
    assert [each["text"] for each in notice["decisions"]] == [
        "Pager was not notified: it takes ERROR and above; this was INFO.",
        "Chat was notified at 2026-11-21T09:00:00Z.",
    ]
    assert browser("vic").get(path(first.id)).get_json()["incidentId"] is None


def test_the_explanation_of_a_silenced_event_names_the_silence(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    rule(cast.workspace, disposition="notify")
    make_silence(cast.workspace, cast.users["mia"], NOW - MINUTE)

    event, (notice,) = requested(browser, routed(cast.source, NOW).id)

    assert event["reasons"][-1] == "A silence covers the event: no notification."
    assert (
        notice["text"]
        == 'Information only, no incident. Nobody was notified: silence "Upgrade" by Mia covered the incident.'
    )


def test_the_events_of_an_incident_have_their_own_explanations(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    opened, repeat = routed(cast.source, NOW), routed(cast.source, NOW + MINUTE)
    ended = routed(cast.source, NOW + 2 * MINUTE, action="resolve")
    routed(cast.source, NOW, key="other")
    incident_id = typeid("inc", opened.incident_id)

    answers = [browser("vic").get(path(each.id)).get_json() for each in (opened, repeat, ended)]

    kinds = [[item.get("reason", "event") for item in answer["items"]] for answer in answers]
    assert kinds == [["event", "opened"], ["event"], ["event", "resolved"]]
    assert [answer["incidentId"] for answer in answers] == [incident_id] * 3
    there = browser("vic").get(f"/v1/incidents/{incident_id}/explain?order=asc").get_json()["items"]
    reported = [item for answer in answers for item in answer["items"]]
    assert sorted(reported, key=str) == sorted(there, key=str)


@pytest.mark.parametrize(
    ("disposition", "words"),
    [("log", "Event logged only."), ("drop", "Event dropped: it is stored, and nobody is notified.")],
)
def test_the_explanation_without_recipients_names_the_rule_and_its_clause(
    browser: Browsers, cast: Cast, disposition: str, words: str
) -> None:
    rule(cast.workspace, clause("resource", "startsWith", "host:test"), disposition, name="Tests")

    event, notices = requested(browser, routed(cast.source, NOW, resource="host:test-1").id)

    assert (event["text"], notices) == (words, [])
    assert event["reasons"][0] == 'Matched rule "Tests": resource startsWith "host:test" (value: "host:test-1").'


def test_the_explanation_of_an_unrouted_event_says_that_it_waits(browser: Browsers, cast: Cast) -> None:
    event, notices = requested(browser, accept(cast.source, NOW))

    assert (event["text"], notices) == ("Event accepted, waiting to be routed.", [])
    assert (event["reasons"], event["routing"]) == ([], None)


def test_explanations_are_limited_to_events_of_the_callers_workspaces(
    browser: Browsers, anonymous: Browser, cast: Cast
) -> None:
    rule(cast.workspace, disposition="notify")
    ours = routed(cast.source, NOW)

    for who, event_id in (("eve", ours.id), ("vic", new_id()), ("vic", accept(cast.foreign_source, NOW))):
        answer = browser(who).get(path(event_id))
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")
    assert anonymous.get(path(ours.id)).status_code == 401


def test_an_event_purged_during_a_request_is_left_out_of_the_explanation(cast: Cast) -> None:
    event = routed(cast.source, NOW)

    reported = explained(cast.workspace.id, [new_id(), event.id])

    assert [each["event_id"] for each in reported] == [event.id]


def test_events_that_share_a_record_are_notified_each_with_its_own_incident(browser: Browsers, cast: Cast) -> None:
    found = [routed(cast.source, NOW, key=key) for key in ("a", "b") * 4]

    reported = {each["id"]: each for each in browser("vic").get("/v1/events").get_json()["items"]}

    assert RoutingTrace.select().count() > 0
    for event in found:
        listed = reported[typeid("evt", event.id)]
        assert listed["routing"]["incidentId"] == listed["incidentId"] == typeid("inc", event.incident_id)
        assert browser("vic").get(f"/v1/events/{typeid('evt', event.id)}").get_json()["routing"] == listed["routing"]
        assert requested(browser, event.id)[0]["routing"] == listed["routing"]


def test_events_of_several_alerts_say_what_they_did_to_them(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    routed(cast.source, NOW, key="n1", by="nodes")
    joined = routed(cast.source, NOW + MINUTE, key="n2", by="nodes")
    ended = routed(cast.source, NOW + 2 * MINUTE, key="n1", by="nodes", action="resolve")
    again = routed(cast.source, NOW + 3 * MINUTE, key="n1", by="nodes", action="resolve")

    explained_events = [requested(browser, each.id)[0] for each in (joined, ended, again)]

    assert [(each["routing"]["act"], each["text"].partition(".")[0]) for each in explained_events] == [
        ("join", "Event added an alert to the incident"),
        ("alert_ends", "Recovery ended an alert"),
        ("recover", "Recovery without an alert that fires: nothing to resolve"),
    ]
