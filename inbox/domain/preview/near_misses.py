"""What a rule that is tried met and missed: counted clause by clause, with the events that came nearest.

Decision 0023.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from inbox.domain.bounded_cache import BoundedCache
from inbox.domain.matchers import Subject
from inbox.domain.matchers.value_index import RuleBits
from inbox.domain.preview.rule_clauses import RuleClauses
from inbox.domain.preview.unmet_clauses import UnmetClauses
from inbox.domain.rules import Rule

MAX_NEAREST = 5
"""How many near misses are shown of a rule."""

MAX_VALUES = 50
"""Of so many looks of a kind those are found that are worth to be shown."""

MAX_GROUPS = 2_000
"""Of so many sets of clauses it is remembered to which kind they belong."""


class Event(Protocol):
    """An event as it was stored."""

    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...


Stored = TypeVar("Stored", bound=Event)


@dataclass(slots=True, eq=False)
class MissGroup(Generic[Stored]):
    """Events that missed a rule by the same clauses: how many they are, and the first of them that looked different."""

    miss: UnmetClauses
    looks: list[tuple[Stored, Subject]] = field(default_factory=list)
    events: int = 0


@dataclass(slots=True)
class ClauseCounters:
    """For how many events a clause held, and how many would be met if it alone held, too."""

    held: int = 0
    enough: int = 0


class NearMissReport(Generic[Stored]):
    """Of one rule: how many events it `matched`, in how many of them it had no say since a rule before it decided, and what each
    of its clauses counted."""

    def __init__(self, rule: Rule, wants: RuleClauses) -> None:
        self.rule, self.rule_clauses = rule, wants
        self.matched = 0
        self.preempted = 0
        self.clauses = [ClauseCounters() for _ in wants.texts]
        self._nearest: list[MissGroup[Stored]] = []
        self._kinds = BoundedCache(self._kind_of, MAX_GROUPS)

    def add_pattern(self, event: Stored, subject: Subject) -> RuleBits:
        """The first event of its look; answers which clauses hold for all that look so."""
        held = self.rule_clauses.satisfied(subject, event.received_at)
        kind = self._kinds[held]
        if kind is not None and len(kind.looks) < MAX_VALUES:
            kind.looks.append((event, subject))
        return held

    def count(self, held: RuleBits, events: int, *, has_a_say: bool) -> None:
        """So many events for which these clauses hold."""
        miss, kind = self.rule_clauses.unmet(held), self._kinds[held]
        if kind is not None:
            kind.events += events
        if not miss.missing:
            self.matched += events
            self.preempted += 0 if has_a_say else events
        for place, counted in enumerate(self.clauses):
            counted.held += events if held >> place & 1 else 0
            counted.enough += events if miss.enough >> place & 1 else 0

    def nearest(self) -> Iterator[tuple[MissGroup[Stored], Stored, Subject]]:
        """Up to `MAX_NEAREST` near misses, the nearest kind first, of those as near the most frequent: of each kind the first
        event, and where there is room others of which the clauses that failed saw something else."""
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
        """The kind to which events belong of which these clauses hold; None where they miss nothing, or too much.

        Only a nearer kind takes the place of another, so one that is among the nearest was there from its first event on.
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
