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

from inbox.domain.answers import Answers
from inbox.domain.matchers import Subject
from inbox.domain.matchers.table import Places
from inbox.domain.preview.missing import Miss
from inbox.domain.preview.wants import Wants
from inbox.domain.rules import Rule

SHOWN = 5
"""How many near misses are shown of a rule."""

LOOKS = 50
"""Of so many looks of a kind those are found that are worth to be shown."""

KEPT = 2_000
"""Of so many sets of clauses it is remembered to which kind they belong."""


class Event(Protocol):
    """An event as it was stored."""

    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...


Stored = TypeVar("Stored", bound=Event)


@dataclass(slots=True, eq=False)
class Kind(Generic[Stored]):
    """Events that missed a rule by the same clauses: how many they are, and the first of them that looked different."""

    miss: Miss
    looks: list[tuple[Stored, Subject]] = field(default_factory=list)
    events: int = 0


@dataclass(slots=True)
class Counted:
    """For how many events a clause held, and how many would be met if it alone held, too."""

    held: int = 0
    enough: int = 0


class Misses(Generic[Stored]):
    """Of one rule: how many events it `met`, in how many of them it had no say since a rule before it decided, and what each
    of its clauses counted."""

    def __init__(self, rule: Rule, wants: Wants) -> None:
        self.rule, self.wants = rule, wants
        self.met = 0
        self.decided_before = 0
        self.clauses = [Counted() for _ in wants.texts]
        self._nearest: list[Kind[Stored]] = []
        self._kinds = Answers(self._kind_of, KEPT)

    def meet(self, event: Stored, subject: Subject) -> Places:
        """The first event of its look; answers which clauses hold for all that look so."""
        held = self.wants.held(subject, event.received_at)
        kind = self._kinds[held]
        if kind is not None and len(kind.looks) < LOOKS:
            kind.looks.append((event, subject))
        return held

    def count(self, held: Places, events: int, *, has_a_say: bool) -> None:
        """So many events for which these clauses hold."""
        miss, kind = self.wants.miss(held), self._kinds[held]
        if kind is not None:
            kind.events += events
        if not miss.missing:
            self.met += events
            self.decided_before += 0 if has_a_say else events
        for place, counted in enumerate(self.clauses):
            counted.held += events if held >> place & 1 else 0
            counted.enough += events if miss.enough >> place & 1 else 0

    def nearest(self) -> Iterator[tuple[Kind[Stored], Stored, Subject]]:
        """Up to `SHOWN` near misses, the nearest kind first, of those as near the most frequent: of each kind the first
        event, and where there is room others of which the clauses that failed saw something else."""
        room = SHOWN - len(self._nearest)
        for kind in sorted(self._nearest, key=lambda kind: (_far(kind), -kind.events)):
            told_apart: dict[tuple[Any, ...], tuple[Stored, Subject]] = {}
            for event, subject in kind.looks:
                seen = self.wants.seen(kind.miss.failed, subject, event.received_at)
                told_apart.setdefault(seen, (event, subject))
            chosen = list(told_apart.values())[: 1 + room]
            room -= len(chosen) - 1
            yield from ((kind, *each) for each in chosen)

    def _kind_of(self, held: Places) -> Kind[Stored] | None:
        """The kind to which events belong of which these clauses hold; None where they miss nothing, or too much.

        Only a nearer kind takes the place of another, so one that is among the nearest was there from its first event on.
        """
        miss = self.wants.miss(held)
        known = next((kind for kind in self._nearest if kind.miss == miss), None)
        is_full = len(self._nearest) == SHOWN and miss.missing >= _far(self._nearest[-1])
        if known is not None or not miss.missing or is_full:
            return known
        kind = Kind[Stored](miss)
        insort(self._nearest, kind, key=_far)
        del self._nearest[SHOWN:]
        return kind


def _far(kind: Kind[Stored]) -> int:
    return kind.miss.missing
