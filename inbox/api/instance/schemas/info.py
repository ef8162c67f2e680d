"""Shapes of instance information and health."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Flag, Schema
from inbox.domain.values.legal_links import LONGEST_NAME, MAX_LINKS


class LegalLinkRecord(Schema):
    """A link of the operator to a legal text."""

    name = ma.fields.String(required=True, metadata={"maxLength": LONGEST_NAME, "example": "Imprint"})
    url = ma.fields.Url(required=True, require_tld=False, metadata={"example": "https://example.org/imprint"})


class InfoRecord(Schema):
    """The instance."""

    name = ma.fields.String(required=True, metadata={"example": "Incident Inbox"})
    version = ma.fields.String(required=True, metadata={"example": "1.0.0"})
    edition = ma.fields.String(required=True, validate=ma.validate.OneOf(["self_hosted", "hosted"]))
    capabilities = ma.fields.List(ma.fields.String(metadata={"example": "mail"}), required=True)
    workspace_creation = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(["everybody", "administrators"]),
        metadata={
            "description": "Who may create workspaces: everybody with an account, or administrators of the instance."
        },
    )
    setup_required = Flag(required=True, metadata={"description": "Whether the instance has no account yet."})
    limits = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.Integer(),
        required=True,
        metadata={"description": "The limits of this instance, by name.", "example": {"batchEvents": 100}},
    )
    problems_url = ma.fields.Url(
        required=True, require_tld=False, metadata={"example": "https://inbox.example.org/problems"}
    )
    legal_links = ma.fields.List(
        ma.fields.Nested(LegalLinkRecord),
        required=True,
        metadata={"description": "Shown below the sign-in page, in this order.", "maxItems": MAX_LINKS},
    )


class Health(Schema):
    """The health of the process."""

    status = ma.fields.String(required=True, validate=ma.validate.OneOf(["ok"]))


class Readiness(Schema):
    """Whether the process can work."""

    status = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(["ok", "degraded"]),
        metadata={"description": "`degraded`: it works, but slowly or in part, as `detail` says."},
    )
    detail = ma.fields.String(metadata={"example": "No answer from Redis: work is found some seconds later."})
