"""A rule set that remembers what it said of events that looked the same to it: most of them repeat (decision 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

from inbox.domain.matchers import Subject
from inbox.domain.preview_clauses import fields
from inbox.domain.rules import Rule, RuleSet, Verdict

KEPT = 50_000
"""Answers that are remembered; then it begins anew."""

_COLUMNS = {
    "severity": "severity",
    "type": "type",
    "resource": "resource",
    "resource.kind": "resource",
    "resource.name": "resource",
    "title": "title",
    "action": "action",
    "dedupKey": "dedup_key",
    "externalId": "external_id",
    "url": "url",
}
"""What can be remembered by. The source is always part of it; `tags` too, as a tuple; `body` and `metadata` never."""


class Remembering(RuleSet):
    """Says what its rules say, from memory where all that they look at is the same. Events come in the order of time."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__(rules)
        self._hours = [(rule, rule.active_during) for rule in rules if rule.active_during is not None]
        self._minute = -1
        self._awake: tuple[bool, ...] = ()
        self._known: dict[Any, Verdict] = {}
        self._look = _look(set[str]().union(*(fields(rule.match) for rule in rules if rule.fault is None)))

    def verdict(self, subject: Subject, source_id: UUID, at: datetime) -> Verdict:
        """As `RuleSet.verdict`."""
        if self._look is None:
            return super().verdict(subject, source_id, at)
        if self._hours:
            self._turn(at)
        key = (source_id, self._look(subject))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= KEPT:
                self._known.clear()
            known = self._known[key] = super().verdict(subject, source_id, at)
        return known

    def _turn(self, at: datetime) -> None:
        """Which rules are asked changes with whole minutes only; when it does all is forgotten."""
        minute = int(at.timestamp()) // 60
        if minute != self._minute:
            self._minute, before = minute, self._awake
            self._awake = tuple(hours.covers(at) for _, hours in self._hours)
            if self._awake != before:
                self._known.clear()


def _look(names: Iterable[str]) -> Callable[[Subject], Any] | None:
    """What of an event decides; None where that is too much to remember."""
    wanted = {"tags" if name == "tags" else _COLUMNS.get(name, "") for name in names if name != "source"}
    if "" in wanted:
        return None
    tagged = "tags" in wanted
    columns = sorted(wanted - {"tags"})
    if not columns:
        return (lambda subject: tuple(subject.tags)) if tagged else (lambda subject: None)
    plain = attrgetter(*columns)
    return (lambda subject: (plain(subject), tuple(subject.tags))) if tagged else plain
