"""Lookup tables from a field's value to the matches that require it. One lookup replaces a test for each match."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from types import SimpleNamespace
from typing import Any, cast

from inbox.domain.routing.matchers.clauses import Clause
from inbox.domain.routing.matchers.compile import Test, comparable, fold
from inbox.domain.routing.matchers.fields import Field, FieldKind, MatchSubject, Op
from inbox.domain.values.severity import Severity

RuleBits = int
"""A set of matches as the bits of a number. The lowest bit is the first match."""

Lookup = Callable[[MatchSubject], RuleBits]
"""Returns the matches that one field of an event leaves possible."""

_INDEXABLE = frozenset({FieldKind.TEXT, FieldKind.EXACT, FieldKind.TAGS, FieldKind.METADATA})
"""The kinds of fields that a table supports."""


def bits(places: Iterable[int]) -> RuleBits:
    """Returns the number with these bits."""
    return reduce(or_, (1 << place for place in places), 0)


def is_indexable(clause: Clause) -> bool:
    """Returns whether the clause requires its field to have one of some values, so that a table can replace it."""
    return clause.op in (Op.EQ, Op.IN) and clause.field.kind in _INDEXABLE


def of_severity(tests: Mapping[int, Test], every: RuleBits) -> Lookup:
    """Returns the table of severity. Each test reads the severity only; `every` are all matches, by index."""
    subjects = {severity: cast(MatchSubject, SimpleNamespace(severity=severity)) for severity in Severity}
    table = {
        severity: every & ~bits(place for place, holds in tests.items() if not holds(subject))
        for severity, subject in subjects.items()
    }
    return lambda subject: table[subject.severity]


def normalized(clause: Clause) -> Sequence[Hashable]:
    """Returns the values of a clause (`is_indexable`) as a table compares them."""
    return tuple(map(_normalizer(clause.field.kind), clause.value if clause.op is Op.IN else [clause.value]))


def of_values(field: Field, values: Mapping[int, Sequence[Hashable]], every: RuleBits) -> Lookup:
    """Returns the table of one field, of the `normalized` values of matches by index; `every` are all matches."""
    normalize, read = _normalizer(field.kind), field.read
    others = every & ~bits(values)
    table: dict[Hashable, RuleBits] = {}
    for place, accepted in values.items():
        # Most values belong to one match. Their entries are one number, and are added without a loop in Python.
        new = dict.fromkeys(accepted, others | 1 << place)
        for value in table.keys() & new.keys():
            new[value] |= table[value]
        table |= new
    found = table.get
    if field.kind is FieldKind.TAGS:
        return lambda subject: reduce(or_, [found(fold(tag), others) for tag in subject.tags], others)
    if field.kind is not FieldKind.METADATA:
        return lambda subject: found(normalize(read(subject)), others)

    def look_up_metadata(subject: MatchSubject) -> RuleBits:
        """Looks up each entry of a list."""
        value = read(subject)
        if type(value) is list:
            return reduce(or_, [found(normalize(each), others) for each in value], others)
        return found(normalize(value), others)

    return look_up_metadata


def _normalizer(kind: FieldKind) -> Callable[[Any], Hashable]:
    """Compares values as clauses do. A missing value equals no value of a clause."""
    match kind:
        case FieldKind.EXACT:
            return _identity
        case FieldKind.METADATA:
            return comparable
    return fold


def _identity(value: Any) -> Hashable:
    return cast(Hashable, value)
