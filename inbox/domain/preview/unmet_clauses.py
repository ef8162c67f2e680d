"""The distance of an event from a rule: the number of missing clauses, and which they are (decision 0023)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from inbox.domain.matchers.compile import children
from inbox.domain.matchers.value_index import RuleBits


class UnmetClauses(NamedTuple):
    """The unmet clauses of an event.

    `missing` is the least number of further clauses that must be satisfied. `failed` are the clauses that failed.
    `enough` are the clauses of which each one alone would suffice.
    """

    missing: int
    failed: RuleBits = 0
    enough: RuleBits = 0


NONE_UNMET = UnmetClauses(0)

Measure = Callable[[RuleBits], UnmetClauses]
"""Computes the unmet clauses from the satisfied clauses."""


def measure(tree: Any, places: Iterator[int]) -> Measure:
    """The measure of a checked tree; `places` gives the indexes of its clauses in written order.

    Beneath a `not` a clause is negated.
    """
    return _measure(tree, places, negated=False)


def of_clause(place: int) -> Measure:
    """The measure of one clause: it is satisfied, or it alone is missing."""
    bit = 1 << place
    missed = UnmetClauses(1, bit, bit)
    return lambda held: NONE_UNMET if held & bit else missed


def of_all(parts: list[Measure]) -> Measure:
    """The measure of `all`: the sum of its parts. A clause is `enough` only if no other part misses anything."""

    def measured(held: RuleBits) -> UnmetClauses:
        missed = [miss for miss in (part(held) for part in parts) if miss.missing]
        if len(missed) < 2:
            return missed[0] if missed else NONE_UNMET
        return UnmetClauses(sum(miss.missing for miss in missed), _union(miss.failed for miss in missed))

    return measured


def of_any(parts: list[Measure]) -> Measure:
    """The measure of `any`: the fewest missing clauses of a part. The failed clauses are those of all parts."""

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
