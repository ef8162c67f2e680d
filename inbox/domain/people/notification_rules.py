"""Notification rules of a person: by which contact methods a page reaches them, and when (specification 23.11)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from inbox.domain.values.severity import Severity

PUSH = "push"
"""The method of all paired devices of the person."""

ACCOUNT_MAIL = "email"
"""The method of the address of the account. Further addresses are contact methods, which rules name by their ids."""

MAX_RULES = 10
"""The maximum number of rules of one list."""

MAX_MINUTES = 1_440
"""The longest time between a page and a rule."""


@dataclass(frozen=True, slots=True)
class NotificationRule:
    """A page is sent by `method` this long after it began: `push`, `email`, or the TypeID of a contact method."""

    after: timedelta
    method: str


AT_ONCE = (NotificationRule(timedelta(), PUSH), NotificationRule(timedelta(), ACCOUNT_MAIL))
"""The rules of a person without rules."""


@dataclass(frozen=True, slots=True)
class NotificationRules:
    """The rules of a person. Without `critical` ones the others apply to critical incidents, too."""

    default: tuple[NotificationRule, ...] = ()
    critical: tuple[NotificationRule, ...] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Sequence[Mapping[str, Any]]]) -> NotificationRules:
        """Returns the stored rules: lists of `{afterMinutes, method}`."""
        return cls(_read(stored.get("default", ())), _read(stored.get("critical", ())))

    def for_severity(self, severity: Severity) -> tuple[NotificationRule, ...]:
        """Returns the rules for an incident of this severity, in the order of their times."""
        chosen = (self.critical if severity is Severity.CRITICAL else ()) or self.default or AT_ONCE
        return tuple(sorted(chosen, key=lambda rule: rule.after))

    def names(self, method: str) -> bool:
        """Returns whether a rule uses this method."""
        return any(rule.method == method for rule in (*self.default, *self.critical))


class Paging(StrEnum):
    """How pages reach a member of a workspace."""

    RULES = "rules"
    """By notification rules that the person chose."""

    DEFAULT = "default"
    """By push and mail at once, because the person chose no rules."""

    UNREACHABLE = "unreachable"
    """Not at all."""


def paging_of(rules: NotificationRules, methods: Collection[str]) -> Paging:
    """Returns how pages reach a person who has these methods that work."""
    lists = (rules.for_severity(each) for each in (Severity.INFO, Severity.CRITICAL))
    if not all(any(rule.method in methods for rule in each) for each in lists):
        return Paging.UNREACHABLE
    return Paging.RULES if rules.default or rules.critical else Paging.DEFAULT


class RulesProblem(StrEnum):
    """Why pages may reach a person late or not at all."""

    NO_RULES = "no_rules"
    """The person chose nothing: pages are sent by push and mail at once."""

    NO_PHONE = "no_phone"
    """Rules use push, and no paired device chose a workspace."""

    NO_MAIL = "no_mail"
    """Rules use mail, and the instance has no mail server."""

    METHOD_FAILS = "method_fails"
    """Rules use a contact method whose provider is gone, or whose address refused messages."""

    UNREACHABLE = "unreachable"
    """No rule of a list has a method that works."""


class WorkingMethods(NamedTuple):
    """What reaches a person now: phones, mail, and the contact methods of providers."""

    has_phone: bool
    can_send_mail: bool
    provided: Collection[str] = ()
    """Those that work."""

    failing: Collection[str] = ()
    """Those that do not: the provider is gone, or the address refused messages."""


def problems(rules: NotificationRules, methods: WorkingMethods) -> list[RulesProblem]:
    """Returns what is wrong with the rules of a person now."""
    lists = [{rule.method for rule in rules.for_severity(each)} for each in (Severity.INFO, Severity.CRITICAL)]
    named = set[str]().union(*lists)
    mails = named - {PUSH, *methods.provided, *methods.failing}
    working = {PUSH} if methods.has_phone else set[str]()
    working |= set(methods.provided) | (mails if methods.can_send_mail else set())
    found = {
        RulesProblem.NO_RULES: not (rules.default or rules.critical),
        RulesProblem.NO_PHONE: PUSH in named and not methods.has_phone,
        RulesProblem.NO_MAIL: bool(mails) and not methods.can_send_mail,
        RulesProblem.METHOD_FAILS: not named.isdisjoint(methods.failing),
        RulesProblem.UNREACHABLE: any(working.isdisjoint(each) for each in lists),
    }
    return [problem for problem, holds in found.items() if holds]


def _read(stored: Sequence[Mapping[str, Any]]) -> tuple[NotificationRule, ...]:
    return tuple(NotificationRule(timedelta(minutes=each["afterMinutes"]), each["method"]) for each in stored)
