"""Shapes of invitations (specification 12.4)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Line, Schema, Timestamp, TypeId
from inbox.api.http.schemas.windows import TimeZone
from inbox.api.incidents.schemas.incidents import ActorRecord
from inbox.api.people.schemas.accounts import Email, Locale, UserRecord
from inbox.api.workspaces.schemas.members import ROLES
from inbox.api.workspaces.schemas.workspaces import WorkspaceRecord
from inbox.domain.people import passwords
from inbox.models.people.links import Invite

STATES = ["pending", "accepted", "expired"]
PURGED = "Null: the account was removed by the purge."


class InviteRecord(Schema):
    """An invitation that nobody withdrew."""

    id = TypeId("inv", required=True)
    email = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Only this address may accept; null: everybody with the link.",
            "example": "mia@example.org",
        },
    )
    role = ma.fields.String(required=True, validate=ma.validate.OneOf(ROLES))
    state = ma.fields.Function(
        lambda invite: state(invite, datetime.now(UTC)), required=True, metadata={"type": "string", "enum": STATES}
    )
    created_by = ma.fields.Nested(
        ActorRecord, required=True, allow_none=True, attribute="creator", metadata={"description": PURGED}
    )
    created_at = Timestamp(required=True)
    expires_at = Timestamp(required=True)
    accepted_at = Timestamp(required=True, allow_none=True)
    accepted_by = ma.fields.Nested(
        ActorRecord,
        required=True,
        allow_none=True,
        attribute="acceptor",
        metadata={"description": f"Null before `acceptedAt`. {PURGED}"},
    )


class InviteCreated(InviteRecord):
    """A new invitation with its link, which is answered once."""

    link = ma.fields.String(
        required=True,
        metadata={
            "format": "uri",
            "example": "http://127.0.0.1:8080/invite#token=a8Jk0mC3f6o9i2l5u8x1b4e7h0k3n6q9t2w5z8c1f4i",
        },
    )


class InviteNew(Schema):
    """The address and the role of a new invitation."""

    role = ma.fields.String(required=True, validate=ma.validate.OneOf(ROLES), metadata={"example": "member"})
    email = Email(
        load_default=None,
        allow_none=True,
        metadata={"description": "Only this address may accept; the link is mailed there where `mail` is listed."},
    )


InvitesQuery = page_query("Invites", ("created",))
InvitesPage = page_of(InviteRecord, "Invites")


class InviteToken(Schema):
    """The token of an invitation's link. Any value is accepted here: all invalid tokens get the same refusal."""

    token = ma.fields.Raw(
        required=True,
        allow_none=True,
        load_only=True,
        metadata={"type": "string", "example": "a8Jk0mC3f6o9i2l5u8x1b4e7h0k3n6q9t2w5z8c1f4i"},
    )


class InviteAcceptance(InviteToken):
    """A signed-in person sends the token alone. A person without an account adds `email`, `name` and `password`."""

    email = Email()
    name = Line(100, metadata={"example": "Mia"})
    password = ma.fields.String(
        load_only=True,
        validate=ma.validate.Length(1, passwords.MAX_LENGTH),
        metadata={
            "description": f"{passwords.MIN_LENGTH} to {passwords.MAX_LENGTH} characters, not one of the commonest.",
            "format": "password",
            "example": "a-long-phrase-of-your-own",
        },
    )

    timezone = TimeZone(metadata={"description": "Of the new account; UTC by default."})
    locale = Locale()

    @ma.validates_schema(skip_on_field_errors=False, pass_original=True)
    def _all_or_none(self, data: Mapping[str, Any], sent: Mapping[str, Any], **_: object) -> None:
        missing = [name for name in ACCOUNT if name not in sent]
        if missing and len(missing) < len(ACCOUNT):
            raise ma.ValidationError({name: ["Missing data for required field."] for name in missing})


ACCOUNT = ("email", "name", "password")


class InvitePreview(Schema):
    """The invitation behind a link."""

    workspace_name = ma.fields.String(required=True, metadata={"example": "Acme"})
    role = ma.fields.String(required=True, validate=ma.validate.OneOf(ROLES))
    inviter = ma.fields.String(required=True, metadata={"example": "Olga"})
    email = ma.fields.String(required=True, allow_none=True, metadata={"example": "mia@example.org"})
    expires_at = Timestamp(required=True)


class InviteAccepted(Schema):
    """The person who joined, and the workspace with their role in it."""

    user = ma.fields.Nested(UserRecord, required=True)
    workspace = ma.fields.Nested(WorkspaceRecord, required=True)


def state(invite: Invite, now: datetime) -> str:
    """Returns one of `STATES`. Expiry is computed and causes no event."""
    if invite.accepted_at is not None:
        return "accepted"
    return "pending" if invite.expires_at > now else "expired"
