"""The bound of the work of a match: it follows from the match and the sizes of the values that it reads."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import pattern_shape, patterns
from inbox.domain.routing.matchers.evaluation_cost import EVENT_BUDGET, EvaluationCost, left_out
from tests.domain.routing.matchers.matching import Seen, clause
from tests.domain.routing.matchers.shapes import events, trees


def units(tree: Any, **seen: Any) -> int:
    return EvaluationCost.of_match(tree).of(Seen(**seen))


@settings(max_examples=300, deadline=None)
@given(trees.filter(lambda tree: not matchers.check(tree)), events)
def test_no_event_costs_more_than_the_longest_one(tree: Any, seen: Seen) -> None:
    cost = EvaluationCost.of_match(tree)

    assert 0 <= cost.of(seen) <= cost.most


def test_several_matches_cost_as_much_as_each_by_itself() -> None:
    seen = Seen(body="x" * 1_000, metadata={"l": ["a"] * 500, "é": "é" * 90})
    trees = [
        clause("body", "contains", "y"),
        clause("metadata.l", "eq", "b"),
        clause('metadata."é"', "matches", "e{2}"),
    ]

    together = EvaluationCost.total(map(EvaluationCost.of_match, trees))

    assert together.of(seen) == sum(EvaluationCost.of_match(tree).of(seen) for tree in trees)


def test_a_list_costs_its_entries_for_each_clause() -> None:
    one, many = clause("metadata.l", "contains", "x"), {"any": [clause("metadata.l", "contains", "x")] * 50}

    assert units(one, metadata={"l": ["a"] * 10_000}) > 900 * units(one, metadata={"l": "a"})
    assert units(many, metadata={"l": ["a"] * 10_000}) == 50 * units(one, metadata={"l": ["a"] * 10_000})


def test_a_value_that_overlaps_itself_costs_more() -> None:
    word, same = (clause("body", "contains", value) for value in ("connection refused", "a" * 18))

    assert units(same, body="a" * 16_384) > 3 * units(word, body="a" * 16_384)


@pytest.mark.parametrize(
    ("pattern", "is_simple"),
    [
        (r"(?i)timeout|refused", True),
        (r"^(host|svc):[a-z]+-", True),
        (r"\d+\.\d+\.\d+\.\d+", True),
        (r"disk .* full$", True),
        (r"a[]b]c", True),
        (r"x[ab][ab][ab][ab]y", True),
        (r"x[ab][ab][ab][ab][ab]y", False),
        (r"[ab]*a[ab]{240}c", False),
        (r"(a|b)+x", False),
        (r"((a|b))*x", False),
        (r"(a|b)?x", True),
        (r"\pL+", False),
        (r"x(?i)y", False),
        ("ab" * 35, True),
        ("ab" * 45, False),
    ],
)
def test_a_pattern_is_simple_if_the_engine_needs_few_states(pattern: str, is_simple: bool) -> None:
    assert pattern_shape.is_simple(pattern, patterns.size(pattern)) is is_simple


def test_a_simple_pattern_costs_less_than_its_instructions() -> None:
    simple, other = clause("body", "matches", "disk .* full$"), clause("body", "matches", "di{4}sk .* full$")

    assert units(other, body="x" * 16_384) > 20 * units(simple, body="x" * 16_384)


@pytest.mark.parametrize(
    ("total", "expected"), [(60, []), (59, [2]), (31, [2]), (30, [2]), (29, [2, 1]), (9, [2, 1, 0])]
)
def test_the_costliest_are_left_out_until_the_others_are_within_the_budget(total: int, expected: list[int]) -> None:
    assert left_out({0: 10, 1: 20, 2: 30}, total) == expected


def test_the_last_of_equally_expensive_matches_is_left_out() -> None:
    assert left_out({0: 10, 1: 10, 2: 10}, 20) == [2]


def test_two_hundred_ordinary_rules_cost_a_tenth_of_the_budget_for_a_large_event() -> None:
    rules = [
        {
            "all": [
                clause("severity", "gte", "WARNING"),
                clause("metadata.team", "eq", f"team-{number}"),
                clause("title", "contains", "disk is full"),
                clause("resource", "matches", "^(host|svc):[a-z]+-"),
            ]
        }
        for number in range(180)
    ] + [clause("body", "contains", f"error {number}") for number in range(15)]
    rules += [clause("body", "matches", "(?i)data loss|corrupt")] * 5  # fmt: skip
    seen = Seen(
        title="Disk is full on the database " * 8, body="a line of a log\n" * 1_024, resource="host:db-1",
        tags=[f"tag-{number}" for number in range(20)], metadata={"team": "team-1", "hosts": ["db"] * 40},
    )  # fmt: skip

    assert EvaluationCost.total(map(EvaluationCost.of_match, rules)).of(seen) < EVENT_BUDGET // 10
