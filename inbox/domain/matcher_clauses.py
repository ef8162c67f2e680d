"""One clause of a match, `{field, op, value}`: what is wrong with it, and the test that it becomes (decision 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple, cast

from inbox.domain import ids, matcher_patterns, severity
from inbox.domain.matcher_fields import FIELDS, LENGTH_LIMIT, METADATA, OPS, Field, Kind, Op, Subject, field_of
from inbox.domain.refusals import Fault
from inbox.domain.severity import RANKS, Severity

VALUES_LIMIT = 100
"""Entries of a list of values."""

TEXT_LIMIT = 1_024
"""Characters of a value."""

MEMBERS = frozenset({"field", "op", "value"})
ACTIONS = ("trigger", "resolve")
LARGEST_NUMBER = 2**63
"""Beyond it metadata holds no numbers: they are stored as text (decision 6)."""

Test = Callable[[Subject], bool]
OfText = Callable[[str], bool]

_fold = lru_cache(maxsize=64)(str.casefold)
"""A text without regard to case. Kept for a moment: many clauses look at the same few texts of one event."""


class Clause(NamedTuple):
    """A checked clause."""

    field: Field
    op: Op
    value: Any


def clause_of(node: Mapping[str, Any]) -> Clause:
    """The clause of a node that `faults_of` found no fault with."""
    return Clause(cast(Field, field_of(node["field"])), Op(node["op"]), node["value"])


def faults_of(node: Mapping[str, Any], at: str) -> Iterator[Fault]:
    """What is wrong with a clause that stands at the pointer `at`."""
    name, op, value = node["field"], node["op"], node["value"]
    field = field_of(name) if isinstance(name, str) else None
    if field is None:
        known = ", ".join(FIELDS)
        detail = f"must be one of {known} or {METADATA}.<path>, of at most {LENGTH_LIMIT:,} characters"
        yield Fault(f"{at}/field", detail)
        return
    suiting = OPS[field.kind]
    if not isinstance(op, str) or op not in suiting:
        yield Fault(f"{at}/op", f"must be one of {', '.join(op for op in Op if op in suiting)} for {field.name}")
        return
    yield from _faults_of_value(field, Op(op), value, f"{at}/value")


def _faults_of_value(field: Field, op: Op, value: Any, at: str) -> Iterator[Fault]:
    if op in (Op.IN, Op.NOT_IN):
        if not isinstance(value, list) or not 1 <= len(value) <= VALUES_LIMIT:
            yield Fault(at, f"must be a list of 1 to {VALUES_LIMIT} values")
            return
        for index, each in enumerate(value):
            detail = _wrong(field, op, each)
            if detail:
                yield Fault(f"{at}/{index}", detail)
        return
    detail = _wrong(field, op, value)
    if detail:
        yield Fault(at, detail)


def _wrong(field: Field, op: Op, value: Any) -> str | None:
    """What is wrong with one value; `None` when nothing is."""
    if op is Op.EXISTS:
        return None if isinstance(value, bool) else "must be true or false"
    if op is Op.MATCHES:
        return _wrong_pattern(value)
    if field.kind is Kind.SEVERITY:
        known = isinstance(value, str) and severity.parse(value) is not None
        return None if known else f"must be one of {', '.join(Severity)} or warn, err, crit, fatal"
    if field.kind is Kind.ACTION:
        return None if value in ACTIONS else f"must be one of {', '.join(ACTIONS)}"
    if field.kind is Kind.METADATA:
        return _wrong_in_metadata(op, value)
    return _wrong_text(value, least=1)


def _wrong_pattern(value: Any) -> str | None:
    limit = matcher_patterns.LENGTH_LIMIT
    if not isinstance(value, str) or not 1 <= len(value) <= limit or not _storable(value):
        return f"must be a regular expression of 1 to {limit} characters"
    try:
        matcher_patterns.searching(value)
    except matcher_patterns.BadPattern as bad:
        return f"must be a regular expression in RE2 syntax, without look-around and back-references: {bad}"
    return None


def _wrong_in_metadata(op: Op, value: Any) -> str | None:
    if op in (Op.GTE, Op.LTE):
        return None if _is_number(value) else "must be a number of at most 64 bits"
    if op in (Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH):
        return _wrong_text(value, least=1)
    if isinstance(value, bool) or _is_number(value) or (isinstance(value, str) and not _wrong_text(value, least=0)):
        return None
    return f"must be text of at most {TEXT_LIMIT:,} characters, a number of at most 64 bits, true or false"


def _wrong_text(value: Any, *, least: int) -> str | None:
    if isinstance(value, str) and least <= len(value) <= TEXT_LIMIT and _storable(value):
        return None
    return f"must be text of {least} to {TEXT_LIMIT:,} characters"


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and -LARGEST_NUMBER <= value < LARGEST_NUMBER


def _storable(text: str) -> bool:
    """Whether PostgreSQL can hold the text: no NUL, no half of a surrogate pair."""
    return "\x00" not in text and not any("\ud800" <= each <= "\udfff" for each in text)


def test_of(clause: Clause) -> Test:
    """The test of a checked clause. A missing field fails every operator but `ne`, `notIn` and `exists` false."""
    field, op, value = clause
    match op:
        case Op.NE:
            return negated(test_of(Clause(field, Op.EQ, value)))
        case Op.NOT_IN:
            return negated(test_of(Clause(field, Op.IN, value)))
        case Op.EXISTS:
            return _existing(field) if value else negated(_existing(field))
    values = value if op is Op.IN else [value]
    match field.kind:
        case Kind.SEVERITY:
            return _among_severities(op, values)
        case Kind.SOURCE:
            return _of_source(op, values)
        case Kind.TAGS:
            return _of_tags(_of_text(op, values))
        case Kind.METADATA:
            return _of_metadata(field, _of_value(op, values))
    return _of_field(field, _of_text(op, values, exact=field.kind is Kind.EXACT))


def negated(test: Test) -> Test:
    """Holds where `test` does not."""
    return lambda subject: not test(subject)


def _existing(field: Field) -> Test:
    read = field.read
    return lambda subject: read(subject) not in (None, [], ())


def _among_severities(op: Op, values: list[str]) -> Test:
    """By rank for `gte` and `lte`, where INFO and SUCCESS are equal; otherwise by name."""
    named = [cast(Severity, severity.parse(value)) for value in values]
    match op:
        case Op.GTE:
            accepted = frozenset(each for each in Severity if RANKS[each] >= RANKS[named[0]])
        case Op.LTE:
            accepted = frozenset(each for each in Severity if RANKS[each] <= RANKS[named[0]])
        case _:
            accepted = frozenset(named)
    return lambda subject: subject.severity in accepted


def _of_source(op: Op, values: list[str]) -> Test:
    """Its id where the value is one, else its name."""
    if op not in (Op.EQ, Op.IN):
        return _of_field(FIELDS["source"], _of_text(op, values))
    known = frozenset(value for value in values if ids.decode(ids.Prefix.SOURCE, value) is not None)
    names = frozenset(_fold(value) for value in values if value not in known)
    return lambda subject: _fold(subject.source_name) in names or subject.source_id in known


def _of_field(field: Field, holds: OfText) -> Test:
    read = field.read
    return lambda subject: (text := read(subject)) is not None and holds(text)


def _of_tags(holds: OfText) -> Test:
    """Whether there is a tag that does."""
    return lambda subject: any(map(holds, subject.tags))


def _of_metadata(field: Field, holds: Callable[[Any], bool]) -> Test:
    """Whether the value does, or of a list one entry."""
    read = field.read

    def test(subject: Subject) -> bool:
        found = read(subject)
        return any(map(holds, found)) if type(found) is list else holds(found)

    return test


def _of_value(op: Op, values: list[Any]) -> Callable[[Any], bool]:
    """A test of one JSON value: numbers and booleans by value, text like all text, `null` and objects never."""
    match op:
        case Op.EQ | Op.IN:
            wanted = frozenset(map(_comparable, values))
            return lambda found: found is not None and _comparable(found) in wanted
        case Op.GTE:
            least = values[0]
            return lambda found: type(found) in (int, float) and found >= least
        case Op.LTE:
            most = values[0]
            return lambda found: type(found) in (int, float) and found <= most
    holds = _of_text(op, values)
    return lambda found: type(found) is str and holds(found)


def _comparable(value: Any) -> Any:
    """Equal for equal values: 1 and 1.0 are, 1 and true are not, nor 1 and "1"."""
    kind = type(value)
    if kind is str:
        return _fold(value)
    if kind is bool:
        return (value,)
    return value if kind in (int, float) else None


def _of_text(op: Op, values: list[str], *, exact: bool = False) -> OfText:
    """A test of one text. Regular expressions see it as it stands, all else without regard to case unless `exact`."""
    if op is Op.MATCHES:
        return matcher_patterns.searching(values[0])
    fold = str if exact else _fold
    wanted = frozenset(map(fold, values))
    part = fold(values[0])
    match op:
        case Op.CONTAINS:
            return lambda text: part in fold(text)
        case Op.STARTS_WITH:
            return lambda text: fold(text).startswith(part)
        case Op.ENDS_WITH:
            return lambda text: fold(text).endswith(part)
    return lambda text: fold(text) in wanted
