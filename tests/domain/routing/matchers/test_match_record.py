"""The record of a match equals its trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing import matchers
from tests.domain.routing.matchers.matching import NO, YES, Seen, clause
from tests.domain.routing.matchers.shapes import events, trees


@settings(max_examples=1_000, deadline=None)
@given(trees.filter(lambda tree: not matchers.check(tree)), st.lists(events, min_size=1, max_size=4))
def test_the_record_of_a_match_is_its_trace(tree: Any, seen: list[Seen]) -> None:
    record, trace = matchers.recorder(tree), matchers.tracer(tree)

    for event in seen:
        traced = trace(event)
        if traced.matched:
            assert json.loads(record(event)) == traced.record()


@pytest.mark.parametrize(
    "tree",
    [
        {"all": []},
        {"all": [YES, {"not": {"any": [NO, {"not": clause("metadata.x", "exists", True)}]}}]},
        {"any": [{"any": [NO, YES]}, YES]},
        {"not": {"all": [YES, NO]}},
    ],
)
@pytest.mark.parametrize(
    "value", ['"quoted" \\ \n \u2028 ü 😀', "x" * 201, 5, 1.5, True, False, ["ü", None], {"a": {"b": 1}}]
)
def test_the_record_of_a_match_equals_its_trace(tree: Any, value: Any) -> None:
    seen = Seen(title=value if isinstance(value, str) else "Disk", metadata={"x": value})

    assert json.loads(matchers.recorder(tree)(seen)) == matchers.trace(tree, seen).record()


def test_an_invalid_match_has_no_record() -> None:
    with pytest.raises(matchers.BadMatch):
        matchers.recorder({"any": []})
