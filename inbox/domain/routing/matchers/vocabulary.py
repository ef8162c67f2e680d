"""The vocabulary of matches for a condition builder: fields, operators with labels, and limits (specification 6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from inbox.domain.events import grouping
from inbox.domain.events.fields import Action
from inbox.domain.routing.matchers import clauses, patterns, tree
from inbox.domain.routing.matchers.fields import FIELDS, METADATA, OPS, FieldKind, Op
from inbox.domain.values.severity import Severity

LABELS: Mapping[str, str] = MappingProxyType(
    {
        "severity": "Severity",
        "type": "Type",
        "resource": "Resource",
        "resource.kind": "Resource kind",
        "resource.name": "Resource name",
        "title": "Title",
        "body": "Body",
        "tags": "Tags",
        "action": "Action",
        "dedupKey": "Deduplication key",
        "externalId": "External id",
        "url": "Link",
        "source": "Source",
        METADATA: "Metadata",
    }
)

OPERATOR_LABELS: Mapping[Op, str] = MappingProxyType(
    {
        Op.EQ: "is",
        Op.NE: "is not",
        Op.IN: "is one of",
        Op.NOT_IN: "is none of",
        Op.CONTAINS: "contains",
        Op.STARTS_WITH: "starts with",
        Op.ENDS_WITH: "ends with",
        Op.MATCHES: "matches the pattern",
        Op.GTE: "is at least",
        Op.LTE: "is at most",
        Op.EXISTS: "exists",
    }
)

VALUES: Mapping[FieldKind, tuple[str, ...]] = MappingProxyType(
    {FieldKind.SEVERITY: tuple(str(each) for each in Severity), FieldKind.ACTION: tuple(str(each) for each in Action)}
)
"""The allowed values of fields with a closed list."""


def vocabulary() -> dict[str, Any]:
    """Returns the choices of a condition builder, in the order in which it offers them."""
    kinds = {**{name: field.kind for name, field in FIELDS.items()}, METADATA: FieldKind.METADATA}
    return {
        "fields": [_field(name, kind) for name, kind in kinds.items()],
        "operators": [{"op": op, "label": OPERATOR_LABELS[op], "value": value_of(op)} for op in Op],
        "group_by": sorted(grouping.FIELDS),
        "limits": {
            "levels": tree.DEPTH_LIMIT,
            "clauses": tree.CLAUSES_LIMIT,
            "values": clauses.VALUES_LIMIT,
            "value_characters": clauses.TEXT_LIMIT,
            "pattern_characters": patterns.LENGTH_LIMIT,
        },
    }


def value_of(op: Op) -> str:
    """Returns the form of an operator's value: one value, a list, a pattern, a number, or true and false.

    A field with a closed list takes its values in place of a number.
    """
    if op is Op.EXISTS:
        return "boolean"
    if op is Op.MATCHES:
        return "pattern"
    if op in (Op.GTE, Op.LTE):
        return "number"
    return "list" if op in (Op.IN, Op.NOT_IN) else "value"


def _field(name: str, kind: FieldKind) -> dict[str, Any]:
    return {
        "name": name,
        "label": LABELS[name],
        "kind": kind,
        "ops": [op for op in Op if op in OPS[kind]],
        "values": list(VALUES[kind]) if kind in VALUES else None,
        "takes_path": kind is FieldKind.METADATA,
        "is_case_sensitive": kind is FieldKind.EXACT,
        "has_suggestions": name not in ("body", "title", "url"),
    }
