"""The clauses of a rule: its sources, its match and its active hours (decision 0023)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain import ids, matchers
from inbox.domain.ids import Prefix
from inbox.domain.matchers import Subject
from inbox.domain.matchers.compile import Test
from inbox.domain.matchers.trace import shown
from inbox.domain.matchers.value_index import RuleBits
from inbox.domain.preview import hours
from inbox.domain.preview.clauses import leaves
from inbox.domain.preview.unmet_clauses import Measure, measure, of_all, of_clause
from inbox.domain.rules import Rule

MAX_CACHED = 2_000
"""The number of cached minutes, and of cached sets of satisfied clauses."""


class Clause(NamedTuple):
    """The text of a clause, its test, and the function that reads its displayed value."""

    text: str
    test: Test
    value: Callable[[Subject], Any]


class RuleClauses:
    """The clauses of a valid rule in their order: its sources, the clauses of its match, its active hours.

    All sources are one clause; `names` are their names. The clauses of the match keep their written order, negated
    beneath a `not`. The active hours are one clause. `texts` are the texts of all clauses, truncated.
    """

    def __init__(self, rule: Rule, names: Mapping[UUID, str]) -> None:
        of_match = [_of_match(leaf) for leaf in leaves(rule.match)]
        self._clauses = [_of_sources(rule.source_ids, names), *of_match] if rule.source_ids else of_match
        self._tests = [(1 << place, want.test) for place, want in enumerate(self._clauses)]
        self._hours, self._of_hours = rule.active_during, 1 << len(self._clauses)
        self._is_on = lru_cache(MAX_CACHED)(self._covers)
        self.unmet = lru_cache(MAX_CACHED)(_measure(rule))
        """The unmet clauses of an event with these satisfied clauses."""
        self.texts = [want.text for want in self._clauses]
        if self._hours is not None:
            self.texts.append(shown(f"activeDuring: {hours.text(self._hours)}"))

    def satisfied(self, subject: Subject, at: datetime) -> RuleBits:
        """The satisfied clauses for an event received at `at`. Every clause is evaluated."""
        bits = 0
        for bit, holds in self._tests:
            if holds(subject):
                bits |= bit
        if self._hours is not None and self._is_on(int(at.timestamp()) // 60):
            bits |= self._of_hours
        return bits

    def record(self, subject: Subject, at: datetime) -> list[dict[str, Any]]:
        """Serialize all clauses for one event: `[{"clause", "matched", "value"}]`."""
        held = self.satisfied(subject, at)
        return [
            {"clause": text, "matched": bool(held >> place & 1), "value": value}
            for place, (text, value) in enumerate(zip(self.texts, self._values(subject, at), strict=True))
        ]

    def seen(self, places: RuleBits, subject: Subject, at: datetime) -> tuple[Any, ...]:
        """The values that these clauses read in one event."""
        return tuple(value for place, value in enumerate(self._values(subject, at)) if places >> place & 1)

    def _values(self, subject: Subject, at: datetime) -> list[Any]:
        of_event = [want.value(subject) for want in self._clauses]
        return of_event if self._hours is None else [*of_event, hours.clock(self._hours, at)]

    def _covers(self, minute: int) -> bool:
        return self._hours is not None and self._hours.covers(datetime.fromtimestamp(minute * 60, UTC))


def _of_sources(source_ids: frozenset[UUID], names: Mapping[UUID, str]) -> Clause:
    wanted = {ids.encode(Prefix.SOURCE, id): names.get(id) for id in source_ids}
    text = ", ".join(sorted(name or id for id, name in wanted.items()))
    return Clause(shown(f"sourceIds: {text}"), lambda subject: subject.source_id in wanted, attrgetter("source_name"))


def _of_match(leaf: Any) -> Clause:
    trace = matchers.tracer(leaf)
    return Clause(shown(matchers.to_text(leaf)), matchers.compile(leaf), lambda subject: trace(subject).steps[0].value)


def _measure(rule: Rule) -> Measure:
    """The measure of the whole rule: sources, match and active hours must all be satisfied."""
    places = count()
    parts = [of_clause(next(places))] if rule.source_ids else []
    parts.append(measure(rule.match, places))
    if rule.active_during is not None:
        parts.append(of_clause(next(places)))
    return of_all(parts)
