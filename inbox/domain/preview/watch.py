"""The rules that are tried, watched while both sets are asked: what looks the same to them fails the same.

Decision 0023.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbox.domain.matchers import Subject
from inbox.domain.matchers.sight import sight
from inbox.domain.matchers.table import Places
from inbox.domain.preview.misses import Event, Misses
from inbox.domain.rules import Rule


class Cell:
    """How many events there are of a kind."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        self.events = 0


class Watch:
    """Counts for the `misses` of some rules. From one `settle` to the next the same hours are on.

    It remembers looks of its own, of which there are at most as many as of all rules, and mostly far fewer.
    """

    def __init__(self, misses: Sequence[Misses[Any]]) -> None:
        self._misses = misses
        self._look = sight(each.rule.match for each in misses)
        self._held: dict[tuple[str, bytes], tuple[Places, ...]] = {}
        self._cells: dict[tuple[tuple[Places, ...], tuple[Rule, ...]], Cell] = {}

    def cell(self, event: Event, subject: Subject, matched: tuple[Rule, ...]) -> Cell:
        """Where events are counted for which the same clauses hold, and in which the same rules have a say."""
        look = (subject.source_id, self._look(subject))
        held = self._held.get(look)
        if held is None:
            held = self._held[look] = tuple([each.meet(event, subject) for each in self._misses])
        alike = (held, matched)
        return self._cells.get(alike) or self._cells.setdefault(alike, Cell())

    def settle(self) -> None:
        """Tell the misses what was counted, and begin anew."""
        for (held, matched), cell in self._cells.items():
            for misses, places in zip(self._misses, held, strict=True):
                misses.count(places, cell.events, has_a_say=misses.rule in matched)
        self._cells.clear()
        self._held.clear()
