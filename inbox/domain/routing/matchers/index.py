"""Compiled matches, and the index of many of them. Lookup tables evaluate clauses of single fields for all matches at once.

The remaining clauses are evaluated match by match. A set of matches is indexed again after each change of one of them.
It shares the compiled matches with the set before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from inbox.domain.routing.matchers import value_index
from inbox.domain.routing.matchers.clauses import Clause, clause_of
from inbox.domain.routing.matchers.compile import Test, all_hold, children, compile_test, rough_cost
from inbox.domain.routing.matchers.evaluation_cost import EvaluationCost
from inbox.domain.routing.matchers.fields import Field, FieldKind, MatchSubject
from inbox.domain.routing.matchers.tree import clauses, require
from inbox.domain.routing.matchers.value_index import Lookup, RuleBits, is_indexable, normalized

MIN_TABLE_CLAUSES = 2
"""The least number of clauses for a table. With fewer, evaluation costs as little as a lookup."""


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
        """Compiles a tree that may be invalid. Raises `BadMatch`, but not for its size."""
        require(tree)
        return cls(tree)


def test_of(parts: Iterable[Part]) -> Test:
    """Returns a test that holds if all parts hold, with the cheap ones first."""
    return all_hold([part.test for part in sorted(parts, key=lambda part: part.cost)])


def _part(node: Any) -> Part:
    clause = clause_of(node) if "field" in node else None
    if clause is not None and not is_indexable(clause):
        clause = None
    values = () if clause is None else normalized(clause)
    return Part(frozenset(_names(node)), rough_cost(node), compile_test(node), clause, values)


def _parts(tree: Any) -> Iterator[Any]:
    """Yields the nodes that must all hold."""
    if "all" in tree:
        for child in tree["all"]:
            yield from _parts(child)
    else:
        yield tree


def _names(node: Any) -> Iterator[str]:
    """Yields the names of the fields that a node reads."""
    if "field" in node:
        yield node["field"]
    else:
        for child in children(node):
            yield from _names(child)


class Index:
    """Checked matches by their indexes. These required parts are not evaluated for each event and match:

    - Parts on the source only. They are the same for many events (`source_candidates`).
    - Parts on the severity only. A table gives the matches that remain possible (`candidates`).
    - Equality clauses on a field that several matches compare. They use a table as well.
    """

    def __init__(self, matches: Sequence[CompiledMatch]) -> None:
        parts = [list(match.parts) for match in matches]
        self._all_bits = (1 << len(parts)) - 1
        self._source_tests = _extract_tests(parts, "source")
        severity = _extract_tests(parts, "severity")
        tables = list(_tables(parts, self._all_bits))
        self._tables: tuple[Lookup, ...] = (value_index.of_severity(severity, self._all_bits),) if severity else ()
        self._tables += tuple(lookup for kind, lookup in tables if kind is not FieldKind.METADATA)
        self._metadata_tables = tuple(lookup for kind, lookup in tables if kind is FieldKind.METADATA)
        self._tests = tuple(
            match.test if len(left) == len(match.parts) else test_of(left) if left else None
            for match, left in zip(matches, parts, strict=True)
        )

    def source_candidates(self, source_id: str, name: str) -> RuleBits:
        """Returns the matches that are possible for this source while its name is unchanged; `source_id` is a TypeID."""
        subject = cast(MatchSubject, SimpleNamespace(source_id=source_id, source_name=name))
        refused = (place for place, holds in self._source_tests.items() if not holds(subject))
        return self._all_bits & ~value_index.bits(refused)

    def candidates(self, subject: MatchSubject, among: RuleBits) -> RuleBits:
        """Returns the matches `among` these that the tables leave possible. All others do not match.

        A possible match matches if its `test_of` holds.
        """
        return _looked_up(self._metadata_tables, subject, self.cheap_candidates(subject, among))

    def cheap_candidates(self, subject: MatchSubject, among: RuleBits) -> RuleBits:
        """Does the same as `candidates`, with the tables whose lookup is cheap for every event.

        The whole match decides the rest.
        """
        return _looked_up(self._tables, subject, among)

    def test_of(self, place: int) -> Test | None:
        """Returns the remaining test of a candidate; None if the candidate matches without one."""
        return self._tests[place]


def _looked_up(tables: Sequence[Lookup], subject: MatchSubject, among: RuleBits) -> RuleBits:
    for lookup in tables:
        if not among:
            break
        among &= lookup(subject)
    return among


def _extract_tests(parts: list[list[Part]], name: str) -> dict[int, Test]:
    """Removes the parts that read this field only. Returns their tests by the index of the match."""
    tests, only = {}, frozenset((name,))
    for place, required_parts in enumerate(parts):
        field_parts = [part for part in required_parts if part.field_names == only]
        if field_parts:
            tests[place] = test_of(field_parts)
            parts[place] = [part for part in required_parts if part.field_names != only]
    return tests


def _tables(parts: list[list[Part]], every: RuleBits) -> Iterator[tuple[FieldKind, Lookup]]:
    """Removes the clauses of fields that several matches compare, and yields their kinds and tables, the most used first.

    Each match gives at most one clause per field. Of a list, one entry can satisfy the first clause and another entry
    the second.
    """
    parts_by_field: dict[str, dict[int, Part]] = {}
    for place, required_parts in enumerate(parts):
        for part in required_parts:
            if part.clause is not None:
                parts_by_field.setdefault(part.clause.field.name, {}).setdefault(place, part)
    tabulated = set[int]()
    for those in sorted(parts_by_field.values(), key=len, reverse=True):
        if len(those) >= MIN_TABLE_CLAUSES:
            tabulated.update(map(id, those.values()))
            clause = next(iter(those.values())).clause
            assert clause is not None
            values = {place: part.values for place, part in those.items()}
            yield clause.field.kind, value_index.of_values(clause.field, values, every)
    for place, required_parts in enumerate(parts):
        parts[place] = [part for part in required_parts if id(part) not in tabulated]
