"""The rule set of a workspace: the rules in order, and the verdict for an event (specification 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain import grouping, ids, matchers
from inbox.domain.bounded_cache import BoundedCache
from inbox.domain.ids import Prefix
from inbox.domain.matchers import Subject
from inbox.domain.matchers.cache_key import cache_key
from inbox.domain.matchers.compile import Test
from inbox.domain.matchers.index import Index
from inbox.domain.matchers.value_index import RuleBits, bits
from inbox.domain.rules.rule import Rule
from inbox.domain.rules.verdict import Verdict, merge

MAX_CACHED = 2_000
"""The limit of entries in each cache: by source, by candidates, by matched rules, and by minute."""


class _Candidate(NamedTuple):
    """A rule that an event can match: its bit, and its remaining test."""

    bit: RuleBits
    test: Test | None
    rule: Rule


class RuleSet:
    """The enabled rules of a workspace in their order.

    `needs` are the columns of an event that the rules read or group by, besides those that are always loaded: of
    `body`, `metadata`, `url`, `external_id`. Events of one source with the same `cache_key` have the same verdict while
    the same rules are `awake`.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self.invalid = tuple(rule for rule in self.rules if rule.error is not None)
        self._sound = sound = [rule for rule in self.rules if rule.error is None]
        self.needs: frozenset[str] = frozenset().union(
            *(matchers.needs(rule.match) | grouping.columns(rule.then.group_by) for rule in sound)
        )
        self.cache_key = cache_key(rule.match for rule in sound)
        self._with_hours = [rule for rule in sound if rule.active_during is not None]
        self._index = Index([rule.match for rule in sound])
        self._of_source = BoundedCache(self._for_source, MAX_CACHED)
        self._candidates = BoundedCache(self._in_order, MAX_CACHED)
        self._cached = BoundedCache(self._merged, MAX_CACHED)
        self._on = BoundedCache(_is_on, MAX_CACHED)
        self._awake = BoundedCache(self._active_bits, MAX_CACHED)

    def verdict(self, subject: Subject, source_id: UUID, at: datetime) -> Verdict:
        """The verdict for an event received at `at`.

        1. Look up the candidates by source and by the index.
        2. Test them in their order. The first matching rule without `continue` ends the evaluation.
        3. Merge the matched rules.
        """
        places = self._index.candidates(subject, self._of_source[source_id, subject.source_name])
        matched = 0
        for bit, asked, rule in self._candidates[places]:
            if (asked is None or asked(subject)) and (rule.active_during is None or self._on[rule, _minute(at)]):
                matched |= bit
                if not rule.continues:
                    break
        return self._cached[matched]

    def awake(self, at: datetime) -> RuleBits:
        """The rules with active hours that are active at this time."""
        return self._awake[_minute(at)] if self._with_hours else 0

    def _active_bits(self, minute: int) -> RuleBits:
        return bits(place for place, rule in enumerate(self._with_hours) if _is_on((rule, minute)))

    def _for_source(self, source: tuple[UUID, str]) -> RuleBits:
        """The rules for a source, by its id and its name."""
        id, name = source
        others = (place for place, rule in enumerate(self._sound) if rule.source_ids and id not in rule.source_ids)
        return self._index.of_source(ids.encode(Prefix.SOURCE, id), name) & ~bits(others)

    def _in_order(self, places: RuleBits) -> tuple[_Candidate, ...]:
        return tuple(
            _Candidate(1 << place, self._index.test_of(place), rule)
            for place, rule in enumerate(self._sound)
            if places >> place & 1
        )

    def _merged(self, matched: RuleBits) -> Verdict:
        return merge([rule for place, rule in enumerate(self._sound) if matched >> place & 1], self.invalid)


def _minute(at: datetime) -> int:
    """Minutes since 1970: windows start and end at whole minutes."""
    return int(at.timestamp()) // 60


def _is_on(candidate: tuple[Rule, int]) -> bool:
    """Whether a rule with active hours is active in a minute."""
    rule, minute = candidate
    return rule.active_during is None or rule.active_during.covers(datetime.fromtimestamp(minute * 60, UTC))
