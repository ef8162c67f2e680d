"""The pages of an incident: who was paged, how, and when the person answered (specification 23.13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.models.incidents.tables import Incident
from inbox.models.oncall.schedules import OnCallSchedule
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.notices.paging_steps import mailing, paging, rule_by, schedule  # noqa: F401
from tests.flow.notices.test_pages import gap
from tests.flow.notices.test_phones import phone_of
from tests.flow.plans import MINUTE, follow, pass_to
from tests.flow.routing_fixtures import incident, routed
from tests.stand_ins.push_service import Subscription, service  # noqa: F401
from tests.stand_ins.receivers import Receiver

pytestmark = pytest.mark.usefixtures("mailing")

Browsers = Callable[[str], Browser]


def pages_of(browser: Browsers, one: Incident, name: str = "vic") -> Any:
    """The pages that this person reads."""
    return browser(name).get(f"/v1/incidents/{typeid('inc', one.id)}/pages").get_json()["items"]


def test_a_page_names_the_person_the_schedule_and_what_became_of_each_contact(
    cast: Cast, schedule: OnCallSchedule, service: Receiver, browser: Browsers
) -> None:
    mia = cast.users["mia"]
    phone_of(mia, cast, Subscription(service))
    rule_by(mia, (0, "push"), (10, "email"))
    follow(cast.workspace, paging(0, schedule))
    opened = incident(routed(cast.source).id)

    [page] = pages_of(browser, opened)

    assert (page["user"], page["schedule"]) == (
        {"id": typeid("usr", mia.id), "name": "Mia"},
        {"id": typeid("sch", schedule.id), "name": "Backend"},
    )
    assert (page["step"], page["round"], page["cause"], page["answer"]) == (1, 1, None, None)
    assert page["text"] == "Mia was paged."
    assert [(each["kind"], each["status"], each["cause"]) for each in page["contacts"]] == [
        ("push", "pending", None),
        ("email", "pending", "notification_rule"),
    ]


def test_a_page_has_the_first_answer_of_its_person(cast: Cast, browser: Browsers) -> None:
    mia, adam = cast.users["mia"], cast.users["adam"]
    follow(cast.workspace, paging(0, mia, adam))
    opened = incident(routed(cast.source).id)
    for what in ("acknowledge", "resolve"):
        browser("mia").post(f"/v1/incidents/{typeid('inc', opened.id)}/{what}", {})

    answers = {page["user"]["name"]: page["answer"] for page in pages_of(browser, opened)}

    assert answers == {"Mia": {"kind": "acknowledged", "at": answers["Mia"]["at"]}, "Adam": None}


def test_a_page_says_why_nobody_was_paged_and_the_newest_comes_first(
    cast: Cast, schedule: OnCallSchedule, browser: Browsers
) -> None:
    follow(cast.workspace, paging(0, schedule), paging(15, cast.users["adam"]))
    gap(schedule, 0)
    opened = incident(routed(cast.source).id)
    pass_to(1)

    found = [(page["text"], page["cause"], page["contacts"] != []) for page in pages_of(browser, opened)]

    assert found == [
        ("Adam was paged.", None, True),
        ("Nobody is on call by Backend, so nobody was paged.", "nobody_on_call", False),
    ]


def test_the_timeline_says_whom_each_step_paged(cast: Cast, browser: Browsers) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"], cast.users["adam"]), paging(5, cast.users["olga"]))
    opened = incident(routed(cast.source).id)
    pass_to(5)
    routed(cast.source, NOW + 6 * MINUTE, action="resolve")

    path = f"/v1/incidents/{typeid('inc', opened.id)}/timeline?kind=paged&order=asc"
    entries = browser("vic").get(path).get_json()["items"]

    assert [each["text"] for each in entries] == ["Mia and Adam were paged.", "Olga was paged."]
    assert [each["userId"] for each in entries[1]["details"]["pages"]] == [typeid("usr", cast.users["olga"].id)]


def test_no_page_has_an_address_and_others_do_not_find_it(cast: Cast, browser: Browsers) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"]))
    opened = incident(routed(cast.source).id)

    answer = browser("vic").get(f"/v1/incidents/{typeid('inc', opened.id)}/pages")

    assert "mia@" not in answer.get_data(as_text=True)
    assert browser("eve").get(f"/v1/incidents/{typeid('inc', opened.id)}/pages").status_code == 404
