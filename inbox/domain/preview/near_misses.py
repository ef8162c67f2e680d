"""The report of a rule under test: counts by clause, and the events that missed it by the fewest clauses.

Decision 0023.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from inbox.domain.matchers import Subject
from inbox.domain.matchers.value_index import RuleBits
from inbox.domain.preview.rule_clauses import RuleClauses
from inbox.domain.preview.unmet_clauses import UnmetClauses
from inbox.domain.rules import Rule

MAX_NEAREST = 5
"""The limit of near misses in the report of a rule."""

MAX_VALUES = 50
"""The limit of events per group among which events with different values are searched."""

MAX_GROUPS = 2_000
"""The number of sets of satisfied clauses whose group is cached."""


class Event(Protocol):
    """A stored event."""

    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...


Stored = TypeVar("Stored", bound=Event)


@dataclass(slots=True, eq=False)
class MissGroup(Generic[Stored]):
    """Events that missed a rule by the same clauses: their number, and the first with different values (`looks`)."""

    miss: UnmetClauses
    looks: list[tuple[Stored, Subject]] = field(default_factory=list)
    events: int = 0


@dataclass(slots=True)
class ClauseCounters:
    """The events that satisfy a clause (`held`), and those that the rule would match if it held, too (`enough`)."""

    held: int = 0
    enough: int = 0


class NearMissReport(Generic[Stored]):
    """The report of one rule.

    `matched` counts the events that it matches. `preempted` counts those of them that an earlier rule decided.
    `clauses` counts each clause.
    """

    def __init__(self, rule: Rule, wants: RuleClauses) -> None:
        self.rule, self.rule_clauses = rule, wants
        self.matched = 0
        self.preempted = 0
        self.clauses = [ClauseCounters() for _ in wants.texts]
        self._nearest: list[MissGroup[Stored]] = []
        self._kind = lru_cache(MAX_GROUPS)(self._kind_of)

    def add_pattern(self, event: Stored, subject: Subject) -> RuleBits:
        """Add the first event with new values. Returns the clauses that are satisfied for all events with them."""
        held = self.rule_clauses.satisfied(subject, event.received_at)
        kind = self._kind(held)
        if kind is not None and len(kind.looks) < MAX_VALUES:
            kind.looks.append((event, subject))
        return held

    def count(self, held: RuleBits, events: int, *, has_a_say: bool) -> None:
        """Count events for which these clauses are satisfied."""
        miss, kind = self.rule_clauses.unmet(held), self._kind(held)
        if kind is not None:
            kind.events += events
        if not miss.missing:
            self.matched += events
            self.preempted += 0 if has_a_say else events
        for place, counted in enumerate(self.clauses):
            counted.held += events if held >> place & 1 else 0
            counted.enough += events if miss.enough >> place & 1 else 0

    def nearest(self) -> Iterator[tuple[MissGroup[Stored], Stored, Subject]]:
        """Up to `MAX_NEAREST` near misses. Groups with fewer missing clauses come first, then groups with more events.

        Each group gives its first event. Where there is room, it gives more events whose failed clauses read other
        values.
        """
        room = MAX_NEAREST - len(self._nearest)
        for kind in sorted(self._nearest, key=lambda kind: (_far(kind), -kind.events)):
            distinct: dict[tuple[Any, ...], tuple[Stored, Subject]] = {}
            for event, subject in kind.looks:
                seen = self.rule_clauses.seen(kind.miss.failed, subject, event.received_at)
                distinct.setdefault(seen, (event, subject))
            chosen = list(distinct.values())[: 1 + room]
            room -= len(chosen) - 1
            yield from ((kind, *each) for each in chosen)

    def _kind_of(self, held: RuleBits) -> MissGroup[Stored] | None:
        """The group of events with these satisfied clauses. None if no clause is missing, or if too many are.

        Only a nearer group replaces another one. A group among the nearest therefore exists from its first event on.
        """
        miss = self.rule_clauses.unmet(held)
        known = next((kind for kind in self._nearest if kind.miss == miss), None)
        is_full = len(self._nearest) == MAX_NEAREST and miss.missing >= _far(self._nearest[-1])
        if known is not None or not miss.missing or is_full:
            return known
        kind = MissGroup[Stored](miss)
        insort(self._nearest, kind, key=_far)
        del self._nearest[MAX_NEAREST:]
        return kind


def _far(kind: MissGroup[Stored]) -> int:
    return kind.miss.missing
