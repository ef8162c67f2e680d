"""The index of matches finds the same matches as single evaluation, and evaluates few of many."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers.index import MIN_TABLE_CLAUSES, CompiledMatch, Index
from inbox.domain.values.severity import Severity
from tests.domain.routing.matchers.matching import SOURCE, Seen, clause
from tests.domain.routing.matchers.shapes import events, trees

ELSEWHERE = "src_01h455vb4pex5vsknk084sn02r"


def index_of(matches: list[Any]) -> Index:
    return Index([CompiledMatch(tree) for tree in matches])


def matching(index: Index, event: Seen) -> list[int]:
    """The places of the matches that the index says are met."""
    found = index.candidates(event, index.source_candidates(event.source_id, event.source_name))
    places = [place for place in range(found.bit_length()) if found >> place & 1]
    return [place for place in places if (requested := index.test_of(place)) is None or requested(event)]


def candidates(matches: list[Any], event: Seen) -> list[int]:
    found = index_of(matches).candidates(event, (1 << len(matches)) - 1)
    return [place for place in range(len(matches)) if found >> place & 1]


@settings(max_examples=1_000, deadline=None)
@given(st.lists(trees.filter(lambda tree: not matchers.check(tree)), max_size=12), st.lists(events, max_size=6))
def test_the_index_finds_exactly_the_matches_that_hold(matches: list[Any], seen: list[Seen]) -> None:
    index, tests = index_of(matches), [matchers.compile_match(tree) for tree in matches]

    for event in seen:
        assert matching(index, event) == [place for place, holds in enumerate(tests) if holds(event)]


def team(name: Any, op: str = "eq") -> Any:
    return {"all": [clause("severity", "gte", "INFO"), clause("metadata.team", op, name)]}


TEAMS = [team("a"), team("b"), {"all": []}, team("c"), team(["a", "c"], "in"), team("A")]


@pytest.mark.parametrize(
    ("value", "requested"),
    [("a", [0, 2, 4, 5]), ("b", [1, 2]), ("C", [2, 3, 4]), ("z", [2]), (None, [2]), (7, [2]), ({}, [2]),
     (["b", "z"], [1, 2]), ([], [2])],
)  # fmt: skip
def test_index_candidates_require_the_value_or_any_value(value: Any, requested: list[int]) -> None:
    assert candidates(TEAMS, Seen(metadata={"team": value})) == requested


def test_a_match_decided_by_the_index_is_not_evaluated_again() -> None:
    index = index_of([team("a"), team("b"), {"all": [team("b"), clause("title", "exists", True)]}])

    assert [index.test_of(place) is None for place in range(3)] == [True, True, False]


def test_severity_is_indexed_for_every_operator() -> None:
    odd = {"any": [clause("severity", "lte", "INFO"), {"not": clause("severity", "ne", "CRITICAL")}]}
    index = index_of([odd])

    found = [severity for severity in Severity if index.candidates(Seen(severity=severity), 1)]

    assert found == [Severity.DEBUG, Severity.INFO, Severity.SUCCESS, Severity.CRITICAL]
    assert index.test_of(0) is None


def test_a_source_is_asked_by_id_and_name_once_for_all_its_events() -> None:
    index = index_of([clause("source", "eq", SOURCE), clause("source", "startsWith", "prom"), {"all": []}])

    assert [index.source_candidates(id, name) for id, name in ((SOURCE, "Grafana"), (ELSEWHERE, "Prometheus"))] == [
        5,
        6,
    ]
    assert index.test_of(0) is None and index.test_of(1) is None


def test_a_list_may_satisfy_two_clauses_by_two_entries() -> None:
    both = {"all": [clause("metadata.team", "eq", "a"), clause("metadata.team", "eq", "b")]}
    index = index_of(
        [both, team("b"), {"all": [clause("tags", "eq", "x"), clause("tags", "eq", "y")]}, clause("tags", "eq", "x")]
    )

    assert matching(index, Seen(metadata={"team": ["b", "a"]}, tags=["y", "X"])) == [0, 1, 2, 3]
    assert matching(index, Seen(metadata={"team": "b"}, tags=["y"])) == [1]


def test_a_field_with_few_equality_clauses_has_no_index_table() -> None:
    few = [team(str(number)) for number in range(MIN_TABLE_CLAUSES - 1)]

    assert candidates(few, Seen(metadata={"team": "x"})) == list(range(len(few)))
    assert candidates([*few, team("y")], Seen(metadata={"team": "x"})) == []


def test_an_empty_group_matches_nothing() -> None:
    assert candidates([], Seen()) == []
    assert index_of(TEAMS).candidates(Seen(), 0) == 0
