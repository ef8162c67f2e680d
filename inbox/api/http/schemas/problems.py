"""Shapes of errors, and of the pages that explain them (specification 15.1)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, StrictInteger, TypeId


class ProblemFault(Schema):
    """One bad field."""

    pointer = ma.fields.String(
        required=True, metadata={"description": "A JSON pointer (RFC 6901).", "example": "/events/3/title"}
    )
    detail = ma.fields.String(required=True, metadata={"example": "Must not be blank."})


class ProblemWorkspace(Schema):
    """The workspace that causes the refusal."""

    id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Acme"})


class ProblemProfile(Schema):
    """A routing profile that causes the refusal."""

    id = TypeId("prf", required=True)
    name = ma.fields.String(required=True, metadata={"example": "On call"})


class Problem(Schema):
    """An error: problem details (RFC 9457)."""

    type = ma.fields.String(
        required=True, metadata={"format": "uri", "description": "An address that explains the code."}
    )
    title = ma.fields.String(required=True)
    status = StrictInteger(required=True)
    detail = ma.fields.String(required=True, metadata={"description": "For people; may change at any time."})
    code = ma.fields.String(required=True, metadata={"description": "For machines; stable."})
    request_id = ma.fields.String(required=True, metadata={"description": "Finds the entry in the server's log."})
    errors = ma.fields.List(
        ma.fields.Nested(ProblemFault), metadata={"description": "With `validation_failed`: one entry a bad field."}
    )
    error = ma.fields.String(metadata={"description": "In the legacy push format: the title."})
    error_code = ma.fields.Integer(metadata={"description": "In the legacy push format: the status."})
    error_description = ma.fields.String(metadata={"description": "In the legacy push format: the detail."})
    ok = ma.fields.Boolean(metadata={"description": "In the form of push monitors: false."})
    msg = ma.fields.String(metadata={"description": "In the form of push monitors: a text for scripts."})
    health = ma.fields.String(metadata={"description": "With `unavailable` of the legacy health: `orange`."})
    database = ma.fields.String(metadata={"description": "With `unavailable` of the legacy health: `red`."})
    required_role = ma.fields.String(metadata={"description": "With `forbidden`: the least role that may do it."})
    rev = StrictInteger(metadata={"description": "With `rev_mismatch`: the revision as it is."})
    state = ma.fields.String(metadata={"description": "With `invalid_transition`: the state as it is."})
    workspace = ma.fields.Nested(
        ProblemWorkspace, metadata={"description": "With `workspace_needs_owner`: which one does."}
    )
    routing_profiles = ma.fields.List(
        ma.fields.Nested(ProblemProfile), metadata={"description": "With `conflict`: those that would lose a step."}
    )
    used_by = ma.fields.Dict(metadata={"description": "With `conflict`: what names it, as the record's own `usedBy`."})
    factors = ma.fields.List(
        ma.fields.String(), metadata={"description": "With `reauth_required`: what this account can prove."}
    )
    scope = ma.fields.String(
        validate=ma.validate.OneOf(["management", "reads"]),
        metadata={"description": "With `rate_limited`: which limit of a person it is; absent for other limits."},
    )


class ProblemKind(Schema):
    """The meaning of a code."""

    type = ma.fields.String(required=True, metadata={"format": "uri"})
    code = ma.fields.String(required=True, metadata={"example": "not_found"})
    status = StrictInteger(required=True, metadata={"example": 404})
    title = ma.fields.String(required=True)
    meaning = ma.fields.String(required=True)
    remedy = ma.fields.String(required=True)


class ProblemKinds(Schema):
    """All codes."""

    items = ma.fields.List(ma.fields.Nested(ProblemKind), required=True)
