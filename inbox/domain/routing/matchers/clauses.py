"""One clause of a match, `{field, op, value}`, and its validation (specification 6.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from inbox.domain.routing.matchers import patterns
from inbox.domain.routing.matchers.fields import FIELDS_TEXT, LENGTH_LIMIT, OPS, Field, FieldKind, Op, field_of
from inbox.domain.values import severity
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity
from inbox.domain.values.text import is_storable

VALUES_LIMIT = 100
"""The limit of entries in a list of values."""

TOO_MANY_VALUES = f"must be a list of 1 to {VALUES_LIMIT} values"

TEXT_LIMIT = 1_024
"""The limit of characters in a value."""

MEMBERS = frozenset({"field", "op", "value"})
ACTIONS = ("trigger", "resolve")
LARGEST_NUMBER = 2**63
"""The limit of numbers in metadata. Larger numbers are stored as text (specification 4.5)."""


class Clause(NamedTuple):
    """A checked clause."""

    field: Field
    op: Op
    value: Any


def clause_of(node: Mapping[str, Any]) -> Clause:
    """Returns the clause of a node for which `faults_of` found no fault."""
    return Clause(cast(Field, field_of(node["field"])), Op(node["op"]), node["value"])


def faults_of(node: Mapping[str, Any], at: str) -> Iterator[Fault]:
    """Yields the faults of a clause at the pointer `at`. The syntax of patterns is not checked (`tree.check`)."""
    name, op, value = node["field"], node["op"], node["value"]
    field = field_of(name) if isinstance(name, str) else None
    if field is None:
        yield Fault(f"{at}/field", f"must be one of {FIELDS_TEXT}, of at most {LENGTH_LIMIT:,} characters")
        return
    allowed_ops = OPS[field.kind]
    if not isinstance(op, str) or op not in allowed_ops:
        yield Fault(f"{at}/op", f"must be one of {', '.join(op for op in Op if op in allowed_ops)} for {field.name}")
        return
    yield from _faults_of_value(field, Op(op), value, f"{at}/value")


def _faults_of_value(field: Field, op: Op, value: object, at: str) -> Iterator[Fault]:
    if op in (Op.IN, Op.NOT_IN):
        if not isinstance(value, list) or not 1 <= len(value) <= VALUES_LIMIT:
            yield Fault(at, TOO_MANY_VALUES)
            return
        if _are_texts(field, value):
            return
        for index, each in enumerate(value):
            detail = _value_fault(field, op, each)
            if detail:
                yield Fault(f"{at}/{index}", detail)
        return
    detail = _value_fault(field, op, value)
    if detail:
        yield Fault(at, detail)


def _are_texts(field: Field, values: list[Any]) -> bool:
    """Returns whether all values are valid texts. One test of a long list takes a tenth of the time of single tests."""
    if field.kind in (FieldKind.SEVERITY, FieldKind.ACTION) or set(map(type, values)) != {str}:
        return False
    return min(map(len, values)) >= 1 and max(map(len, values)) <= TEXT_LIMIT and is_storable("".join(values))


def _value_fault(field: Field, op: Op, value: object) -> str | None:
    """Returns the fault of one value; `None` if the value is valid."""
    if op is Op.EXISTS:
        return None if isinstance(value, bool) else "must be true or false"
    if op is Op.MATCHES:
        return _pattern_fault(value)
    if field.kind is FieldKind.SEVERITY:
        is_severity = isinstance(value, str) and severity.parse(value) is not None
        return None if is_severity else f"must be one of {', '.join(Severity)} or warn, err, crit, fatal"
    if field.kind is FieldKind.ACTION:
        return None if value in ACTIONS else f"must be one of {', '.join(ACTIONS)}"
    if field.kind is FieldKind.METADATA:
        return _metadata_fault(op, value)
    return _text_fault(value, least=1)


def _pattern_fault(value: object) -> str | None:
    limit = patterns.LENGTH_LIMIT
    if not isinstance(value, str) or not 1 <= len(value) <= limit or not is_storable(value):
        return f"must be a regular expression of 1 to {limit} characters"
    return None


def _metadata_fault(op: Op, value: object) -> str | None:
    if op in (Op.GTE, Op.LTE):
        return None if _is_number(value) else "must be a number of at most 64 bits"
    if op in (Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH):
        return _text_fault(value, least=1)
    if isinstance(value, bool) or _is_number(value) or (isinstance(value, str) and not _text_fault(value, least=0)):
        return None
    return f"must be text of at most {TEXT_LIMIT:,} characters, a number of at most 64 bits, true or false"


def _text_fault(value: object, *, least: int) -> str | None:
    if isinstance(value, str) and least <= len(value) <= TEXT_LIMIT and is_storable(value):
        return None
    return f"must be text of {least} to {TEXT_LIMIT:,} characters"


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -LARGEST_NUMBER <= value < LARGEST_NUMBER
