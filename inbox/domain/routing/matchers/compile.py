"""The compilation of a checked match to one function, made of short closures (specification 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any, cast

from inbox.domain.routing.matchers import patterns
from inbox.domain.routing.matchers.clauses import Clause, clause_of
from inbox.domain.routing.matchers.fields import FieldKind, MatchSubject, Op, Read
from inbox.domain.values import ids, severity
from inbox.domain.values.severity import RANKS, Severity

Test = Callable[[MatchSubject], bool]

_COSTS = {FieldKind.SEVERITY: 1, FieldKind.ACTION: 2, FieldKind.TAGS: 4, FieldKind.METADATA: 4}
_COST, _COST_OF_PATTERN, _COST_OF_BODY = 3, 10, 10


def compile_test(tree: Any) -> Test:
    """Returns the test of a checked tree. Cheap parts of a group are evaluated first, which does not change the result."""
    if "field" in tree:
        return _clause(clause_of(tree))
    tests = [compile_test(child) for child in sorted(children(tree), key=rough_cost)]
    if "not" in tree:
        return _negated(tests[0])
    return reduce(_either, reversed(tests)) if "any" in tree else all_hold(tests)


def all_hold(tests: Sequence[Test]) -> Test:
    """Returns a test that holds if all of these hold, in this order."""
    return reduce(_both, reversed(tests)) if tests else _always


def children(tree: Any) -> list[Any]:
    """Returns the children of a group in a checked tree."""
    return [tree["not"]] if "not" in tree else tree.get("all", tree.get("any"))


def rough_cost(node: Any) -> int:
    """Returns the rough cost of a part. Only the order of costs matters."""
    if "field" not in node:
        return sum(map(rough_cost, children(node)))
    clause = clause_of(node)
    cost = _COSTS.get(clause.field.kind, _COST)
    if clause.op is Op.MATCHES:
        cost *= _COST_OF_PATTERN
    return cost * _COST_OF_BODY if clause.field.name == "body" else cost


def _clause(clause: Clause) -> Test:
    """Returns the test of a clause. A missing field fails every operator except `ne`, `notIn` and `exists` false."""
    field, op, value = clause
    match op:
        case Op.NE:
            return _negated(_clause(Clause(field, Op.EQ, value)))
        case Op.NOT_IN:
            return _negated(_clause(Clause(field, Op.IN, value)))
        case Op.EXISTS:
            return _existing(field.read) if value else _negated(_existing(field.read))
    values = value if op is Op.IN else [value]
    match field.kind:
        case FieldKind.SEVERITY:
            return _severity_test(op, values)
        case FieldKind.SOURCE if op in (Op.EQ, Op.IN):
            return _source_test(values)
        case FieldKind.TAGS:
            return _tags_test(op, values)
        case FieldKind.METADATA:
            return _metadata_test(field.read, op, values)
    return _text_test(field.read, op, values, exact=field.kind is FieldKind.EXACT)


def _both(later: Test, first: Test) -> Test:
    return lambda event: first(event) and later(event)


def _either(later: Test, first: Test) -> Test:
    return lambda event: first(event) or later(event)


def _negated(test: Test) -> Test:
    return lambda event: not test(event)


def _always(event: MatchSubject) -> bool:
    return True


def _existing(read: Read) -> Test:
    return lambda event: read(event) not in (None, [], ())


def _severity_test(op: Op, values: Sequence[str]) -> Test:
    """Returns a test that compares by rank for `gte` and `lte`, where INFO and SUCCESS are equal; otherwise by name."""
    severities = [cast(Severity, severity.parse(value)) for value in values]
    match op:
        case Op.GTE:
            accepted = frozenset(each for each in Severity if RANKS[each] >= RANKS[severities[0]])
        case Op.LTE:
            accepted = frozenset(each for each in Severity if RANKS[each] <= RANKS[severities[0]])
        case _:
            accepted = frozenset(severities)
    return lambda event: event.severity in accepted


def _source_test(values: Sequence[str]) -> Test:
    """Returns a test that compares by id if the value is a source id, else by name."""
    source_ids = frozenset(value for value in values if ids.decode(ids.Prefix.SOURCE, value) is not None)
    names = frozenset(fold(value) for value in values if value not in source_ids)
    return lambda event: fold(event.source_name) in names or event.source_id in source_ids


def _tags_test(op: Op, values: Sequence[str]) -> Test:
    """Returns a test that holds if at least one tag satisfies the operator."""
    if op in (Op.EQ, Op.IN):
        accepted_values = frozenset(map(str.casefold, values))
        return lambda event: not accepted_values.isdisjoint(map(fold, event.tags))
    holds = _text_test(_identity, op, values)
    return lambda event: any(map(holds, event.tags))


def _metadata_test(read: Read, op: Op, values: Sequence[Any]) -> Test:
    """Returns a test that holds if the value satisfies the operator; for a list, if at least one entry does."""
    holds = _value_test(op, values)

    def test(event: MatchSubject) -> bool:
        found = read(event)
        return any(map(holds, found)) if type(found) is list else holds(found)

    return test


def _value_test(op: Op, values: Sequence[Any]) -> Callable[[Any], bool]:
    """Returns a test of one JSON value.

    Numbers and booleans are compared by value, and text as in other fields. `null` and objects never match.
    """
    match op:
        case Op.EQ | Op.IN:
            accepted_values = frozenset(map(comparable, values))
            return lambda found: comparable(found) in accepted_values
        case Op.GTE:
            least = values[0]
            return lambda found: type(found) in (int, float) and found >= least
        case Op.LTE:
            most = values[0]
            return lambda found: type(found) in (int, float) and found <= most
    holds = _text_test(_identity, op, values)
    return lambda found: type(found) is str and holds(found)


def comparable(value: Any) -> Any:
    """Returns a key that is equal for equal values.

    1 equals 1.0; 1 does not equal true, and 1 does not equal "1".
    """
    kind = type(value)
    if kind is str:
        return fold(value)
    if kind is bool:
        return (value,)
    return value if kind in (int, float) else None


def _text_test(
    read: Callable[[Any], str | None], op: Op, values: Sequence[str], *, exact: bool = False
) -> Callable[[Any], bool]:
    """Returns a test of a text. Regular expressions read the unchanged text. Other operators ignore case unless `exact`.

    A missing text counts as empty, and no value is a part of empty text.
    """
    if op is Op.MATCHES:
        searching = patterns.search_test(values[0])
        return lambda event: searching(read(event))
    normalize = _plain if exact else fold
    accepted_values = frozenset(map(normalize, values))
    part = normalize(values[0])
    match op:
        case Op.CONTAINS:
            return lambda event: part in normalize(read(event))
        case Op.STARTS_WITH:
            return lambda event: normalize(read(event)).startswith(part)
        case Op.ENDS_WITH:
            return lambda event: normalize(read(event)).endswith(part)
    return lambda event: normalize(read(event)) in accepted_values


def _identity(text: str) -> str:
    return text


@lru_cache(maxsize=64)
def fold(text: str | None) -> str:
    """Returns the text in case-folded form. Cached briefly, because many clauses read the same few texts of one event."""
    return text.casefold() if text else ""


def _plain(text: str | None) -> str:
    return text or ""
