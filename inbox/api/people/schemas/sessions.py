"""Bodies and answers of the caller's account: changes, password, sessions.

Specification 11.9.
"""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Flag, Line, Schema, Timestamp, TypeId
from inbox.api.http.schemas.windows import TimeZone
from inbox.api.people.schemas.accounts import Locale
from inbox.domain.people import passwords


def _password(**more: Any) -> ma.fields.String:
    about = {"format": "password", "example": "a-long-phrase-of-your-own", **more.pop("metadata", {})}
    return ma.fields.String(
        load_only=True, validate=ma.validate.Length(1, passwords.MAX_LENGTH), metadata=about, **more
    )


class MeChange(Schema):
    """The fields that people can change in their account."""

    name = Line(100, metadata={"example": "Olga"})
    timezone = TimeZone()
    locale = Locale()


class PasswordChange(Schema):
    """A new password. The present one may prove the change."""

    current_password = _password(metadata={"description": "Compared when it is given."})
    new_password = _password(
        required=True,
        metadata={
            "description": f"{passwords.MIN_LENGTH} to {passwords.MAX_LENGTH} characters, not one of the commonest."
        },
    )


class SessionRecord(Schema):
    """A browser with a session."""

    id = TypeId("ses", required=True)
    created_at = Timestamp(required=True)
    last_seen_at = Timestamp(required=True)
    proved_at = Timestamp(
        required=True,
        allow_none=True,
        metadata={"description": "The last proof; null where a trusted browser skipped the second factor."},
    )
    address = ma.fields.String(required=True, metadata={"example": "203.0.113.9"})
    user_agent = ma.fields.String(required=True, metadata={"example": "Mozilla/5.0"})
    current = Flag(required=True, metadata={"description": "Whether it is the one that asks."})


class TrustedBrowserRecord(Schema):
    """A browser in which the sign-in skips the second factor."""

    id = TypeId("tbr", required=True)
    created_at = Timestamp(required=True)
    expires_at = Timestamp(required=True)
    last_used_at = Timestamp(required=True, allow_none=True, metadata={"description": "The last such sign-in."})
    user_agent = ma.fields.String(required=True, metadata={"example": "Mozilla/5.0"})
    current = Flag(required=True, metadata={"description": "Whether it is the one that asks."})


SessionsQuery = page_query("Sessions", ("lastSeen", "created"))
SessionsPage = page_of(SessionRecord, "Session")
TrustedBrowsersQuery = page_query("TrustedBrowsers", ("created",))
TrustedBrowsersPage = page_of(TrustedBrowserRecord, "TrustedBrowser")
