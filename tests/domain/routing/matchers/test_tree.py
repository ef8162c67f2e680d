"""A match is validated up to its limits, and combines its clauses correctly."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from inbox.domain.routing import matchers
from inbox.domain.values.severity import Severity
from tests.domain.routing.matchers.matching import NO, SOURCE, YES, Seen, clause


def pointers(tree: Any) -> list[str]:
    return [fault.pointer for fault in matchers.check(tree)]


def nested(depth: int) -> Any:
    tree: Any = YES
    for level in range(depth):
        tree = ({"all": [tree]}, {"any": [tree]}, {"not": tree})[level % 3]
    return tree


@pytest.mark.parametrize("depth", [0, 3, 4])
def test_up_to_four_groups_may_be_nested(depth: int) -> None:
    assert matchers.check(nested(depth)) == []


def test_a_fifth_is_too_deep_and_is_pointed_at() -> None:
    (fault,) = matchers.check(nested(5))
    assert fault.pointer == "/any/0/all/0/not/any/0"
    assert "4 deep" in fault.detail


def test_a_tree_of_a_thousand_levels_is_refused_like_one_of_five() -> None:
    assert "4 deep" in matchers.check(nested(1_000))[0].detail


@pytest.mark.parametrize("count", [1, 49, 50])
def test_up_to_fifty_clauses_are_accepted(count: int) -> None:
    assert matchers.check({"any": [YES] * count}) == []


def test_the_fifty_first_clause_is_refused_wherever_it_stands() -> None:
    assert pointers({"any": [YES] * 51}) == ["/any/50"]
    assert pointers({"all": [{"any": [YES] * 30}, {"any": [YES] * 21}]}) == ["/all/1/any/20"]
    assert pointers({"any": [YES] * 100_000}) == ["/any/50"]


def test_no_more_than_twenty_faults_are_reported() -> None:
    assert len(pointers({"any": ["what"] * 100_000})) == 20
    assert len(pointers({"any": [clause("type", "in", [5] * 19), clause("type", "in", [5] * 100)]})) == 20
    assert len(pointers(clause("type", "in", [5] * 19))) == 19


def test_only_an_empty_all_may_be_empty_and_matches_every_event() -> None:
    assert matchers.check({"all": []}) == []
    assert matchers.compile_match({"all": []})(Seen())
    assert pointers({"any": []}) == ["/any"]
    assert pointers({"not": {"all": []}}) == ["/not/all"]
    assert pointers({"all": [{"all": []}]}) == ["/all/0/all"]


@pytest.mark.parametrize(
    "tree",
    [
        None,
        [],
        "severity >= ERROR",
        7,
        {},
        {"all": YES},
        {"any": None},
        {"all": [YES], "any": [YES]},
        {"not": YES, "all": []},
        {"none": [YES]},
        {"field": "title", "op": "exists"},
        {"field": "title", "op": "exists", "value": True, "note": "x"},
    ],
)
def test_a_value_that_is_no_match_tree_is_refused_with_the_expected_shape(tree: Any) -> None:
    (fault,) = matchers.check(tree)
    assert fault.pointer == ""
    assert "must be" in fault.detail


def test_each_fault_is_pointed_at() -> None:
    tree = {
        "all": [
            {"any": [YES, clause("colour", "eq", "red")]},
            {"not": clause("title", "gte", "a")},
            clause("type", "in", ["a", 5, "b", ""]),
            {"all": [None]},
        ]
    }
    assert pointers(tree) == ["/all/0/any/1/field", "/all/1/not/op", "/all/2/value/1", "/all/2/value/3", "/all/3/all/0"]


def test_an_invalid_match_is_not_compiled() -> None:
    with pytest.raises(matchers.BadMatch) as refused:
        matchers.compile_match(clause("title", "eq", ""))
    assert [fault.pointer for fault in refused.value.faults] == ["/value"]
    assert "/value must be text of 1 to 1,024 characters" in str(refused.value)


@pytest.mark.parametrize("answers", list(itertools.product((True, False), repeat=3)))
def test_groups_mean_all_any_and_not(answers: tuple[bool, ...]) -> None:
    first, second, third = (YES if answer else NO for answer in answers)
    a, b, c = answers
    for tree, expected in (
        ({"all": [first, second, third]}, a and b and c),
        ({"any": [first, second, third]}, a or b or c),
        ({"not": first}, not a),
        ({"all": [first]}, a),
        ({"any": [{"all": [first, second]}, {"not": third}]}, (a and b) or not c),
        ({"not": {"any": [first, {"not": {"all": [second, third]}}]}}, not (a or not (b and c))),
    ):
        assert matchers.compile_match(tree)(Seen()) is expected


def test_the_answer_does_not_depend_on_the_order_of_clauses() -> None:
    parts = [
        clause("body", "matches", "full$"),
        clause("severity", "gte", "ERROR"),
        clause("metadata.team", "eq", "db"),
        clause("tags", "eq", "prod"),
    ]
    hit = Seen(body="disk is full", tags=["prod"], metadata={"team": "db"})
    for order in itertools.permutations(parts):
        assert matchers.compile_match({"all": list(order)})(hit)
        assert not matchers.compile_match({"all": list(order)})(Seen(body="disk is full", tags=["prod"]))
        assert matchers.compile_match({"any": list(order)})(Seen(severity=Severity.INFO, tags=["prod"]))
        assert not matchers.compile_match({"any": list(order)})(Seen(severity=Severity.INFO))


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("body", {"body"}),
        ("url", {"url"}),
        ("externalId", {"external_id"}),
        ("metadata.team", {"metadata"}),
        ("title", set()),
        ("resource.kind", set()),
        ("source", set()),
    ],
)
def test_a_match_states_the_columns_that_it_needs(name: str, columns: set[str]) -> None:
    value = SOURCE if name == "source" else "x"
    assert matchers.needs(clause(name, "eq", value)) == columns
    tree = {"any": [clause("body", "exists", True), {"not": {"all": [clause(name, "eq", value)]}}]}
    assert matchers.needs(tree) == columns | {"body"}


def test_a_match_of_every_event_needs_nothing() -> None:
    assert matchers.needs({"all": []}) == frozenset()


def test_each_match_keeps_to_its_own_values() -> None:
    first, second = (matchers.compile_match(clause("title", "eq", word)) for word in ("one", "two"))
    assert (first(Seen(title="one")), second(Seen(title="one"))) == (True, False)
    assert (first(Seen(title="two")), second(Seen(title="two"))) == (False, True)
