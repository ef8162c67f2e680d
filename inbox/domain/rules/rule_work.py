"""The bound of the work of a rule set for one event, and the rules that are left out when it is exceeded.

Decision 0088, specification 6.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbox.domain.matchers import MatchSubject
from inbox.domain.matchers.evaluation_cost import EvaluationCost, left_out
from inbox.domain.matchers.value_index import RuleBits, bits
from inbox.domain.rules.rule import MAX_RULES, Rule

_CHEAP_SHARE = 4 * MAX_RULES
"""A rule is cheap if this many of its kind are within the budget for every event. Cheap rules are not computed."""


class RuleWork:
    """The work of the valid rules of a set, by their places."""

    def __init__(self, rules: Sequence[Rule], budget: int) -> None:
        costs = {place: EvaluationCost.of_match(rule.match) for place, rule in enumerate(rules)}
        self._costly = {place: cost for place, cost in costs.items() if cost.most > budget // _CHEAP_SHARE}
        total = EvaluationCost.total(costs.values())
        self._total = None if total.most <= budget else EvaluationCost.total(self._costly.values())
        self._budget = budget - sum(cost.most for place, cost in costs.items() if place not in self._costly)

    def may_exceed(self, subject: MatchSubject) -> bool:
        """Whether all rules of the set together could exceed the budget for this event."""
        return self._total is not None and self._total.of(subject) > self._budget

    def left_out(self, subject: MatchSubject, among: RuleBits) -> RuleBits:
        """The costliest of these rules, without which the others are within the budget."""
        costs = {place: cost.of(subject) for place, cost in self._costly.items() if among >> place & 1}
        return bits(left_out(costs, self._budget))
