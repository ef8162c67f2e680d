"""Report of a rule under test: counters for each clause, and the events that missed by the fewest clauses.

The clauses of a rule are its sources, the clauses of its match, and its active hours (decision 0029).
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, reduce
from itertools import count
from operator import attrgetter, or_
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import MatchSubject
from inbox.domain.routing.matchers.compile import Test, children
from inbox.domain.routing.matchers.evaluation_cost import EVENT_BUDGET, EvaluationCost
from inbox.domain.routing.matchers.trace import displayed_value
from inbox.domain.routing.matchers.value_index import RuleBits
from inbox.domain.routing.preview.clauses import leaves
from inbox.domain.routing.rules import Rule
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.wallclock import to_local
from inbox.domain.values.windows import DAYS, Schedule, Window

MAX_NEAREST = 5
"""The limit of near misses in the report of a rule."""

MAX_CACHED = 2_000
"""The number of cached minutes, and of cached sets of satisfied clauses."""


class Event(Protocol):
    """A stored event."""

    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...


Stored = TypeVar("Stored", bound=Event)


class Clause(NamedTuple):
    """The text of a clause, its test, and the function that reads its displayed value."""

    text: str
    test: Test
    value: Callable[[MatchSubject], Any]


class Unmet(NamedTuple):
    """The distance of an event from a match.

    `missing` is the least number of further clauses that must hold. Each clause of `nearer` would reduce it if it held,
    too.
    """

    missing: int
    nearer: RuleBits


@dataclass(slots=True)
class ClauseCounters:
    """Counts the events that satisfy a clause, and the events that the rule would match if the clause held, too."""

    satisfied: int = 0
    sole_failure: int = 0


@dataclass(frozen=True, slots=True)
class NearMiss(Generic[Stored]):
    """An event that missed the rule, and the `values` that the clauses in `unmet.nearer` read.

    `rank` orders near misses: by missing clauses, then by the number of kept events with equal `unmet`.
    """

    rank: tuple[int, int]
    unmet: Unmet
    event: Stored
    subject: MatchSubject
    values: tuple[Any, ...]


class RuleReport(Generic[Stored]):
    """The report of one valid rule; `names` are the names of its sources.

    `matched` counts the events that it matches. `preempted` counts the matched events that an earlier rule decided.
    `texts` and `counters` belong to each clause.
    """

    def __init__(self, rule: Rule, names: Mapping[UUID, str]) -> None:
        self.rule = rule
        self.matched = self.preempted = 0
        of_match = [_of_match(leaf) for leaf in leaves(rule.match)]
        self._clauses = [_of_sources(rule.source_ids, names), *of_match] if rule.source_ids else of_match
        self._cost = EvaluationCost.of_match(rule.match)
        self._tests = [(1 << place, clause.test) for place, clause in enumerate(self._clauses)]
        self._hours, self._bit_of_hours = rule.active_during, 1 << len(self._clauses)
        self._is_on = lru_cache(MAX_CACHED)(self._covers)
        self.texts = [clause.text for clause in self._clauses]
        if self._hours is not None:
            self.texts.append(displayed_value(f"activeDuring: {_hours_text(self._hours)}"))
        self.counters = [ClauseCounters() for _ in self.texts]
        tree = _tree(rule)
        self.unmet = lru_cache(MAX_CACHED)(lambda held: _unmet(tree, held))
        """The distance from a match of an event with these satisfied clauses."""
        self._nearest: list[NearMiss[Stored]] = []
        self._events: Counter[Unmet] = Counter()

    def satisfied(self, subject: MatchSubject, at: datetime) -> RuleBits:
        """Returns the satisfied clauses for an event received at `at`.

        Every clause is evaluated, unless all cost too much.
        """
        bits = 0
        if self._cost.most > EVENT_BUDGET and self._cost.of(subject) > EVENT_BUDGET:
            return bits
        for bit, holds in self._tests:
            if holds(subject):
                bits |= bit
        if self._hours is not None and self._is_on(int(at.timestamp()) // 60):
            bits |= self._bit_of_hours
        return bits

    def add_pattern(self, event: Stored, subject: MatchSubject) -> RuleBits:
        """Adds the first event with new values. Returns the clauses that are satisfied for all events with them."""
        held = self.satisfied(subject, event.received_at)
        unmet = self.unmet(held)
        if unmet.missing:
            self._keep(unmet, event, subject)
        return held

    def count(self, held: RuleBits, events: int, *, has_a_say: bool) -> None:
        """Counts events for which these clauses are satisfied."""
        unmet = self.unmet(held)
        if not unmet.missing:
            self.matched += events
            self.preempted += 0 if has_a_say else events
        elif any(miss.unmet == unmet for miss in self._nearest):
            self._events[unmet] += events
        for place, counters in enumerate(self.counters):
            counters.satisfied += events if held >> place & 1 else 0
            counters.sole_failure += events if unmet.missing == 1 and unmet.nearer >> place & 1 else 0

    def nearest(self) -> list[tuple[NearMiss[Stored], int]]:
        """Returns up to `MAX_NEAREST` near misses, the nearest and most frequent first.

        The number counts the events with an equal `unmet`.
        """
        found = [(miss, self._events[miss.unmet]) for miss in self._nearest]
        return sorted(found, key=lambda each: (each[0].unmet.missing, -each[1]))

    def record(self, subject: MatchSubject, at: datetime) -> list[dict[str, Any]]:
        """Serializes all clauses for one event: `[{"clause", "matched", "value"}]`."""
        held = self.satisfied(subject, at)
        return [
            {"clause": text, "matched": bool(held >> place & 1), "value": value}
            for place, (text, value) in enumerate(zip(self.texts, self._values(subject, at), strict=True))
        ]

    def _keep(self, unmet: Unmet, event: Stored, subject: MatchSubject) -> None:
        """Keeps the event if it is nearer than a kept one or new of its kind.

        An event equal to a kept one is dropped.
        """
        alike = [miss for miss in self._nearest if miss.unmet == unmet]
        rank = (unmet.missing, len(alike))
        if len(self._nearest) == MAX_NEAREST and rank >= self._nearest[-1].rank:
            return
        values = self._values(subject, event.received_at)
        read = tuple(value for place, value in enumerate(values) if unmet.nearer >> place & 1)
        if all(miss.values != read for miss in alike):
            insort(self._nearest, NearMiss(rank, unmet, event, subject, read), key=attrgetter("rank"))
            del self._nearest[MAX_NEAREST:]

    def _values(self, subject: MatchSubject, at: datetime) -> list[Any]:
        of_event = [clause.value(subject) for clause in self._clauses]
        return of_event if self._hours is None else [*of_event, _local_time(self._hours, at)]

    def _covers(self, minute: int) -> bool:
        return self._hours is not None and self._hours.covers(datetime.fromtimestamp(minute * 60, UTC))


def _of_sources(source_ids: frozenset[UUID], names: Mapping[UUID, str]) -> Clause:
    """Returns the clause of the sources, which are displayed by their names."""
    sources = {ids.encode(Prefix.SOURCE, id): names.get(id) for id in source_ids}
    text = ", ".join(sorted(name or id for id, name in sources.items()))
    return Clause(
        displayed_value(f"sourceIds: {text}"), lambda subject: subject.source_id in sources, attrgetter("source_name")
    )


def _of_match(leaf: Any) -> Clause:
    trace = matchers.tracer(leaf)
    return Clause(
        displayed_value(matchers.to_text(leaf)),
        matchers.compile_match(leaf),
        lambda subject: trace(subject).steps[0].value,
    )


Node = int | tuple[bool, tuple[Any, ...]]
"""A clause as its bit, or a group of nodes and whether it needs all of them."""


def _tree(rule: Rule) -> Node:
    """Returns the whole rule as a tree: its sources, its match and its active hours must all hold."""
    bits = (1 << place for place in count())
    parts: list[Node] = [next(bits)] if rule.source_ids else []
    parts.append(_node(rule.match, bits, negated=False))
    return True, (*parts, next(bits)) if rule.active_during is not None else tuple(parts)


def _node(tree: Any, bits: Iterator[int], *, negated: bool) -> Node:
    """Returns a checked tree, with a bit for each clause in written order. Beneath a `not` a clause is negated."""
    if "field" in tree:
        return next(bits)
    if "not" in tree:
        return _node(tree["not"], bits, negated=not negated)
    parts = tuple([_node(child, bits, negated=negated) for child in children(tree)])
    return ("all" in tree) is not negated, parts


def _unmet(node: Node, held: RuleBits) -> Unmet:
    """Returns the distance from a match: the sum of the parts of `all`, and the nearest parts of `any`."""
    if isinstance(node, int):
        return Unmet(0, 0) if held & node else Unmet(1, node)
    needs_all, nodes = node
    parts = [_unmet(part, held) for part in nodes]
    missing = (sum if needs_all else min)(part.missing for part in parts)
    return Unmet(missing, reduce(or_, (part.nearer for part in parts if needs_all or part.missing == missing), 0))


def _hours_text(hours: Schedule) -> str:
    """Returns all windows, holidays and the time zone: `mon tue 22:00-06:00, sun 00:00-00:00 Europe/Berlin`."""
    parts = [_window(each) for each in hours.windows] + [day.isoformat() for day in sorted(hours.holidays)]
    return f"{', '.join(parts)} {hours.timezone.key}".strip()


def _local_time(hours: Schedule, at: datetime) -> str:
    """Returns the local weekday and time: `sun 02:30`."""
    wall = to_local(at, hours.timezone)
    return f"{DAYS[wall.weekday()]} {wall:%H:%M}"


def _window(window: Window) -> str:
    return f"{' '.join(DAYS[day] for day in sorted(window.days))} {window.start:%H:%M}-{window.end:%H:%M}"
