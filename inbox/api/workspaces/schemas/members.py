"""Shapes of members (specification 12.3)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Flag, Schema, Timestamp, TypeId
from inbox.api.http.schemas.list_filters import by_name
from inbox.domain.people.notification_rules import Paging
from inbox.domain.workspaces.roles import Role

ROLES = [str(role) for role in Role]


class MemberRecord(Schema):
    """A person's membership in a workspace."""

    user_id = TypeId("usr", required=True)
    email = ma.fields.String(required=True, attribute="user.email", metadata={"example": "mia@example.org"})
    name = ma.fields.String(required=True, attribute="user.name", metadata={"example": "Mia"})
    role = ma.fields.String(required=True, validate=ma.validate.OneOf(ROLES))
    joined_at = Timestamp(required=True)
    last_seen_at = Timestamp(required=True, allow_none=True, attribute="seen_at")
    mfa = Flag(
        required=True,
        attribute="has_mfa",
        metadata={"description": "Whether the account has a second factor: an authenticator app or a passkey."},
    )
    paging = ma.fields.Enum(
        Paging,
        by_value=True,
        required=True,
        metadata={"description": "How pages reach the person; `default`: by push and mail at once, without rules."},
    )


class RoleChange(Schema):
    """The member's new role."""

    role = ma.fields.String(required=True, validate=ma.validate.OneOf(ROLES), metadata={"example": "admin"})


class RemovalQuery(Schema):
    """Whether a person whom on-call schedules name is removed."""

    leave_gaps = ma.fields.Boolean(
        load_default=False, metadata={"description": "Remove a person whom on-call schedules name (23.8)."}
    )


MembersQuery = page_query(
    "Members",
    ("joined", "name", "email", "role"),
    role=ma.fields.String(validate=ma.validate.OneOf(ROLES)),
    q=by_name("Only those whose name or address contains this text, in any case."),
)
MembersPage = page_of(MemberRecord, "Members")
