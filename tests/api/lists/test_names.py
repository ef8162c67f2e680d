"""Names next to ids: each record has them, and they survive a deletion (specification 7.1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from inbox.flow.routing.route import route
from inbox.models.incidents.tables import Incident
from inbox.models.people.members import Member
from inbox.models.routing.rules import Rule
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.plans import follow, step
from tests.flow.routing_fixtures import accept, incident, listen
from tests.flow.rulemaking import rule
from tests.silences import make_silence

Browsers = Callable[[str], Browser]
LIST = "/v1/incidents"


def opened(cast: Cast) -> Incident:
    event = accept(cast.source, present(), severity="ERROR")
    route(present)
    return incident(event)


def read(browser: Browser, one: Incident) -> dict[str, Any]:
    answer: dict[str, Any] = browser.get(f"{LIST}/{typeid('inc', one.id)}").get_json()
    return answer


def test_an_incident_names_its_rule_its_profile_and_its_people(browser: Browsers, cast: Cast) -> None:
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)))
    databases = rule(cast.workspace, name="Databases")
    mia, one = browser("mia"), opened(cast)
    me = typeid("usr", cast.users["mia"].id)
    mia.patch(f"{LIST}/{typeid('inc', one.id)}", {"assigneeId": me})
    mia.post(f"{LIST}/{typeid('inc', one.id)}/acknowledge")

    shown = read(mia, one)

    who = {"type": "user", "id": me, "name": "Mia"}
    assert (shown["assignee"], shown["acknowledgedBy"], shown["assigneeId"]) == (who, who, me)
    assert shown["rule"] == {"id": typeid("rul", databases.id), "name": "Databases"}
    assert shown["routingProfile"] == {"id": shown["routingProfileId"], "name": "Standby"}
    assert shown["silence"] is None
    (listed,) = mia.get(LIST).get_json()["items"]
    assert listed == shown


def test_names_stay_after_a_deletion(browser: Browsers, cast: Cast) -> None:
    databases = rule(cast.workspace, name="Databases")
    one = opened(cast)
    adam = cast.users["adam"]
    browser("adam").post(f"{LIST}/{typeid('inc', one.id)}/acknowledge")
    Rule.update(deleted_at=present()).where(Rule.id == databases.id).execute()
    Member.delete().where(Member.user == adam.id).execute()

    shown = read(browser("mia"), one)

    assert shown["rule"]["name"] == "Databases"
    assert shown["acknowledgedBy"]["name"] == "Adam"


def test_a_silenced_incident_says_until_when_and_why(browser: Browsers, cast: Cast) -> None:
    now = present()
    silence = make_silence(cast.workspace, cast.users["mia"], now - timedelta(minutes=1), comment="Upgrade")

    shown = read(browser("vic"), opened(cast))

    assert (shown["silence"]["id"], shown["silence"]["comment"]) == (typeid("sil", silence.id), "Upgrade")
    assert shown["silence"]["endsAt"] is not None
    assert shown["silencedBy"] == shown["silence"]["id"]


def test_a_view_names_its_maker(browser: Browsers, cast: Cast) -> None:
    body = {"workspaceId": typeid("wsp", cast.workspace.id), "name": "Open", "filters": {}}

    made = browser("mia").post("/v1/views", body).get_json()

    assert made["createdBy"] == {"type": "user", "id": made["userId"], "name": "Mia"}


def test_an_incident_shows_its_newest_event(browser: Browsers, cast: Cast) -> None:
    accept(cast.source, present(), severity="ERROR", url="https://example.org/1", body="first")
    newest = accept(cast.source, present(), severity="ERROR", url="https://example.org/2", body="x" * 300)
    route(present)

    (listed,) = browser("vic").get(LIST).get_json()["items"]

    assert listed["lastEvent"] == {
        "id": typeid("evt", newest),
        "receivedAt": listed["lastSeenAt"],
        "url": "https://example.org/2",
        "bodyExcerpt": "x" * 200,
    }
