"""Shapes of the audit log (specification 12.7)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.paging import page_of, page_query
from inbox.api.schemas.base import Schema, Timestamp, TypeId
from inbox.api.schemas.enumerations import Code
from inbox.api.schemas.plain_rows import audit_row
from inbox.domain.audit_actions import ACTIONS, FORMER_ACTIONS


class AuditActor(Schema):
    """Who did it. `id` is empty for who has none: `system`, and `anonymous` where nobody was signed in."""

    type = ma.fields.String(required=True, metadata={"example": "user"})
    id = ma.fields.String(required=True, metadata={"example": "usr_01h455vb4pex5vsknk084sn02q"})
    name = ma.fields.String(required=True, metadata={"example": "Olga"})


class AuditTarget(Schema):
    """What it was done to, as it was called then."""

    type = ma.fields.String(required=True, metadata={"example": "member"})
    id = ma.fields.String(required=True, metadata={"example": "usr_01h455vb4pex5vsknk084sn03r"})
    name = ma.fields.String(required=True, metadata={"example": "Mia"})


class AuditRecord(Schema):
    """One thing that somebody did."""

    row = audit_row

    id = TypeId("aud", required=True)
    at = Timestamp(required=True)
    actor = ma.fields.Nested(AuditActor, required=True)
    action = Code((*ACTIONS, *FORMER_ACTIONS.values()), "What was done.", example="member.role_changed")
    target = ma.fields.Nested(AuditTarget, required=True)
    workspace_id = TypeId("wsp", required=True, allow_none=True)
    ip = ma.fields.String(required=True, metadata={"example": "203.0.113.7"})
    request_id = ma.fields.String(required=True, metadata={"example": "5f0c3c1e9a4b4d0f8a7b6c5d4e3f2a1b"})
    details = ma.fields.Dict(
        required=True,
        metadata={
            "description": "`changes` lists what was changed; secrets never appear, only that they were changed.",
            "example": {"changes": [{"field": "role", "before": "member", "after": "admin"}]},
        },
    )


AuditQuery = page_query(
    "Audit",
    ("at",),
    action=ma.fields.String(
        validate=ma.validate.Regexp(r"^[a-z_]{1,40}(\.[a-z_]{1,40})?$", error="Not an action."),
        metadata={"description": "`member.removed`, or `member` for all that is done to members."},
    ),
    actor_id=TypeId("usr", metadata={"description": "Only what this person did."}),
    since=Timestamp(),
    until=Timestamp(),
)
AuditPage = page_of(AuditRecord, "Audit")
