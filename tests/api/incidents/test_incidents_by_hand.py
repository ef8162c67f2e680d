"""Incidents that people open: by an event of a built-in source, so that all rules hold (specification 23.17)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.people.pages_of_events import LONGEST_WAIT, PAGE_OF_EVENT
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.incidents.tables import Incident, Timer
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.notices.paging_steps import mailing, schedule, sent_to  # noqa: F401
from tests.flow.routing_fixtures import listen, reported
from tests.flow.rulemaking import rule
from tests.oncall import make_schedule

pytestmark = pytest.mark.usefixtures("mailing")

Browsers = Callable[[str], Browser]


def open_one(browser: Browser, cast: Cast, **fields: Any) -> Any:
    body = {"workspaceId": typeid("wsp", cast.workspace.id), "title": "Checkout is slow", "severity": "ERROR"}
    return browser.post("/v1/incidents", {**body, **fields})


def person(cast: Cast, name: str) -> dict[str, str]:
    return {"userId": typeid("usr", cast.users[name].id)}


def later(seconds: int = 2) -> Any:
    return lambda: present() + timedelta(seconds=seconds)


def test_a_person_opens_an_incident_by_the_default_route(browser: Browsers, cast: Cast) -> None:
    pager = listen(cast.workspace)

    answer = open_one(browser("mia"), cast, text="Customers call.")
    route(present)

    assert answer.status_code == 202, answer.json
    one = Incident.get()
    assert (one.title, one.severity, typeid("src", one.source_id)) == (
        "Checkout is slow",
        "ERROR",
        answer.json["sourceId"],
    )
    event = browser("vic").get(f"/v1/events/{answer.json['eventId']}").get_json()
    assert (event["body"], event["incidentId"]) == ("Customers call.", typeid("inc", one.id))
    assert [each[0] for each in reported(pager)] == ["opened"]


def test_each_is_an_incident_of_its_own_and_all_have_one_source(browser: Browsers, cast: Cast) -> None:
    for _ in range(2):
        open_one(browser("mia"), cast)
    route(present)

    assert Incident.select().count() == 2
    assert Source.select().where(Source.built_in).count() == 1


def test_its_people_are_paged_once_it_is_open(browser: Browsers, cast: Cast) -> None:
    open_one(browser("mia"), cast, people=[person(cast, "adam")])
    run_due(present)
    assert sent_to(cast.users["adam"]) == []

    route(present)
    run_due(later())

    assert sent_to(cast.users["adam"]) == [("renotify", "pending", None)]
    path = f"/v1/incidents/{typeid('inc', Incident.get().id)}/timeline?order=desc&kind=paged"
    assert [each["text"] for each in browser("vic").get(path).get_json()["items"]] == ["Mia paged Adam."]


def test_a_rule_decides_about_it(browser: Browsers, cast: Cast) -> None:
    rule(cast.workspace, disposition="log")

    open_one(browser("mia"), cast, people=[person(cast, "adam")])
    route(present)
    run_due(later())

    assert (Incident.select().count(), sent_to(cast.users["adam"])) == (0, [])
    assert Rule.select().count() == 1


def test_people_wait_for_routing_up_to_an_hour(browser: Browsers, cast: Cast) -> None:
    open_one(browser("mia"), cast, people=[person(cast, "adam")])
    waiting = Timer.select().where(Timer.kind == PAGE_OF_EVENT)

    run_due(lambda: present() + LONGEST_WAIT - timedelta(seconds=5))
    assert waiting.count() == 1

    run_due(lambda: present() + LONGEST_WAIT + timedelta(seconds=5))
    assert waiting.count() == 0


def test_nobody_on_call_is_refused_before_anything_is_stored(browser: Browsers, cast: Cast) -> None:
    empty = make_schedule(cast.workspace, name="Empty", layers=[])

    refused = open_one(browser("mia"), cast, people=[{"scheduleId": typeid("sch", empty.id)}])

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert not Source.select().where(Source.built_in).exists()


def test_a_disabled_source_opens_nothing(browser: Browsers, cast: Cast) -> None:
    open_one(browser("mia"), cast)
    Source.update(enabled=False).where(Source.built_in).execute()

    refused = open_one(browser("mia"), cast)

    assert refused.status_code == 409 and "By hand" in refused.json["detail"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"title": " "}, "/title"),
        ({"severity": "INFO"}, "/severity"),
        ({"text": "x" * 10_001}, "/text"),
        ({"people": [{"userId": "usr_01j0000000e008000000000001"}]}, "/people/0/userId"),
    ],
)
def test_bad_fields_are_refused(browser: Browsers, cast: Cast, fields: dict[str, Any], pointer: str) -> None:
    refused = open_one(browser("mia"), cast, **fields)

    assert [each["pointer"] for each in refused.json["errors"]] == [pointer]


@pytest.mark.parametrize("length", [9_999, 10_000])
def test_a_long_text_is_taken(browser: Browsers, cast: Cast, length: int) -> None:
    assert open_one(browser("mia"), cast, text="x" * length).status_code == 202


def test_viewers_and_others_open_nothing(browser: Browsers, cast: Cast) -> None:
    assert [open_one(browser(name), cast).status_code for name in ("vic", "eve")] == [403, 422]
