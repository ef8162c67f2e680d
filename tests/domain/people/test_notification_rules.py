"""Notification rules as rules: which list applies, and in which order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.people.notification_rules import (
    AT_ONCE,
    NotificationRule,
    NotificationRules,
    WorkingMethods,
    paging_of,
    problems,
)
from inbox.domain.values.severity import Severity

MAIL_LATER = {"afterMinutes": 5, "method": "email"}
PUSH = {"afterMinutes": 0, "method": "push"}


def rule(minutes: int, method: str) -> NotificationRule:
    return NotificationRule(timedelta(minutes=minutes), method)


def test_a_person_without_rules_is_paged_by_push_and_mail_at_once() -> None:
    for severity in Severity:
        assert NotificationRules.of({}).for_severity(severity) == AT_ONCE


def test_the_critical_list_applies_to_critical_incidents_alone() -> None:
    rules = NotificationRules.of({"default": [MAIL_LATER], "critical": [PUSH]})

    assert rules.for_severity(Severity.CRITICAL) == (rule(0, "push"),)
    assert rules.for_severity(Severity.ERROR) == (rule(5, "email"),)


def test_without_a_critical_list_the_default_one_applies_in_the_order_of_its_times() -> None:
    rules = NotificationRules.of({"default": [MAIL_LATER, PUSH], "critical": []})

    assert rules.for_severity(Severity.CRITICAL) == (rule(0, "push"), rule(5, "email"))


def test_a_critical_list_alone_leaves_other_incidents_push_and_mail() -> None:
    rules = NotificationRules.of({"critical": [MAIL_LATER]})

    assert rules.for_severity(Severity.WARNING) == AT_ONCE


def test_rules_name_a_method_in_either_list() -> None:
    rules = NotificationRules.of({"default": [PUSH], "critical": [MAIL_LATER]})

    assert rules.names("push") and rules.names("email")
    assert not rules.names("cme_01h455vb4pex5vsknk084sn02q")


@pytest.mark.parametrize(
    ("stored", "has_phone", "can_send_mail", "expected"),
    [
        ({}, True, True, ["no_rules"]),
        ({}, False, True, ["no_rules", "no_phone"]),
        ({}, False, False, ["no_rules", "no_phone", "no_mail", "unreachable"]),
        ({"default": ["push"]}, True, False, []),
        ({"default": ["push"]}, False, True, ["no_phone", "unreachable"]),
        ({"default": ["email"]}, False, True, []),
        ({"default": ["email"], "critical": ["push"]}, False, True, ["no_phone", "unreachable"]),
        ({"default": ["cme_x"]}, True, False, ["no_mail", "unreachable"]),
        ({"default": ["cme_sms"]}, False, False, []),
        ({"default": ["cme_gone"]}, True, True, ["method_fails", "unreachable"]),
        ({"default": ["cme_gone", "cme_sms"]}, True, True, ["method_fails"]),
    ],
)
def test_rules_say_why_pages_may_not_arrive(
    stored: dict[str, list[str]], expected: list[str], *, has_phone: bool, can_send_mail: bool
) -> None:
    lists = {name: [{"afterMinutes": 0, "method": method} for method in each] for name, each in stored.items()}

    methods = WorkingMethods(has_phone, can_send_mail, ["cme_sms"], ["cme_gone"])
    found = problems(NotificationRules.of(lists), methods)

    assert [str(each) for each in found] == expected


@pytest.mark.parametrize(
    ("stored", "methods", "expected"),
    [
        ({}, {"email"}, "default"),
        ({}, set(), "unreachable"),
        ({"default": ["push"]}, {"push"}, "rules"),
        ({"default": ["push"]}, {"email"}, "unreachable"),
        ({"default": ["email"], "critical": ["push"]}, {"email"}, "unreachable"),
        ({"critical": ["push"]}, {"push"}, "rules"),
    ],
)
def test_how_pages_reach_a_person(stored: dict[str, list[str]], methods: set[str], expected: str) -> None:
    lists = {name: [{"afterMinutes": 0, "method": method} for method in each] for name, each in stored.items()}

    assert paging_of(NotificationRules.of(lists), methods) == expected
