"""The rule set of a workspace: the rules in order, and the verdict for an event (specification 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from uuid import UUID

from inbox.domain import grouping, ids, matchers
from inbox.domain.ids import Prefix
from inbox.domain.matchers import MatchSubject, evaluation_cost
from inbox.domain.matchers.cache_key import cache_key
from inbox.domain.matchers.index import Index
from inbox.domain.matchers.value_index import RuleBits, bits
from inbox.domain.rules.rule import Rule
from inbox.domain.rules.rule_work import RuleWork
from inbox.domain.rules.verdict import Verdict, merge

MAX_MERGED = 2_000
"""The limit of merged verdicts: rules that continue can match in many combinations."""


class RuleSet:
    """The enabled rules of a workspace in their order.

    `needs` are the columns of an event that the rules read or group by, besides those that are always loaded: of
    `body`, `metadata`, `url`, `external_id`. Events of one source with the same `cache_key` have the same verdict while
    the same rules are `active`.
    """

    def __init__(self, rules: Sequence[Rule], budget: int | None = None) -> None:
        self.rules = tuple(rules)
        self.invalid = tuple(rule for rule in self.rules if rule.error is not None)
        self._valid_rules = valid_rules = [rule for rule in self.rules if rule.error is None]
        self.needs: frozenset[str] = frozenset().union(
            *(matchers.needs(rule.match) | grouping.columns(rule.actions.group_by) for rule in valid_rules)
        )
        self.cache_key = cache_key(rule.match for rule in valid_rules)
        self._index = Index([rule.match for rule in valid_rules])
        self._tests = {1 << place: self._index.test_of(place) for place in range(len(valid_rules))}
        self._continuing = bits(place for place, rule in enumerate(valid_rules) if rule.continues)
        self._with_hours = [
            (1 << place, rule.active_during) for place, rule in enumerate(valid_rules) if rule.active_during
        ]
        self._work = RuleWork(valid_rules, evaluation_cost.EVENT_BUDGET if budget is None else budget)
        self._always = bits(place for place, rule in enumerate(valid_rules) if not rule.active_during)
        self._active_in_minute = (-1, self._always)
        self._by_source: dict[UUID, tuple[str, RuleBits]] = {}
        self._cached_merge = lru_cache(MAX_MERGED)(self._merge)

    def verdict(self, subject: MatchSubject, source_id: UUID, at: datetime) -> Verdict:
        """The verdict for an event received at `at`.

        1. Take the rules for the source that are active, and look up by the index which of them can match.
        2. Test them in their order. The first matching rule without `continue` ends the evaluation.
        3. Merge the matched rules.

        If all possible rules together would cost too much for this event, the costliest ones are left out.
        """
        possible = self._source_candidates(source_id, subject.source_name) & self.active(at)
        if self._work.may_exceed(subject):
            possible = self._index.cheap_candidates(subject, possible)
            left_out = self._work.left_out(subject, possible)
            if left_out:
                return self._limited_verdict(subject, possible & ~left_out, left_out)
        possible = self._index.candidates(subject, possible)
        matched = 0
        while possible:
            bit = possible & -possible
            test = self._tests[bit]
            if test is None or test(subject):
                matched |= bit
                if not bit & self._continuing:
                    break
            possible ^= bit
        return self._cached_merge(matched)

    def _limited_verdict(self, subject: MatchSubject, possible: RuleBits, left_out: RuleBits) -> Verdict:
        """The verdict without the rules that were left out. The index is not used: its lookups are not in the budget."""
        matched = 0
        for place, rule in enumerate(self._valid_rules):
            if possible >> place & 1 and rule.matches(subject):
                matched |= 1 << place
                if not rule.continues:
                    break
        return self._cached_merge(matched, left_out)

    def leaves_out(self, subject: MatchSubject, source_id: UUID, at: datetime) -> bool:
        """Whether a rule would be left out for this event because of its cost."""
        if not self._work.may_exceed(subject):
            return False
        possible = self._source_candidates(source_id, subject.source_name) & self.active(at)
        return bool(self._work.left_out(subject, self._index.cheap_candidates(subject, possible)))

    def active(self, at: datetime) -> RuleBits:
        """The rules that are active at this time. Active hours start and end at whole minutes."""
        if not self._with_hours:
            return self._always
        minute = int(at.timestamp()) // 60
        cached, active = self._active_in_minute
        if cached != minute:
            start = at - timedelta(seconds=at.second, microseconds=at.microsecond)
            active = self._always | sum(bit for bit, hours in self._with_hours if hours.covers(start))
            self._active_in_minute = (minute, active)
        return active

    def _source_candidates(self, source_id: UUID, name: str) -> RuleBits:
        """The rules for a source, by its id and its name."""
        cached = self._by_source.get(source_id)
        if cached is None or cached[0] != name:
            others = bits(
                place
                for place, rule in enumerate(self._valid_rules)
                if rule.source_ids and source_id not in rule.source_ids
            )
            mask = self._index.source_candidates(ids.encode(Prefix.SOURCE, source_id), name) & ~others
            cached = self._by_source[source_id] = (name, mask)
        return cached[1]

    def _merge(self, matched: RuleBits, left_out: RuleBits = 0) -> Verdict:
        return merge(self._rules_of(matched), self.invalid, self._rules_of(left_out))

    def _rules_of(self, chosen: RuleBits) -> tuple[Rule, ...]:
        return tuple(rule for place, rule in enumerate(self._valid_rules) if chosen >> place & 1)
