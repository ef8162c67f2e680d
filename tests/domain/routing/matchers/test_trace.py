"""A trace names the deciding clauses in words, with the values that they read."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.routing import matchers
from inbox.domain.values.severity import Severity
from tests.domain.routing.matchers.matching import Seen, clause

GRAVE = clause("severity", "gte", "ERROR")
DISK = clause("title", "contains", "disk")
PROD = clause("tags", "eq", "prod")
DB = clause("metadata.team", "eq", "db")

SEEN = Seen(severity=Severity.CRITICAL, title="Disk full", tags=["prod", "eu"], metadata={"team": "web"})


def reported(tree: Any, seen: Seen = SEEN) -> list[str]:
    trace = matchers.trace(tree, seen)
    assert trace.matched is matchers.compile_match(tree)(seen)
    assert {step.matched for step in trace.steps} == {trace.matched}
    return [step.clause for step in trace.steps]


def test_the_trace_of_a_match_lists_every_clause_of_an_all() -> None:
    assert reported({"all": [GRAVE, DISK]}) == ["severity >= ERROR", 'title contains "disk"']


def test_the_trace_of_a_miss_names_the_first_clause_that_failed() -> None:
    assert reported({"all": [GRAVE, DB, clause("title", "eq", "x")]}) == ['metadata.team = "db"']


def test_the_trace_of_an_any_names_the_alternative_that_matched() -> None:
    assert reported({"any": [DB, PROD, GRAVE]}) == ['tags = "prod"']


def test_the_trace_of_a_failed_any_names_every_alternative() -> None:
    assert reported({"any": [DB, clause("body", "exists", True)]}) == ['metadata.team = "db"', "body exists"]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ({"not": DB}, ['not metadata.team = "db"']),
        ({"not": {"not": DISK}}, ['title contains "disk"']),
        ({"not": {"all": [GRAVE, DB]}}, ['not metadata.team = "db"']),
        ({"not": {"any": [DB, GRAVE]}}, ["not severity >= ERROR"]),
        ({"all": [GRAVE, {"not": {"any": [DB, {"not": PROD}]}}]},
         ["severity >= ERROR", 'not metadata.team = "db"', 'tags = "prod"']),
    ],
)  # fmt: skip
def test_the_trace_of_a_negated_clause_says_not(tree: Any, expected: list[str]) -> None:
    assert reported(tree) == expected


def test_the_trace_of_an_empty_all_says_any_event() -> None:
    assert matchers.trace({"all": []}, SEEN).record() == [{"clause": "any event", "matched": True, "value": None}]


@pytest.mark.parametrize(
    ("name", "seen", "shown"),
    [
        ("severity", SEEN, "CRITICAL"),
        ("tags", SEEN, '["prod","eu"]'),
        ("metadata.x", Seen(metadata={"x": 5}), 5),
        ("metadata.x", Seen(metadata={"x": "5"}), "5"),
        ("metadata.x", Seen(metadata={"x": False}), False),
        ("metadata.x", Seen(metadata={"x": {"a": [None, "ü"]}}), '{"a":[null,"ü"]}'),
        ("metadata.x", Seen(), None),
        ("body", Seen(body="x" * 200), "x" * 200),
        ("body", Seen(body="x" * 201), "x" * 199 + "…"),
        ("metadata.x", Seen(metadata={"x": ["y" * 300]}), '["' + "y" * 197 + "…"),
        ("source", SEEN, "Prometheus"),
    ],
)
def test_the_trace_shows_values_cut_at_two_hundred_characters(name: str, seen: Seen, shown: Any) -> None:
    (step,) = matchers.trace(clause(name, "exists", True), seen).record()
    assert step["value"] == shown
    assert type(step["value"]) is type(shown) or name == "severity"


def test_an_invalid_match_is_not_traced() -> None:
    with pytest.raises(matchers.BadMatch):
        matchers.tracer({"any": []})


def test_a_trace_may_be_asked_for_many_events() -> None:
    trace = matchers.tracer(clause("title", "eq", "one"))
    assert [trace(Seen(title=word)).matched for word in ("one", "two", "one")] == [True, False, True]
