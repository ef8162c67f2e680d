"""What a rule that is tried met and missed: counted clause by clause, with the events that came nearest (decision 30)."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from inbox.domain.matchers import Subject
from inbox.domain.matchers.table import Places
from inbox.domain.preview.missing import Miss
from inbox.domain.preview.wants import Wants
from inbox.domain.rules import Rule

SHOWN = 5
"""How many near misses are shown of a rule, of which no two failed the same clauses."""


class Event(Protocol):
    """An event as it was stored."""

    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...


Stored = TypeVar("Stored", bound=Event)


@dataclass(slots=True, eq=False)
class Near(Generic[Stored]):
    """The first event that missed a rule by just these clauses, and how many did."""

    miss: Miss
    event: Stored
    subject: Subject
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
        self._nearest: list[Near[Stored]] = []

    def meet(self, event: Stored, subject: Subject) -> Places:
        """The first event of its look; answers which clauses hold for all that look so."""
        held = self.wants.held(subject, event.received_at)
        miss = self.wants.miss(held)
        if miss.missing and self._is_nearer(miss):
            insort(self._nearest, Near(miss, event, subject), key=_far)
            del self._nearest[SHOWN:]
        return held

    def count(self, held: Places, events: int, *, has_a_say: bool) -> None:
        """So many events for which these clauses hold."""
        miss = self.wants.miss(held)
        if not miss.missing:
            self.met += events
            self.decided_before += 0 if has_a_say else events
        for near in self._nearest:
            if near.miss == miss:
                near.events += events
        for place, counted in enumerate(self.clauses):
            counted.held += events if held >> place & 1 else 0
            counted.enough += events if miss.enough >> place & 1 else 0

    def nearest(self) -> list[Near[Stored]]:
        """The near misses, nearest first, of those as near the most frequent.

        Only a nearer one takes the place of another, so one that is here was here from its first event on, and all of
        them are counted.
        """
        return sorted(self._nearest, key=lambda near: (_far(near), -near.events))

    def _is_nearer(self, miss: Miss) -> bool:
        if len(self._nearest) == SHOWN and miss.missing >= _far(self._nearest[-1]):
            return False
        return all(near.miss != miss for near in self._nearest)


def _far(near: Near[Stored]) -> int:
    return near.miss.missing
