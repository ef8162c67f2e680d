"""Events with equal cache keys match the same matches and get the same record."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers.index import CompiledMatch
from inbox.domain.routing.rules.ruleset import MAX_KEY_BYTES, cache_key
from inbox.domain.values.severity import Severity
from tests.domain.routing.matchers.matching import Seen, clause
from tests.domain.routing.matchers.shapes import events, trees


@settings(max_examples=1_000, deadline=None)
@given(
    st.lists(trees.filter(lambda tree: not matchers.check(tree)), max_size=4), st.lists(events, min_size=2, max_size=12)
)
def test_events_with_one_cache_key_have_equal_results_and_traces(matches: list[Any], seen: list[Seen]) -> None:
    look, existing = cache_key(map(CompiledMatch, matches)), dict[Any, Any]()
    tests, traces = [matchers.compile_match(tree) for tree in matches], [matchers.tracer(tree) for tree in matches]

    for event in seen:
        stated = [holds(event) for holds in tests], [trace(event).record() for trace in traces]
        assert existing.setdefault((event.source_id, event.source_name, look(event)), stated) == stated


OTHERS = [
    ("severity", {"severity": Severity.INFO}), ("type", {"type": "job"}), ("resource", {"resource": "host:x"}),
    ("resource.kind", {"resource": "host:x"}), ("resource.name", {"resource": "host:x"}), ("title", {"title": "Other"}),
    ("body", {"body": "Other"}), ("tags", {"tags": ["a"]}), ("action", {"action": "resolve"}), ("dedupKey", {"dedup_key": "a"}),
    ("externalId", {"external_id": "a"}), ("url", {"url": "https://example.org"}), ("source", {"source_name": "Other"}),
    ("metadata.team", {"metadata": {"team": "a"}}), ("metadata.team.name", {"metadata": {"team": {"name": "a"}}}),
    ('metadata."a.b".c', {"metadata": {"a.b": {"c": "x"}}}),
]  # fmt: skip


@pytest.mark.parametrize(("field", "change"), OTHERS)
def test_a_different_value_of_a_relevant_field_gives_a_different_cache_key(field: str, change: dict[str, Any]) -> None:
    look, other = (
        cache_key([CompiledMatch({"not": clause(field, "exists", True)})]),
        cache_key([CompiledMatch(clause("metadata.none", "exists", True))]),
    )

    assert look(Seen()) != look(replace(Seen(), **change))
    assert other(Seen()) == other(replace(Seen(), **change))


@pytest.mark.parametrize(
    ("one", "two"),
    [("1", 1), (1, True), ("", None), ("null", None), ('["a"]', ["a"]), (["a", "b"], ["a,b"]), (0, False)],
)
def test_values_of_other_kinds_look_otherwise(one: Any, two: Any) -> None:
    look = cache_key([CompiledMatch(clause("metadata.x", "exists", True))])

    assert look(Seen(metadata={"x": one})) != look(Seen(metadata={"x": two}))


def test_long_texts_take_no_more_room_than_short_ones() -> None:
    look = cache_key([CompiledMatch(clause("body", "contains", "x"))])
    seen = [look(Seen(body="x" * length)) for length in (MAX_KEY_BYTES - 7, MAX_KEY_BYTES - 6, 100_000, 100_001)]

    assert [len(each) for each in seen] == [MAX_KEY_BYTES, 16, 16, 16]
    assert len(set(seen)) == 4


def test_a_cached_key_takes_no_more_memory_than_stated() -> None:
    look, count = cache_key([CompiledMatch(clause("title", "contains", "x"))]), 2_000
    tracemalloc.start()
    try:
        retained = [look(Seen(title=f"Title {number}")) for number in range(count)]
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(retained) == count and used < 200 * count
