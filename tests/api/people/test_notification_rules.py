"""Notification rules over HTTP: both lists of a person (specification 23.11)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.people.notification_rules import MAX_MINUTES, MAX_RULES
from tests.api.people.links_steps import Browsers
from tests.cast import Cast, present, typeid
from tests.oncall import make_contact_method

RULES = "/v1/me/notification-rules"


def rule(minutes: int = 0, method: str = "push") -> dict[str, Any]:
    return {"afterMinutes": minutes, "method": method}


def pointers(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [each["pointer"] for each in answer.json["errors"]]


def test_a_person_without_rules_has_two_empty_lists(browser: Browsers) -> None:
    assert browser("mia").get(RULES).json == {
        "default": [],
        "critical": [],
        "rev": 0,
        "problems": ["no_rules", "no_phone", "no_mail", "unreachable"],
        "offered": None,
    }


def test_saved_rules_are_in_the_order_of_their_times(browser: Browsers, cast: Cast) -> None:
    method = typeid("cme", make_contact_method(cast.users["mia"], confirmed_at=present()).id)
    given = {"default": [rule(5, "email"), rule()], "critical": [rule(0, method), rule(2)]}

    saved = browser("mia").put(RULES, given)

    assert saved.status_code == 200, saved.json
    lists = {"default": [rule(), rule(5, "email")], "critical": given["critical"]}
    assert saved.json == {**lists, "rev": 1, "problems": ["no_phone", "no_mail", "unreachable"], "offered": None}
    assert browser("mia").get(RULES).json == saved.json
    assert browser("olga").get(RULES).json["rev"] == 0


def test_a_stale_revision_is_refused(browser: Browsers) -> None:
    empty: dict[str, Any] = {"default": [], "critical": []}
    browser("mia").put(RULES, empty)

    assert browser("mia").put(RULES, empty, headers={"If-Match": '"0"'}).status_code == 412
    assert browser("mia").put(RULES, empty, headers={"If-Match": '"1"'}).json["rev"] == 2


def test_a_method_must_be_a_confirmed_one_of_the_person(browser: Browsers, cast: Cast) -> None:
    waiting = make_contact_method(cast.users["mia"])
    foreign = make_contact_method(cast.users["olga"], confirmed_at=present())
    named = [rule(0, typeid("cme", each.id)) for each in (waiting, foreign)]

    refused = browser("mia").put(RULES, {"default": [rule(), *named], "critical": [rule(0, "sms")]})

    assert sorted(pointers(refused)) == ["/critical/0/method", "/default/1/method", "/default/2/method"]


def test_a_list_names_a_method_once(browser: Browsers) -> None:
    refused = browser("mia").put(RULES, {"default": [rule(), rule(1)], "critical": []})
    assert pointers(refused) == ["/default/1/method"]
    assert browser("mia").put(RULES, {"default": [rule()], "critical": [rule()]}).status_code == 200


@pytest.mark.parametrize(("number", "status"), [(MAX_RULES - 1, 200), (MAX_RULES, 200), (MAX_RULES + 1, 422)])
def test_a_list_has_at_most_ten_rules(browser: Browsers, cast: Cast, number: int, status: int) -> None:
    methods = [make_contact_method(cast.users["mia"], confirmed_at=present()) for _ in range(number)]
    rules = [rule(0, typeid("cme", each.id)) for each in methods]

    assert browser("mia").put(RULES, {"default": [], "critical": rules}).status_code == status


@pytest.mark.parametrize(
    ("minutes", "status"), [(-1, 422), (0, 200), (MAX_MINUTES - 1, 200), (MAX_MINUTES, 200), (MAX_MINUTES + 1, 422)]
)
def test_a_rule_applies_within_a_day(browser: Browsers, minutes: int, status: int) -> None:
    assert browser("mia").put(RULES, {"default": [rule(minutes)], "critical": []}).status_code == status
