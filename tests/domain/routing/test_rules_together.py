"""Indexed rules give the same verdicts as rules that are evaluated one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing import matchers
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import Rule, RuleActions, RuleSet
from inbox.domain.values import ids
from tests.domain.routing.matchers.matching import Seen
from tests.domain.routing.matchers.shapes import events, trees

SATURDAY = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HERE, THERE = UUID(int=1), UUID(int=2)


def hours(start: str, end: str) -> dict[str, Any]:
    return {"timezone": None, "windows": [{"days": ["sat"], "start": start, "end": end}]}


rows = st.fixed_dictionaries(
    {
        "source_ids": st.sampled_from([[], [], [HERE], [THERE], [HERE, THERE]]),
        "match": st.one_of(trees.filter(lambda tree: not matchers.check(tree)), st.just({"all": []}), st.just({"no": "match"})),
        "active_during": st.sampled_from([None, None, hours("09:00", "10:00"), hours("10:00", "00:00")]),
        "continue_matching": st.booleans(),
    }
)  # fmt: skip
moments = st.integers(-90, 90).map(lambda minutes: SATURDAY + timedelta(minutes=minutes, seconds=minutes % 60))


def rule(number: int, row: dict[str, Any]) -> Rule:
    outcome = RuleActions(RuleAction.LOG, add_tags=(str(number),)).record()
    return Rule.of(
        SimpleNamespace(id=UUID(int=number), name=str(number), open_after=None, actions=outcome, **row), "UTC"
    )


def one_by_one(rules: Sequence[Rule], seen: Seen, source_id: UUID, at: datetime) -> list[Rule]:
    """Those that match, in their order, up to the first that does not continue."""
    met: list[Rule] = []
    for one in rules:
        is_for = one.error is None and (not one.source_ids or source_id in one.source_ids)
        if is_for and one.matches(seen) and (one.active_during is None or one.active_during.covers(at)):
            met.append(one)
            if not one.continues:
                break
    return met


@settings(max_examples=500, deadline=None)
@given(
    st.lists(rows, max_size=12),
    st.lists(st.tuples(events, st.sampled_from([HERE, THERE]), moments), min_size=1, max_size=6),
)
def test_indexed_rules_match_as_rules_evaluated_one_by_one(
    made: list[dict[str, Any]], come: list[tuple[Seen, UUID, datetime]]
) -> None:
    rules = [rule(number, row) for number, row in enumerate(made, 1)]
    together = RuleSet(rules)

    for event, source_id, at in come:
        seen = replace(event, source_id=ids.encode("src", source_id))
        verdict = together.verdict(seen, source_id, at)

        assert list(verdict.matched) == one_by_one(rules, seen, source_id, at)
        assert verdict.invalid == tuple(one for one in rules if one.error)
        assert verdict.rule is (verdict.matched[-1] if verdict.matched else None)


def test_a_renamed_source_invalidates_its_cached_rule_results() -> None:
    match = {"field": "source", "op": "eq", "value": "Prometheus"}
    rules = RuleSet([rule(1, {"source_ids": [], "match": match, "active_during": None, "continue_matching": False})])

    names = ["Prometheus", "Grafana", "prometheus"]
    met = [bool(rules.verdict(Seen(source_name=name), HERE, SATURDAY).matched) for name in names]

    assert met == [True, False, True]
