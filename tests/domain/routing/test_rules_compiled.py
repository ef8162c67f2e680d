"""A rule set is compiled again after each change of a rule, and reuses unchanged rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.domain.routing.rules import RuleSet
from inbox.domain.routing.rules.rule import MAX_RULES
from tests.database.call_counts import calls_of
from tests.domain.routing.matchers.matching import clause
from tests.domain.routing.test_rules import rule

CLAUSES = 50


def searched(number: int) -> dict[str, Any]:
    return {"any": [clause("body", "contains", f"{number} {place}") for place in range(CLAUSES)]}


def nested(number: int) -> dict[str, Any]:
    return {"all": [{"not": clause(f"metadata.a{place}.b", "eq", f"{number}")} for place in range(CLAUSES)]}


def listed(number: int) -> dict[str, Any]:
    values = [[f"{number} {place} {each}" for each in range(20)] for place in range(CLAUSES)]
    return {"all": [clause(f"metadata.k{place}", "in", each) for place, each in enumerate(values)]}


@pytest.mark.parametrize("match", [searched, nested, listed])
def test_unchanged_rules_are_not_compiled_again(match: Callable[[int], Any]) -> None:
    rules = [rule(number, match(number)) for number in range(MAX_RULES)]
    changed = [*rules[:-1], rule(MAX_RULES, match(MAX_RULES))]

    compiled = calls_of(lambda: RuleSet(changed))

    assert compiled < 50 * MAX_RULES * CLAUSES
