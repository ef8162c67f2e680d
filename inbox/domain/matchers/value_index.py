"""A table from what a field holds to the matches that want just that: one look in place of a question to each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import reduce
from operator import or_
from types import SimpleNamespace
from typing import Any, cast

from inbox.domain.matchers.clauses import Clause
from inbox.domain.matchers.compile import Test, comparable, fold
from inbox.domain.matchers.fields import Kind, Op, Subject
from inbox.domain.severity import Severity

RuleBits = int
"""Some of many matches: the bits of a number, of which the lowest is the first match."""

Lookup = Callable[[Subject], RuleBits]
"""Which matches an event may meet as far as one field tells."""

_INDEXABLE = frozenset({Kind.TEXT, Kind.EXACT, Kind.TAGS, Kind.METADATA})
"""Kinds of fields that a match may want to be one of some values."""


def bits(places: Iterable[int]) -> RuleBits:
    """These places as one number."""
    return reduce(or_, (1 << place for place in places), 0)


def is_indexable(clause: Clause) -> bool:
    """Whether it wants its field to be one of some values, so that a table can answer it."""
    return clause.op in (Op.EQ, Op.IN) and clause.field.kind in _INDEXABLE


def of_severity(tests: Mapping[int, Test], every: RuleBits) -> Lookup:
    """For matches at these places, of which each is a test of severity and nothing else, among `every` match."""
    subjects = {severity: cast(Subject, SimpleNamespace(severity=severity)) for severity in Severity}
    table = {
        severity: every & ~bits(place for place, holds in tests.items() if not holds(subject))
        for severity, subject in subjects.items()
    }
    return lambda subject: table[subject.severity]


def of_values(clauses: Mapping[int, Clause], every: RuleBits) -> Lookup:
    """For matches at these places, each of which has such a clause (`is_indexable`), all about one field, among `every`
    match."""
    field = next(iter(clauses.values())).field
    put, read = _comparing(field.kind), field.read
    others = every & ~bits(clauses)
    table: dict[Hashable, RuleBits] = {}
    for place, clause in clauses.items():
        for value in clause.value if clause.op is Op.IN else [clause.value]:
            table[put(value)] = table.get(put(value), others) | 1 << place
    found = table.get
    if field.kind is Kind.TAGS:
        return lambda subject: reduce(or_, [found(fold(tag), others) for tag in subject.tags], others)
    if field.kind is not Kind.METADATA:
        return lambda subject: found(put(read(subject)), others)

    def look(subject: Subject) -> RuleBits:
        """Of a list each entry counts."""
        value = read(subject)
        if type(value) is list:
            return reduce(or_, [found(put(each), others) for each in value], others)
        return found(put(value), others)

    return look


def _comparing(kind: Kind) -> Callable[[Any], Hashable]:
    """How values are compared, as clauses do it; what is missing is equal to nothing that a clause may want."""
    match kind:
        case Kind.EXACT:
            return _itself
        case Kind.METADATA:
            return comparable
    return fold


def _itself(value: Any) -> Hashable:
    return cast(Hashable, value)
