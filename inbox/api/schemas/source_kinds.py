"""Shapes of source kinds and of their snippets (specification 19.7)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.schemas.base import Schema
from inbox.domain.keys import SenderKeyKind

KEY_KINDS = [str(kind) for kind in SenderKeyKind]


class SourceKind(Schema):
    """A way in: what calls it, where, and with which kind of key."""

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


class SourceKinds(Schema):
    """All source kinds."""

    items = ma.fields.List(ma.fields.Nested(SourceKind), required=True)


class SourceSnippet(Schema):
    """A ready text of a kind."""

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
    """The texts of a source; replace `keyPlaceholder` in them by a key."""

    key_placeholder = ma.fields.String(required=True, metadata={"example": "INBOX_KEY_HERE"})
    items = ma.fields.List(ma.fields.Nested(SourceSnippet), required=True)
