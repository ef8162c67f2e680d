"""The rule set of a workspace, its verdict for an event, and the cache of verdicts (specification 6.2).

Many events have the same matched values as an earlier one, so each distinct set of values is evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from sys import getsizeof
from threading import Lock
from typing import Any
from uuid import UUID

import orjson
from cachetools import FIFOCache

from inbox.domain.events import grouping
from inbox.domain.routing.matchers import MatchSubject, evaluation_cost
from inbox.domain.routing.matchers.evaluation_cost import EvaluationCost, left_out
from inbox.domain.routing.matchers.fields import FieldKind
from inbox.domain.routing.matchers.index import CompiledMatch, Index
from inbox.domain.routing.matchers.value_index import RuleBits, bits
from inbox.domain.routing.rules.rule import MAX_RULES, Rule
from inbox.domain.routing.rules.verdict import Verdict, merge
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

MAX_MERGED = 2_000
"""The limit of merged verdicts: rules that continue can match in many combinations."""

_CHEAP_SHARE = 4 * MAX_RULES
"""A rule is cheap if this many of its kind are within the budget for every event. Cheap rules are not computed."""

MAX_KEY_BYTES = 160
"""The limit of bytes in a key. Longer keys are replaced by a digest."""

MAX_PATHS = 50
"""The limit of paths in metadata that are read for a key. Beyond it the whole metadata is read: one value has many paths."""

_ATTRIBUTES = {
    "resource.kind": "resource",
    "resource.name": "resource",
    "dedupKey": "dedup_key",
    "externalId": "external_id",
    "source": "source_name",
}
"""The attributes from which fields are read, where their names differ."""

CacheKey = Callable[[MatchSubject], bytes]

MAX_BYTES = 32 * 1024 * 1024
"""The limit of bytes of cached records. Most records have about a kilobyte."""

ENTRY_BYTES = 600
"""The bytes of an entry besides its record."""

PERIOD = 2_048
"""The number of events of a source after which its repeats are compared with `MIN_REPEATS`."""

MIN_REPEATS = PERIOD // 4
"""With fewer repeats in a period, look-ups cost more time than they save."""

PAUSE = 16_384
"""The number of events that are evaluated without the cache before a new period begins."""


class RuleSet:
    """The enabled rules of a workspace in their order.

    `needs` are the event columns that the rules read or group by, besides those that are always loaded. They are some
    of `body`, `metadata`, `url`, `external_id`. Events of one source with the same `cache_key` have the same verdict
    while the same rules are `active`.
    """

    def __init__(self, rules: Sequence[Rule], budget: int | None = None) -> None:
        self.rules = tuple(rules)
        self.invalid = tuple(rule for rule in self.rules if rule.error is not None)
        self._valid_rules = valid_rules = [rule for rule in self.rules if rule.error is None]
        matches = [rule.compiled for rule in valid_rules if rule.compiled is not None]
        self.needs: frozenset[str] = frozenset().union(
            *(match.needs for match in matches), *(grouping.columns(rule.actions.group_by) for rule in valid_rules)
        )
        self.cache_key = cache_key(matches)
        self._index = Index(matches)
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
        """Returns the verdict for an event received at `at`.

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
        """Returns the verdict without the rules that were left out.

        The index is not used: its lookups are not in the budget.
        """
        matched = 0
        for place, rule in enumerate(self._valid_rules):
            if possible >> place & 1 and rule.matches(subject):
                matched |= 1 << place
                if not rule.continues:
                    break
        return self._cached_merge(matched, left_out)

    def leaves_out(self, subject: MatchSubject, source_id: UUID, at: datetime) -> bool:
        """Returns whether a rule would be left out for this event because of its cost."""
        if not self._work.may_exceed(subject):
            return False
        possible = self._source_candidates(source_id, subject.source_name) & self.active(at)
        return bool(self._work.left_out(subject, self._index.cheap_candidates(subject, possible)))

    def active(self, at: datetime) -> RuleBits:
        """Returns the rules that are active at this time. Active hours start and end at whole minutes."""
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
        """Returns the rules for a source, by its id and its name."""
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


