"""How far an event is from a rule: how many clauses more would have to hold, and which (decision 0023)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from inbox.domain.matchers.compile import children
from inbox.domain.matchers.value_index import RuleBits


class UnmetClauses(NamedTuple):
    """How many clauses more would have to hold, at the fewest; those that failed it; those of which each by itself would
    be enough."""

    missing: int
    failed: RuleBits = 0
    enough: RuleBits = 0


NONE_UNMET = UnmetClauses(0)

Measure = Callable[[RuleBits], UnmetClauses]
"""What is missing where these clauses hold."""


def measure(tree: Any, places: Iterator[int]) -> Measure:
    """Of a checked tree whose clauses, in the order of writing, have these places; beneath a `not` they are meant negated."""
    return _measure(tree, places, negated=False)


def of_clause(place: int) -> Measure:
    """It holds, or it alone is missing."""
    bit = 1 << place
    missed = UnmetClauses(1, bit, bit)
    return lambda held: NONE_UNMET if held & bit else missed


def of_all(parts: list[Measure]) -> Measure:
    """What all of its parts are missing; a clause is enough only where no other part misses anything."""

    def measured(held: RuleBits) -> UnmetClauses:
        missed = [miss for miss in (part(held) for part in parts) if miss.missing]
        if len(missed) < 2:
            return missed[0] if missed else NONE_UNMET
        return UnmetClauses(sum(miss.missing for miss in missed), _union(miss.failed for miss in missed))

    return measured


def of_any(parts: list[Measure]) -> Measure:
    """As little as one of its parts is missing, though all of them failed it."""

    def measured(held: RuleBits) -> UnmetClauses:
        missed = [part(held) for part in parts]
        fewest = min(miss.missing for miss in missed)
        if not fewest:
            return NONE_UNMET
        return UnmetClauses(fewest, _union(miss.failed for miss in missed), _union(miss.enough for miss in missed))

    return measured


def _measure(tree: Any, places: Iterator[int], *, negated: bool) -> Measure:
    if "field" in tree:
        return of_clause(next(places))
    if "not" in tree:
        return _measure(tree["not"], places, negated=not negated)
    parts = [_measure(child, places, negated=negated) for child in children(tree)]
    return of_all(parts) if ("all" in tree) is not negated else of_any(parts)


def _union(places: Iterable[RuleBits]) -> RuleBits:
    return reduce(or_, places, 0)
