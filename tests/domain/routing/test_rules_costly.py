"""Rules that cost too much for an event are left out: the costliest first, whatever cache or index is used."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing.matchers import evaluation_cost
from inbox.domain.routing.matchers.evaluation_cost import EVENT_BUDGET, EvaluationCost, left_out
from inbox.domain.routing.preview.verdict_cache import CachedRuleSets
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RepeatCounter, RuleActions, RuleSet, VerdictCache
from inbox.domain.routing.rules.verdict import MAX_FAILED, RECORD_LIMIT, TOO_COSTLY
from inbox.domain.routing.silences import CompiledSilence, coverage
from inbox.domain.values import ids
from tests.domain.routing.matchers.matching import Seen
from tests.domain.routing.matchers.shapes import events
from tests.domain.routing.test_rules import HERE, SATURDAY, Event, clause, rule
from tests.domain.routing.test_rules_together import one_by_one, rows
from tests.domain.routing.test_rules_together import rule as stored_rule

LIST = {"l": [""] * 10_900}
COSTLY = {"any": [clause("metadata.l", "contains", "x")] * 50}
CHEAP = clause("title", "contains", "disk")
EITHER = {"any": [CHEAP, *COSTLY["any"][1:]]}


def test_the_costly_rule_is_left_out_and_the_others_decide() -> None:
    rules = RuleSet([rule(1, COSTLY), rule(2, CHEAP, RuleActions(RuleAction.LOG)), rule(3, COSTLY)])

    verdict = rules.verdict(Event(metadata=LIST), HERE, SATURDAY)

    assert verdict.target is RuleAction.LOG
    assert [each.id.int for each in verdict.left_out] == [101, 103]


def test_an_event_with_small_values_leaves_no_rule_out() -> None:
    rules = RuleSet([rule(1, COSTLY), rule(2, CHEAP)])

    assert rules.verdict(Event(metadata={"l": ["x"]}), HERE, SATURDAY).left_out == ()


@pytest.mark.parametrize(("spare", "is_left_out"), [(-1, True), (0, False), (1, False)])
def test_the_budget_is_exact(spare: int, is_left_out: bool) -> None:
    cost = EvaluationCost.of_match(COSTLY).of(Seen(metadata=LIST))

    verdict = RuleSet([rule(1, COSTLY)], cost + spare).verdict(Event(metadata=LIST), HERE, SATURDAY)

    assert bool(verdict.left_out) is is_left_out


def test_rules_of_other_severities_are_not_in_the_budget() -> None:
    critical = {"all": [clause("severity", "eq", "CRITICAL"), COSTLY]}
    rules = RuleSet([rule(number, critical) for number in range(1, 5)])

    assert rules.verdict(Event(metadata=LIST), HERE, SATURDAY).left_out == ()


def test_the_record_names_the_rules_that_were_left_out() -> None:
    rules = RuleSet([rule(1, COSTLY), rule(2, CHEAP)])
    verdict = rules.verdict(Event(metadata=LIST), HERE, SATURDAY)

    records = json.loads(verdict.record(Event(metadata=LIST)))

    assert [record["decided"] for record in records[:-1]] == [True]
    assert records[-1] == {"ruleId": records[-1]["ruleId"], "name": "Rule 1", "error": TOO_COSTLY}


def test_few_of_many_left_out_rules_are_recorded() -> None:
    verdict = RuleSet([rule(number, COSTLY) for number in range(1, 40)]).verdict(Event(metadata=LIST), HERE, SATURDAY)

    assert len(verdict.left_out) > MAX_FAILED
    assert len(json.loads(verdict.record(Event()))) == MAX_FAILED


def test_the_record_of_two_hundred_matched_rules_is_bounded() -> None:
    matches = [clause("title", "notIn", ["\x7f" * 180] * 100) for _ in range(50)]
    rules = [rule(number, {"all": matches}, RuleActions(RuleAction.LOG), continues=True) for number in range(1, 200)]
    verdict = RuleSet([*rules, rule(200)]).verdict(Event(), HERE, SATURDAY)

    record = verdict.record(Event())

    assert len(record) < 2 * RECORD_LIMIT + 2_000
    assert json.loads(record)[-1]["decided"] is True


@settings(max_examples=200, deadline=None)
@given(st.lists(rows, max_size=8), st.lists(events, min_size=1, max_size=4), st.integers(0, 40_000))
def test_any_rule_set_leaves_out_the_same_rules_with_and_without_index_and_cache(
    made: list[dict[str, Any]], come: list[Seen], budget: int
) -> None:
    rules = [stored_rule(number, row) for number, row in enumerate(made, 1)]
    together, cache = RuleSet(rules, budget), VerdictCache()

    for seen in come:
        event = replace(seen, source_id=ids.encode("src", HERE), metadata={**(seen.metadata or {}), "l": ["a"] * 5})
        verdict = together.verdict(event, HERE, SATURDAY)

        remaining = [each for each in rules if each not in verdict.left_out]
        assert list(verdict.matched) == one_by_one(remaining, event, HERE, SATURDAY)
        assert bool(verdict.left_out) is together.leaves_out(event, HERE, SATURDAY)
        for _ in range(2):
            cached, _ = cache.verdict(together, event, HERE, SATURDAY, RepeatCounter())
            assert (cached.matched, cached.left_out) == (verdict.matched, verdict.left_out)


def test_a_preview_of_two_rule_sets_equals_each_evaluated_alone() -> None:
    first, second, third = rule(1, COSTLY), rule(2, COSTLY), rule(3, CHEAP)
    one = int(1.5 * EvaluationCost.of_match(COSTLY).of(Seen(metadata=LIST)))
    before, after = RuleSet([first, third], one), RuleSet([first, second, third], one)
    event = Event(metadata=LIST)

    found = CachedRuleSets(before, after).verdicts(_Stored(), event)

    alone = [rules.verdict(event, HERE, SATURDAY) for rules in (before, after)]
    assert [(each.matched, each.left_out) for each in found] == [(each.matched, each.left_out) for each in alone]
    assert found[0] is not found[1]


class _Stored:
    source_id, received_at = HERE, SATURDAY


def test_a_silence_that_costs_too_much_covers_nothing_and_the_next_one_does() -> None:
    costly, cheap = (_always(CompiledSilence.of_match(tree, ())) for tree in (EITHER, CHEAP))
    subject: Any = Seen(metadata=LIST)

    found = coverage([costly, cheap], [subject], HERE, SATURDAY)

    assert found == (cheap, (costly,))
    assert not costly.matches_source_and_event([subject], HERE)
    assert coverage([costly, cheap], [Seen(metadata={"l": []})], HERE, SATURDAY) == (costly, ())  # type: ignore[list-item]


def _always(silence: CompiledSilence) -> CompiledSilence:
    class Always:
        def covers(self, _: object) -> bool:
            return True

    active: Any = Always()
    return silence._replace(active=active)


def test_all_silences_together_stay_within_the_budget() -> None:
    half = {"any": [clause("metadata.l", "contains", "x")] * 12}
    silences = [_always(CompiledSilence.of_match(half, ())) for _ in range(4)]
    subject: Any = Seen(metadata=LIST)

    remaining = len(silences) - len(coverage(silences, [subject], HERE, SATURDAY).left_out)

    assert remaining == EVENT_BUDGET // silences[0].units([subject])
    assert left_out({0: evaluation_cost.EVENT_BUDGET}, evaluation_cost.EVENT_BUDGET) == []