class RuleWork:
    """The work of the valid rules of a set for one event, by their places, and its bound (decision 0010)."""

    def __init__(self, rules: Sequence[Rule], budget: int) -> None:
        costs = {place: rule.compiled.cost for place, rule in enumerate(rules) if rule.compiled is not None}
        self._costly = {place: cost for place, cost in costs.items() if cost.most > budget // _CHEAP_SHARE}
        total = EvaluationCost.total(costs.values())
        self._total = None if total.most <= budget else EvaluationCost.total(self._costly.values())
        self._budget = budget - sum(cost.most for place, cost in costs.items() if place not in self._costly)

    def may_exceed(self, subject: MatchSubject) -> bool:
        """Returns whether all rules of the set together could exceed the budget for this event."""
        return self._total is not None and self._total.of(subject) > self._budget

    def left_out(self, subject: MatchSubject, among: RuleBits) -> RuleBits:
        """Returns the costliest of these rules, without which the others are within the budget."""
        costs = {place: cost.of(subject) for place, cost in self._costly.items() if among >> place & 1}
        return bits(left_out(costs, self._budget))


def cache_key(matches: Iterable[CompiledMatch]) -> CacheKey:
    """Returns a function that computes the key of an event of one source for these matches.

    The key differs if any of their fields has another value. Texts that differ only in case have different keys, though
    matches may treat them as equal.
    """
    fields = {name: field for match in matches for name, field in match.fields.items()}.values()
    paths = [field.read for field in fields if field.kind is FieldKind.METADATA]
    names = [_ATTRIBUTES.get(field.name, field.name) for field in fields if field.kind is not FieldKind.METADATA]
    if len(paths) > MAX_PATHS:
        paths, names = [], [*names, "metadata"]
    head = _reader(list(dict.fromkeys(names)))

    def key_of(subject: MatchSubject) -> bytes:
        # The slice is a copy without the brackets: the result of `orjson` occupies a page of memory, and many keys are cached.
        encoded = orjson.dumps((head(subject), [read(subject) for read in paths]))[1:-1]
        return encoded if len(encoded) <= MAX_KEY_BYTES else blake2b(encoded, digest_size=16).digest()

    return key_of


def _reader(names: Sequence[str]) -> Callable[[MatchSubject], Iterable[Any]]:
    """Returns a function that reads all attributes, in one call if there are several."""
    return attrgetter(*names) if len(names) > 1 else lambda subject: [getattr(subject, name) for name in names]


class RepeatCounter:
    """Counts the repeats of a source, and decides whether the cache is used for the next event.

    1. The cache is used for `PERIOD` events.
    2. If at least `MIN_REPEATS` of them were found, the next period begins. Otherwise a pause comes first.
    """

    __slots__ = ("_is_used", "_remaining", "repeats")

    def __init__(self) -> None:
        self._is_used, self._remaining, self.repeats = True, PERIOD, 0

    def uses_cache(self) -> bool:
        """Returns whether the cache is used for this event. The caller asks once for each event."""
        if not self._remaining:
            self._is_used = not self._is_used or self.repeats >= MIN_REPEATS
            self._remaining, self.repeats = PERIOD if self._is_used else PAUSE, 0
        self._remaining -= 1
        return self._is_used


class VerdictCache:
    """A cache that rule sets and threads can share. At worst, two threads evaluate the same event values.

    The oldest entries leave first. An order of use would cost more at each look-up than it saves.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._lock = Lock()
        self._entries: FIFOCache[tuple[RuleSet, RuleBits, str, bytes], tuple[Verdict, str]] = FIFOCache(
            max_bytes, getsizeof=_bytes
        )

    def verdict(
        self, rules: RuleSet, subject: MatchSubject, source_id: UUID, at: datetime, repeats: RepeatCounter
    ) -> tuple[Verdict, str]:
        """Returns the verdict of these rules for an event received at `at`, and its record (`Verdict.record`).

        `repeats` belongs to the event's source and to the rules.
        """
        if not repeats.uses_cache():
            verdict = rules.verdict(subject, source_id, at)
            return verdict, verdict.record(subject)
        key = (rules, rules.active(at), subject.source_id, rules.cache_key(subject))
        try:
            cached_verdict = self._entries[key]
        except KeyError:
            verdict = rules.verdict(subject, source_id, at)
            cached_verdict = verdict, verdict.record(subject)
            with self._lock:
                self._entries[key] = cached_verdict
        else:
            repeats.repeats += 1
        return cached_verdict


def _bytes(cached: tuple[Verdict, str]) -> int:
    return ENTRY_BYTES + getsizeof(cached[1])
