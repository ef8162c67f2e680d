"""Shapes of the vocabulary of matches and of suggestions (specification 6.3)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, TypeId
from inbox.domain.routing.matchers.fields import LENGTH_LIMIT, FieldKind, Op
from inbox.services.routing.suggestions import LONGEST, has_suggestions


def _op() -> ma.fields.String:
    named = ma.validate.OneOf([str(op) for op in Op])
    return ma.fields.String(required=True, validate=named, metadata={"example": "eq"})


class FieldRecord(Schema):
    """A field of an event in clauses."""

    name = ma.fields.String(required=True, metadata={"example": "tags"})
    label = ma.fields.String(required=True, metadata={"example": "Tags"})
    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(kind) for kind in FieldKind]))
    ops = ma.fields.List(_op(), required=True)
    values = ma.fields.List(
        ma.fields.String(), required=True, allow_none=True, metadata={"description": "All values; null: any text."}
    )
    takes_path = ma.fields.Boolean(
        required=True, metadata={"description": "Whether `.` and the path of a key follow the name."}
    )
    is_case_sensitive = ma.fields.Boolean(required=True)
    has_suggestions = ma.fields.Boolean(required=True)


class OperatorRecord(Schema):
    """An operator, and the form of its value."""

    op = _op()
    label = ma.fields.String(required=True, metadata={"example": "is"})
    value = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(["value", "list", "pattern", "number", "boolean"]),
        metadata={"description": "For a field with a closed list, `number` means one of its values."},
    )


class MatchLimits(Schema):
    """The largest match."""

    levels = ma.fields.Integer(required=True, metadata={"example": 4})
    clauses = ma.fields.Integer(required=True, metadata={"example": 50})
    values = ma.fields.Integer(required=True, metadata={"description": "Of a list.", "example": 100})
    value_characters = ma.fields.Integer(required=True, metadata={"example": 1024})
    pattern_characters = ma.fields.Integer(required=True, metadata={"example": 512})


class Vocabulary(Schema):
    """The fields, operators and limits of matches."""

    fields_ = ma.fields.List(ma.fields.Nested(FieldRecord), required=True, data_key="fields", attribute="fields")
    operators = ma.fields.List(ma.fields.Nested(OperatorRecord), required=True)
    group_by = ma.fields.List(
        ma.fields.String(),
        required=True,
        metadata={"description": "The fields that `groupBy` of a source takes, beside `metadata.<path>`."},
    )
    limits = ma.fields.Nested(MatchLimits, required=True)


def _require_field(field: str) -> None:
    if not has_suggestions(field):
        raise ma.ValidationError("Not a field with suggestions.")


class SuggestionsQuery(Schema):
    """The field, and the beginning of the value."""

    workspace_id = TypeId("wsp")
    field = ma.fields.String(
        load_default="tags",
        validate=[ma.validate.Length(1, LENGTH_LIMIT), _require_field],
        metadata={"description": "`metadata` suggests names of fields: `metadata.<path>`.", "example": "tags"},
    )
    prefix = ma.fields.String(load_default="", validate=ma.validate.Length(max=LONGEST), metadata={"example": "pr"})


class SuggestionRecord(Schema):
    """A value of recent events."""

    value = ma.fields.Raw(required=True, metadata={"example": "prod"})
    count = ma.fields.Integer(
        required=True, metadata={"description": "How many recent events have it; 0: of a closed list.", "example": 12}
    )


class Suggestions(Schema):
    """At most twenty suggestions. The most frequent come first."""

    items = ma.fields.List(ma.fields.Nested(SuggestionRecord), required=True)
