"""The cache of verdicts of two rule sets. Most events have the same matched values as an earlier one.

Specification 6.9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inbox.domain.routing.matchers import MatchSubject
from inbox.domain.routing.matchers.value_index import RuleBits
from inbox.domain.routing.preview.near_misses import Event, RuleReport
from inbox.domain.routing.rules import Rule, RuleSet, Verdict
from inbox.domain.routing.rules.ruleset import cache_key

MAX_ENTRIES = 50_000
"""The limit of cached verdicts. A full cache is cleared."""

Verdicts = tuple[Verdict, Verdict]


@dataclass(slots=True)
class _Pattern:
    """The number of events with equal values, their verdicts, and the clauses of each report that they satisfy."""

    verdicts: Verdicts
    satisfied: tuple[RuleBits, ...]
    events: int = 0


class CachedRuleSets:
    """Evaluates both rule sets, and caches the verdicts by the fields that they read. Events are given in the order of time.

    A rule that is equal in both sets is one object. The later set is evaluated only if a differing rule contributes.
    `reports` belong to rules of the later set. Their counts are complete after `flush`.
    """

    def __init__(self, before: RuleSet, after: RuleSet, reports: Sequence[RuleReport[Any]] = ()) -> None:
        self._before, self._after = before, after
        self._reports = reports
        rules = tuple(dict.fromkeys((*before.rules, *after.rules)))
        self._added = _added_rules(before, after)
        self._removed = frozenset(before.rules).difference(after.rules)
        self._hours = [rule.active_during for rule in rules if rule.active_during is not None]
        self._minute = -1
        self._awake: tuple[bool, ...] = ()
        self._patterns: dict[Any, _Pattern] = {}
        self._key_of = cache_key(rule.compiled for rule in rules if rule.compiled is not None)

    def verdicts(self, event: Event, subject: MatchSubject) -> Verdicts:
        """Returns the verdicts of both sets; the same object twice where they are equal."""
        if self._hours:
            self._start_minute(event.received_at)
        key = (subject.source_id, self._key_of(subject))
        pattern = self._patterns.get(key)
        if pattern is None:
            if len(self._patterns) >= MAX_ENTRIES:
                self.flush()
            satisfied = tuple([report.add_pattern(event, subject) for report in self._reports])
            pattern = self._patterns[key] = _Pattern(self._evaluate(event, subject), satisfied)
        pattern.events += 1
        return pattern.verdicts

    def flush(self) -> None:
        """Adds the counts to the reports and clears the cache."""
        counted: Counter[tuple[tuple[RuleBits, ...], tuple[Rule, ...]]] = Counter()
        for pattern in self._patterns.values():
            counted[pattern.satisfied, pattern.verdicts[1].matched] += pattern.events
        for (satisfied, matched), events in counted.items():
            for report, bits in zip(self._reports, satisfied, strict=True):
                report.count(bits, events, has_a_say=report.rule in matched)
        self._patterns.clear()

    def _evaluate(self, event: Event, subject: MatchSubject) -> Verdicts:
        source_id, at = event.source_id, event.received_at
        before = self._before.verdict(subject, source_id, at)
        added_rules = self._added if self._removed.isdisjoint(before.matched) else None
        if before.left_out or self._after.leaves_out(subject, source_id, at):
            added_rules = None
        if added_rules is not None and not added_rules.verdict(subject, source_id, at).matched:
            return before, before
        after = self._after.verdict(subject, source_id, at)
        is_equal = (before.matched, before.invalid, before.left_out) == (after.matched, after.invalid, after.left_out)
        return before, before if is_equal else after

    def _start_minute(self, at: datetime) -> None:
        """Flushes when the active rules change. They change with whole minutes only."""
        minute = int(at.timestamp()) // 60
        if minute != self._minute:
            self._minute, before = minute, self._awake
            self._awake = tuple(hours.covers(at) for hours in self._hours)
            if self._awake != before:
                self.flush()


def _added_rules(before: RuleSet, after: RuleSet) -> RuleSet | None:
    """Returns the rules that only the later set has.

    None if the order of the common rules differs, or the invalid rules do. Then the verdict of one set does not
    determine the verdict of the other.
    """
    common = frozenset(before.rules).intersection(after.rules)
    common_orders = [[rule for rule in each.rules if rule in common] for each in (before, after)]
    if common_orders[0] != common_orders[1] or before.invalid != after.invalid:
        return None
    return RuleSet([rule for rule in after.rules if rule not in common])
