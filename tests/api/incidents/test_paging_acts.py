"""Acts that page people: page, escalate, take (specification 23.17)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.routing.people import MAX_PEOPLE
from inbox.flow.routing.route import route
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident
from inbox.models.oncall.schedules import OnCallSchedule
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.notices.paging_steps import mailing, paging, schedule, sent_to  # noqa: F401
from tests.flow.plans import follow, step
from tests.flow.routing_fixtures import accept, incident, listen, reported
from tests.oncall import make_schedule
from tests.silences import make_silence

pytestmark = pytest.mark.usefixtures("mailing")

Browsers = Callable[[str], Browser]


def opened(cast: Cast, severity: str = "ERROR") -> Incident:
    event = accept(cast.source, present(), severity=severity)
    route(present)
    return incident(event)


def path(one: Incident, rest: str = "") -> str:
    return f"/v1/incidents/{typeid('inc', one.id)}{rest}"


def person(cast: Cast, name: str) -> dict[str, str]:
    return {"userId": typeid("usr", cast.users[name].id)}


def page(browser: Browser, one: Incident, *people: dict[str, str], **more: Any) -> Any:
    return browser.post(path(one, "/page"), {"people": list(people), **more})


def timeline(browser: Browser, one: Incident) -> list[tuple[str, str]]:
    found = browser.get(path(one, "/timeline?order=desc")).get_json()["items"]
    return [(each["kind"], each["text"]) for each in found]


def test_people_are_paged_now_and_the_timeline_names_them(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule
) -> None:
    one, adam = opened(cast), person(cast, "adam")

    answer = page(browser("mia"), one, adam, {"scheduleId": typeid("sch", schedule.id)}, note="Need help.")

    assert answer.status_code == 200, answer.json
    assert [sent_to(cast.users[name]) for name in ("adam", "mia")] == [[("renotify", "pending", None)]] * 2
    assert timeline(browser("vic"), one)[:2] == [("paged", "Mia paged Adam and Mia."), ("note", "Mia added a note.")]
    pages = browser("vic").get(path(one, "/pages")).get_json()["items"]
    assert {(each["user"]["name"], each["step"], each["round"]) for each in pages} == {
        ("Adam", None, None),
        ("Mia", None, None),
    }


def test_a_person_is_paged_again_by_each_act(browser: Browsers, cast: Cast) -> None:
    one = opened(cast)

    for _ in range(2):
        page(browser("mia"), one, person(cast, "adam"))

    assert sent_to(cast.users["adam"]) == [("renotify", "pending", None)] * 2


@pytest.mark.parametrize("state", ["acknowledge", "snooze"])
def test_an_incident_at_rest_pages_and_stays_as_it_is(browser: Browsers, cast: Cast, state: str) -> None:
    one = opened(cast)
    before = browser("mia").post(path(one, f"/{state}"), {"forMinutes": 5} if state == "snooze" else {}).get_json()

    answer = page(browser("mia"), one, person(cast, "adam"))

    assert answer.json["state"] == before["state"]
    assert len(sent_to(cast.users["adam"])) == 1


def test_a_silence_does_not_hold_a_page(browser: Browsers, cast: Cast) -> None:
    one = opened(cast)
    make_silence(cast.workspace, starts_at=present() - timedelta(hours=1), ends_at=present() + timedelta(hours=1))
    accept(cast.source, present(), severity="ERROR")
    route(present)

    page(browser("mia"), one, person(cast, "adam"))

    assert len(sent_to(cast.users["adam"])) == 1


def test_a_delay_does_not_hold_a_page_and_the_first_notice_still_comes(browser: Browsers, cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=600)
    one = opened(cast)

    page(browser("mia"), one, person(cast, "adam"))

    assert len(sent_to(cast.users["adam"])) == 1
    assert Incident.get_by_id(one.id).notified_at is None
    assert reported(pager) == []


def test_a_resolved_incident_pages_nobody(browser: Browsers, cast: Cast) -> None:
    one = opened(cast)
    browser("mia").post(path(one, "/resolve"), {})

    refused = page(browser("mia"), one, person(cast, "adam"))

    assert (refused.status_code, refused.json["code"]) == (409, "invalid_transition")


def test_a_page_to_nobody_is_refused_with_the_reason(browser: Browsers, cast: Cast) -> None:
    one, empty = opened(cast), make_schedule(cast.workspace, name="Empty", layers=[])

    refused = page(browser("mia"), one, {"scheduleId": typeid("sch", empty.id)})

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert refused.json["detail"] == "Nobody is on call by Empty, so nobody was paged."
    assert Notice.select().where(Notice.incident_id == one.id, Notice.reason == "renotify").count() == 0


def test_people_of_others_are_refused(browser: Browsers, cast: Cast) -> None:
    refused = page(browser("mia"), opened(cast), person(cast, "adam"), person(cast, "eve"))

    assert [each["pointer"] for each in refused.json["errors"]] == ["/people/1/userId"]


@pytest.mark.parametrize(
    ("number", "status"), [(0, 422), (1, 200), (MAX_PEOPLE - 1, 200), (MAX_PEOPLE, 200), (MAX_PEOPLE + 1, 422)]
)
def test_a_page_names_one_to_twenty_people(browser: Browsers, cast: Cast, number: int, status: int) -> None:
    people = [person(cast, "adam")] * number

    assert page(browser("mia"), opened(cast), *people).status_code == status


def escalate(browser: Browser, one: Incident) -> Any:
    return browser.post(path(one, "/escalate"), {})


def test_the_next_step_is_taken_now(browser: Browsers, cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), paging(30, cast.users["adam"]))
    one = opened(cast)

    answer = escalate(browser("mia"), one)

    assert answer.status_code == 200, answer.json
    assert sent_to(cast.users["adam"]) == [("escalated", "pending", None)]
    assert timeline(browser("vic"), one)[:2] == [
        ("paged", "Adam was paged."),
        ("escalated", "Mia took step 2 of the routing profile."),
    ]
    assert (escalate(browser("mia"), one).status_code, reported(pager)[-1][0]) == (409, "opened")


def test_a_step_that_does_not_take_the_severity_is_passed(browser: Browsers, cast: Cast) -> None:
    pager, boss = listen(cast.workspace, routed=False), listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0, pager), step(10, pager, least="CRITICAL"), step(20, boss))

    escalate(browser("mia"), opened(cast))

    assert [each[0] for each in reported(boss)] == ["escalated"]


def test_before_the_first_step_the_wait_ends(browser: Browsers, cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(5, pager), delay_seconds=600)
    one = opened(cast)

    escalate(browser("mia"), one)

    assert reported(pager) == [("opened", "pending", None)]


def test_only_an_open_incident_escalates(browser: Browsers, cast: Cast) -> None:
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)), paging(30, cast.users["adam"]))
    one = opened(cast)
    browser("mia").post(path(one, "/acknowledge"), {})

    refused = escalate(browser("mia"), one)

    assert (refused.status_code, refused.json["code"]) == (409, "invalid_transition")


def test_to_take_an_incident_acknowledges_and_assigns_it_and_can_be_undone(browser: Browsers, cast: Cast) -> None:
    one = opened(cast)

    taken = browser("mia").post(path(one, "/take"), {"note": "Mine."})

    assert (taken.json["state"], taken.json["assignee"]["name"]) == ("acknowledged", "Mia")
    assert timeline(browser("vic"), one)[0] == ("acknowledged", "Mia took it: it is acknowledged and assigned.")
    undone = browser("mia").post("/v1/incidents/undo", {"undoId": taken.headers["X-Undo-Id"]})
    assert undone.status_code == 200, undone.json
    after = browser("vic").get(path(one)).get_json()
    assert (after["state"], after["assignee"]) == ("open", None)


def test_to_take_an_acknowledged_incident_assigns_it(browser: Browsers, cast: Cast) -> None:
    one = opened(cast)
    browser("adam").post(path(one, "/acknowledge"), {})

    taken = browser("mia").post(path(one, "/take"), {})

    assert taken.json["acknowledgedBy"]["name"] == "Adam"
    assert taken.json["assignee"]["name"] == "Mia"
