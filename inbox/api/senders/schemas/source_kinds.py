"""Shapes of source kinds and of their snippets (specification 19.7)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema
from inbox.domain.senders.keys import SenderKeyKind
from inbox.intake.source_kind_forms import FieldOwner, SourceFieldType, SourceIcon

KEY_KINDS = [str(kind) for kind in SenderKeyKind]


class SourceKindField(Schema):
    """A field of a source or a key that a kind uses."""

    name = ma.fields.String(required=True, metadata={"example": "recoveryPattern"})
    label = ma.fields.String(required=True, metadata={"example": "Recovery pattern"})
    type = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in SourceFieldType]),
        metadata={"description": "How it is entered. Show an unknown type as `text`.", "example": "text"},
    )
    help = ma.fields.String(required=True)
    of = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in FieldOwner]),
        metadata={"description": "Whether the source or the key has it.", "example": "source"},
    )
    required = ma.fields.Boolean(required=True)
    choices = ma.fields.List(ma.fields.String(), required=True, metadata={"description": "Of a `choice`."})


class SourceKind(Schema):
    """A kind of source: its callers, its address, and its kind of key."""

    kind = ma.fields.String(required=True, metadata={"example": "alertmanager"})
    label = ma.fields.String(required=True, metadata={"example": "Alertmanager"})
    summary = ma.fields.String(required=True)
    setup = ma.fields.String(required=True, metadata={"description": "Where address and key are entered."})
    path = ma.fields.String(
        required=True,
        metadata={
            "description": "`{sourceId}` is the id of the source, `{pingKey}` a ping key. Empty for mail.",
            "example": "/v1/hooks/alertmanager",
        },
    )
    key_kind = ma.fields.String(
        required=True, validate=ma.validate.OneOf(KEY_KINDS), metadata={"example": "source_key"}
    )
    key_kinds = ma.fields.List(
        ma.fields.String(validate=ma.validate.OneOf(KEY_KINDS)),
        required=True,
        metadata={"description": "All kinds of keys that it takes, `keyKind` first.", "example": ["source_key"]},
    )
    icon = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in SourceIcon]),
        metadata={"description": "Show an unknown icon as `tool`.", "example": "tool"},
    )
    docs_url = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The page of the maker about it; null for formats of the service.",
            "example": "https://docs.github.com/webhooks",
        },
    )
    available = ma.fields.Boolean(required=True, metadata={"description": "Whether this instance accepts it."})
    unavailable_because = ma.fields.String(required=True, allow_none=True, metadata={"description": "Why not."})
    fields_ = ma.fields.List(ma.fields.Nested(SourceKindField), required=True, data_key="fields", attribute="fields")


class SourceKinds(Schema):
    """All source kinds."""

    items = ma.fields.List(ma.fields.Nested(SourceKind), required=True)


class SourceSnippet(Schema):
    """A ready-made text of a kind."""

    kind = ma.fields.String(required=True, metadata={"example": "events"})
    name = ma.fields.String(required=True, metadata={"example": "curl"})
    label = ma.fields.String(required=True, metadata={"example": "curl"})
    language = ma.fields.String(
        required=True, metadata={"description": "The usual ending of such a file.", "example": "sh"}
    )
    key_kind = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(KEY_KINDS),
        metadata={"description": "The key that takes the place of `keyPlaceholder`.", "example": "source_key"},
    )
    text = ma.fields.String(required=True)
    expect = ma.fields.String(required=True, metadata={"description": "What happens when it is used."})


class SourceSnippets(Schema):
    """The texts of a source. Replace `keyPlaceholder` in them by a key."""

    key_placeholder = ma.fields.String(required=True, metadata={"example": "INBOX_KEY_HERE"})
    items = ma.fields.List(ma.fields.Nested(SourceSnippet), required=True)
