"""The rules that are tried, watched while both sets are asked: what looks the same to them fails the same.

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
    """How many events there are of a kind."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        self.events = 0


class MissCounter:
    """Counts for the `misses` of some rules. From one `flush` to the next the same hours are on.

    It remembers looks of its own, of which there are at most as many as of all rules, and mostly far fewer.
    """

    def __init__(self, misses: Sequence[NearMissReport[Any]]) -> None:
        self._misses = misses
        self._key_of = cache_key(each.rule.match for each in misses)
        self._satisfied: dict[tuple[str, bytes], tuple[RuleBits, ...]] = {}
        self._counters: dict[tuple[tuple[RuleBits, ...], tuple[Rule, ...]], Counter] = {}

    def counter(self, event: Event, subject: Subject, matched: tuple[Rule, ...]) -> Counter:
        """Where events are counted for which the same clauses hold, and in which the same rules have a say."""
        look = (subject.source_id, self._key_of(subject))
        held = self._satisfied.get(look)
        if held is None:
            held = self._satisfied[look] = tuple([each.add_pattern(event, subject) for each in self._misses])
        key = (held, matched)
        return self._counters.get(key) or self._counters.setdefault(key, Counter())

    def flush(self) -> None:
        """Tell the misses what was counted, and begin anew."""
        for (held, matched), cell in self._counters.items():
            for misses, places in zip(self._misses, held, strict=True):
                misses.count(places, cell.events, has_a_say=misses.rule in matched)
        self._counters.clear()
        self._satisfied.clear()
