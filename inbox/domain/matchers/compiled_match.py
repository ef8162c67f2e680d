"""A compiled match: its required parts with their tests, and all that a set of matches derives from them.

A set of matches is compiled again after each change of one of them. It shares these objects with the set before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inbox.domain.matchers.clauses import Clause, clause_of
from inbox.domain.matchers.compile import Test, all_hold, children, compile_test, rough_cost
from inbox.domain.matchers.evaluation_cost import EvaluationCost
from inbox.domain.matchers.fields import Field
from inbox.domain.matchers.tree import clauses, require
from inbox.domain.matchers.value_index import is_indexable, normalized


class Part(NamedTuple):
    """A part of a match that must hold: a clause, or a group other than `all`."""

    field_names: frozenset[str]
    cost: int
    """The rough cost, by which parts are ordered."""

    test: Test
    clause: Clause | None
    """The clause of a part that a table can replace."""

    values: Sequence[Hashable]
    """The values of this clause as a table compares them."""


class CompiledMatch:
    """A checked match. `needs` are the columns to load, of `body metadata url external_id`."""

    __slots__ = ("cost", "fields", "needs", "parts", "test")

    def __init__(self, tree: Any) -> None:
        self.parts = tuple(map(_part, _parts(tree)))
        self.fields: Mapping[str, Field] = {clause.field.name: clause.field for clause in clauses(tree)}
        self.needs = frozenset(field.column for field in self.fields.values() if field.column)
        self.cost = EvaluationCost.of_match(tree)
        self.test = test_of(self.parts)

    @classmethod
    def of_stored(cls, tree: Any) -> CompiledMatch:
        """Compile a tree that may be invalid. Raises `BadMatch`, but not for its size."""
        require(tree)
        return cls(tree)


def test_of(parts: Iterable[Part]) -> Test:
    """The test whether all parts hold, the cheap ones first."""
    return all_hold([part.test for part in sorted(parts, key=lambda part: part.cost)])


def _part(node: Any) -> Part:
    clause = clause_of(node) if "field" in node else None
    if clause is not None and not is_indexable(clause):
        clause = None
    values = () if clause is None else normalized(clause)
    return Part(frozenset(_names(node)), rough_cost(node), compile_test(node), clause, values)


def _parts(tree: Any) -> Iterator[Any]:
    """The nodes that must all hold."""
    if "all" in tree:
        for child in tree["all"]:
            yield from _parts(child)
    else:
        yield tree


def _names(node: Any) -> Iterator[str]:
    """The names of the fields that a node reads."""
    if "field" in node:
        yield node["field"]
    else:
        for child in children(node):
            yield from _names(child)
