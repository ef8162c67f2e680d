"""Shapes of destination kinds (specification 9.3)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema
from inbox.destinations.descriptors import FieldType, Generator, Icon


class ConfigField(Schema):
    """A field of `config`, as a form shows it."""

    name = ma.fields.String(required=True, metadata={"example": "url"})
    label = ma.fields.String(required=True, metadata={"example": "Address"})
    type = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in FieldType]),
        metadata={"description": "How it is entered. Show an unknown type as `text`.", "example": "url"},
    )
    help = ma.fields.String(required=True)
    example = ma.fields.String(required=True, metadata={"example": "https://example.org/hooks/inbox"})
    required = ma.fields.Boolean(
        required=True, metadata={"description": "Whether a new destination needs it. An edit may leave it out."}
    )
    secret = ma.fields.Boolean(required=True, metadata={"description": "It is entered and never answered."})
    hint_name = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The field of an answer that shows the end of the secret, of a password `…`.",
            "example": "secretHint",
        },
    )
    generate = ma.fields.String(
        required=True,
        allow_none=True,
        validate=ma.validate.OneOf([str(each) for each in Generator]),
        metadata={
            "description": "What the caller creates: `whsec_` and base64 of 32 random bytes.",
            "example": "whsec",
        },
    )
    max_length = ma.fields.Integer(required=True, allow_none=True, metadata={"example": 2048})
    pattern = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "A regular expression for the whole text.", "example": "[0-9]{15,22}"},
    )
    choices = ma.fields.List(ma.fields.String(), required=True, metadata={"description": "Of a `choice`."})
    default = ma.fields.Raw(
        required=True,
        allow_none=True,
        metadata={
            "description": "The value of a new destination that leaves the field out: a text, a number or a flag.",
            "type": ["string", "integer", "boolean"],
            "example": "us",
        },
    )
    sent_to = ma.fields.List(
        ma.fields.String(),
        required=True,
        allow_none=True,
        metadata={
            "description": "Of a secret: the fields that say where it is sent, none where no field does. An edit that"
            " changes one of them needs the secret again. Spellings of one address are no change. Null for other fields.",
            "example": ["server"],
        },
    )
    when_absent = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The value for which an absent field stands.", "example": "https://slack.com"},
    )


class KindMode(Schema):
    """A way to use a kind, of which a destination has one."""

    label = ma.fields.String(required=True, metadata={"example": "Webhook"})
    needs = ma.fields.List(
        ma.fields.String(),
        required=True,
        metadata={"description": "The fields that it cannot do without.", "example": ["url"]},
    )
    takes = ma.fields.List(ma.fields.String(), required=True, metadata={"description": "Its other fields."})


class KindAbilities(Schema):
    """The abilities of a kind for messages of an incident."""

    edits = ma.fields.Boolean(required=True, metadata={"description": "An earlier message is edited."})
    threads = ma.fields.Boolean(required=True, metadata={"description": "Later messages are replies to the first."})
    replaces = ma.fields.Boolean(required=True, metadata={"description": "A later notification replaces the earlier."})
    action_links = ma.fields.Boolean(
        required=True, metadata={"description": "Messages have links that acknowledge and resolve the incident."}
    )
    templates = ma.fields.Boolean(required=True, metadata={"description": "People can write the title and the body."})
    digests = ma.fields.Boolean(
        required=True, metadata={"description": "One message can count and list several notices."}
    )


class KindLimits(Schema):
    """The limits of the service."""

    text_length = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The longest text of a message, in characters.", "example": 4096},
    )
    pace_seconds = ma.fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "The seconds between two messages to a destination; null: no pace.", "example": 1.0},
    )


class DestinationKindRecord(Schema):
    """A destination kind."""

    kind = ma.fields.String(required=True, metadata={"example": "webhook"})
    label = ma.fields.String(required=True, metadata={"example": "Signed webhook"})
    summary = ma.fields.String(required=True)
    icon = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in Icon]),
        metadata={"description": "Show an unknown icon as `webhook`.", "example": "chat"},
    )
    available = ma.fields.Boolean(
        required=True, metadata={"description": "Whether this instance has such destinations."}
    )
    unavailable_because = ma.fields.String(required=True, allow_none=True, metadata={"description": "Why not."})
    docs_url = ma.fields.Url(
        required=True,
        metadata={
            "description": "The page of this instance that says how the kind is set up.",
            "example": "https://inbox.example.org/docs/destinations/slack",
        },
    )
    can = ma.fields.Nested(KindAbilities, required=True)
    limits = ma.fields.Nested(KindLimits, required=True)
    target = ma.fields.String(
        required=True,
        metadata={"description": "The field that distinguishes two destinations of the kind.", "example": "url"},
    )
    contact_field = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The field that members enter in contact methods; null: none can name it.",
            "example": "to",
        },
    )
    modes = ma.fields.List(
        ma.fields.Nested(KindMode),
        required=True,
        metadata={"description": "None: there is one way. A field that no mode names belongs to all."},
    )
    fields_ = ma.fields.List(ma.fields.Nested(ConfigField), required=True, data_key="fields", attribute="fields")


class DestinationKinds(Schema):
    """All destination kinds."""

    items = ma.fields.List(ma.fields.Nested(DestinationKindRecord), required=True)
