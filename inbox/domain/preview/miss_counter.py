"""The counter of unmet clauses. Events with equal values in all matched fields share one counter.

Decision 0023.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbox.domain.matchers import Subject
from inbox.domain.matchers.cache_key import cache_key
from inbox.domain.matchers.value_index import RuleBits
from inbox.domain.preview.near_misses import Event, NearMissReport
from inbox.domain.rules import Rule


class Counter:
    """The number of events of one kind."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        self.events = 0


class MissCounter:
    """Counts events for the `misses` of some rules. Between two calls of `flush` the active hours do not change.

    It caches by its own key. It has at most as many keys as the cache of all rules has, and mostly far fewer.
    """

    def __init__(self, misses: Sequence[NearMissReport[Any]]) -> None:
        self._misses = misses
        self._key_of = cache_key(each.rule.match for each in misses)
        self._satisfied: dict[tuple[str, bytes], tuple[RuleBits, ...]] = {}
        self._counters: dict[tuple[tuple[RuleBits, ...], tuple[Rule, ...]], Counter] = {}

    def counter(self, event: Event, subject: Subject, matched: tuple[Rule, ...]) -> Counter:
        """The counter of events with the same satisfied clauses and the same contributing rules."""
        look = (subject.source_id, self._key_of(subject))
        held = self._satisfied.get(look)
        if held is None:
            held = self._satisfied[look] = tuple([each.add_pattern(event, subject) for each in self._misses])
        key = (held, matched)
        return self._counters.get(key) or self._counters.setdefault(key, Counter())

    def flush(self) -> None:
        """Add the counts to the reports and clear the cache."""
        for (held, matched), cell in self._counters.items():
            for misses, places in zip(self._misses, held, strict=True):
                misses.count(places, cell.events, has_a_say=misses.rule in matched)
        self._counters.clear()
        self._satisfied.clear()
