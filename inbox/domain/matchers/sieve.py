"""Which rules may match an event, by one look: many of a workspace want the same field to have one value each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from inbox.domain.matchers.clauses import Clause, clause_of
from inbox.domain.matchers.fields import Kind, Op, Subject, field_of
from inbox.domain.matchers.function import comparable, fold

FEWEST = 4
"""With fewer rules that want something of one field, asking all of them costs as little."""

_KINDS = frozenset({Kind.TEXT, Kind.METADATA})


class Asked(Protocol):
    """Something with a checked match."""

    @property
    def match(self) -> Mapping[str, Any]: ...


One = TypeVar("One", bound=Asked)


class Sieve(Generic[One]):
    """Rules in their order, and for each value of the field that most of them want to be one thing, which to ask then."""

    def __init__(self, rules: Sequence[One]) -> None:
        wanted = [dict(_wanted(rule.match)) for rule in rules]
        counted = Counter(name for each in wanted for name in each)
        name, times = max(counted.items(), key=lambda item: item[1], default=("", 0))
        self._all = tuple(rules)
        self._read = _reading(name) if times >= FEWEST else None
        values = {value for each in wanted for value in each.get(name, ())}
        self._by_value: dict[Hashable, tuple[One, ...]] = {
            value: tuple(rule for rule, each in zip(rules, wanted, strict=True) if value in each.get(name, {value}))
            for value in values
        }
        self._others = tuple(rule for rule, each in zip(rules, wanted, strict=True) if name not in each)

    def candidates(self, subject: Subject) -> tuple[One, ...]:
        """Those that may match it, in their order; no other does."""
        if self._read is None:
            return self._all
        value = self._read(subject)
        return self._all if type(value) is list else self._by_value.get(_compared(value), self._others)


def _wanted(node: Mapping[str, Any]) -> Iterator[tuple[str, frozenset[Hashable]]]:
    """Fields that must have one of some values for a match to hold: by clauses all of which must."""
    if "all" in node:
        for child in node["all"]:
            yield from _wanted(child)
    elif "field" in node:
        clause = clause_of(node)
        if clause.field.kind in _KINDS and clause.op in (Op.EQ, Op.IN):
            yield clause.field.name, frozenset(map(_compared, _values(clause)))


def _values(clause: Clause) -> Sequence[Any]:
    return clause.value if clause.op is Op.IN else [clause.value]


def _reading(name: str) -> Callable[[Subject], Any]:
    field = field_of(name)
    assert field is not None
    return field.read


def _compared(value: Any) -> Hashable:
    """As clauses compare it: text without regard to case, numbers and booleans by value, all else as what is missing."""
    return fold(value) if type(value) is str else comparable(value)
