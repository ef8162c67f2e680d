"""The sieve leaves out no rule that matches, keeps their order, and asks few where many want one field to be one thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain import matchers
from inbox.domain.matchers.sieve import FEWEST, Sieve
from tests.domain.matchers.matching import Seen, clause


@dataclass(frozen=True, eq=False)
class Ruled:
    match: Any


def team(name: Any, op: str = "eq") -> Ruled:
    return Ruled({"all": [clause("severity", "gte", "INFO"), clause("metadata.team", op, name)]})


ANY = Ruled({"all": []})
TEAMS = [team("a"), team("b"), ANY, team("c"), team(["a", "c"], "in"), team("A")]

values = st.sampled_from(["a", "A", "b", "ß", "SS", 1, 1.0, 0, True, False])
clauses = st.one_of(
    st.builds(lambda value: clause("metadata.team", "eq", value), values),
    st.builds(lambda value: clause("metadata.team", "ne", value), values),
    st.builds(lambda found: clause("metadata.team", "in", found), st.lists(values, min_size=1, max_size=3)),
    st.builds(lambda found: clause("metadata.team", "notIn", found), st.lists(values, min_size=1, max_size=3)),
    st.builds(lambda text: clause("type", "eq", text), st.sampled_from(["job", "JOB", "deploy"])),
    st.builds(lambda there: clause("metadata.team", "exists", there), st.booleans()),
)
trees = st.recursive(
    clauses,
    lambda below: st.one_of(
        st.builds(lambda found: {"all": found}, st.lists(below, min_size=1, max_size=3)),
        st.builds(lambda found: {"any": found}, st.lists(below, min_size=1, max_size=3)),
        st.builds(lambda one: {"not": one}, below),
    ),
    max_leaves=6,
)
found = st.one_of(values, st.none(), st.lists(values, max_size=3), st.just({"x": 1}))
events = st.builds(
    lambda team, type, there: Seen(type=type, metadata={"team": team} if there else None),
    found,
    st.sampled_from([None, "job", "Job", "deploy"]),
    st.booleans(),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(trees.filter(lambda tree: not matchers.check(tree)), max_size=12), st.lists(events, max_size=6))
def test_all_that_match_are_among_the_candidates_in_their_order(matches: list[Any], seen: list[Seen]) -> None:
    rules = [Ruled(tree) for tree in matches]
    tests = {rule: matchers.compile(rule.match) for rule in rules}
    sieve = Sieve(rules)

    for event in seen:
        candidates = sieve.candidates(event)
        assert [rule for rule in rules if tests[rule](event)] == [rule for rule in candidates if tests[rule](event)]
        assert list(candidates) == [rule for rule in rules if rule in candidates]


@pytest.mark.parametrize(
    ("value", "asked"),
    [("a", [0, 2, 4, 5]), ("b", [1, 2]), ("C", [2, 3, 4]), ("z", [2]), (None, [2]), (7, [2]), (["b"], [0, 1, 2, 3, 4, 5])],
)  # fmt: skip
def test_only_those_are_asked_that_want_this_value_or_any(value: Any, asked: list[int]) -> None:
    candidates = Sieve(TEAMS).candidates(Seen(metadata={"team": value}))

    assert [TEAMS.index(rule) for rule in candidates] == asked


def test_few_rules_are_all_asked() -> None:
    few = [team(str(number)) for number in range(FEWEST - 1)]

    assert list(Sieve(few).candidates(Seen(metadata={"team": "0"}))) == few
    assert Sieve([*few, team("x")]).candidates(Seen(metadata={"team": "0"})) == (few[0],)


def test_without_rules_none_is_asked() -> None:
    assert Sieve([]).candidates(Seen()) == ()
