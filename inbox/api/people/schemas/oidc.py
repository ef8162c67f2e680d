"""Bodies and answers of the sign-in through an identity provider."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema
from inbox.identity import safe_redirect
from inbox.services.people.identities import Purpose


class ProviderRecord(Schema):
    """A configured identity provider."""

    id = ma.fields.String(required=True, metadata={"example": "acme"})
    name = ma.fields.String(required=True, metadata={"example": "Acme", "description": "What its button says."})


class ProvidersPage(Schema):
    """All providers, in the configured order."""

    items = ma.fields.List(ma.fields.Nested(ProviderRecord), required=True)
    next_cursor = ma.fields.String(required=True, allow_none=True, metadata={"example": None})
    partial = ma.fields.Boolean(required=True, metadata={"example": False})  # type: ignore[assignment]
    total = ma.fields.Integer(required=True, allow_none=True, metadata={"example": 1})


class OidcStart(Schema):
    """The purpose of the flow, and the page of the dashboard after it."""

    may_be_absent = True

    purpose = ma.fields.Enum(Purpose, by_value=True, load_default=Purpose.SIGN_IN, metadata={"example": "sign-in"})
    return_to = ma.fields.String(
        load_default="/",
        validate=ma.validate.Length(max=safe_redirect.LONGEST),
        metadata={"description": "A path of the dashboard; anything else means `/`.", "example": "/w/acme"},
    )


class OidcStarted(Schema):
    """The next address of the browser."""

    authorize_url = ma.fields.String(required=True, metadata={"example": "https://id.example.org/authorize?state=…"})
