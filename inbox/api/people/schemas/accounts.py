"""Bodies and answers of accounts: sign-in, step-up, set-up, the caller's own account."""

from __future__ import annotations

import re
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import Flag, Line, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.http.schemas.windows import TimeZone
from inbox.domain.people import passwords

_EMAIL = re.compile(r"[^\s@<>(),;:\\\"\[\]]{1,64}@[^\s@<>(),;:\\\"\[\]]{1,189}")


class Email(ma.fields.String):
    """An email address, checked loosely: one `@` with text on both sides. Only a mail shows whether it works."""

    def __init__(self, **kwargs: Any) -> None:
        about = {"format": "email", "maxLength": 254, "example": "olga@example.org"}
        super().__init__(**{**kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip()
        if _EMAIL.fullmatch(text) is None or not text.isprintable():
            raise ma.ValidationError("Not an email address.")
        return text


_LOCALE = r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2}|-[0-9]{3})?"


class Locale(ma.fields.String):
    """A language tag."""

    def __init__(self, **kwargs: Any) -> None:
        language_tag = ma.validate.Regexp(_LOCALE + r"\Z", error="Not a language tag, such as en or pt-BR.")
        super().__init__(**{**kwargs, "validate": language_tag, "metadata": {"example": "en"}})


def _password(description: str) -> ma.fields.String:
    return ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Length(1, passwords.MAX_LENGTH),
        metadata={"description": description, "format": "password", "example": "a-long-phrase-of-your-own"},
    )


class UserRecord(Schema):
    """A person with an account."""

    id = TypeId("usr", required=True)
    email = ma.fields.String(required=True, metadata={"example": "olga@example.org"})
    name = ma.fields.String(required=True, metadata={"example": "Olga"})
    timezone = ma.fields.String(required=True, metadata={"example": "Europe/Berlin"})
    locale = ma.fields.String(required=True, metadata={"example": "en"})
    is_instance_admin = Flag(required=True)
    created_at = Timestamp(required=True)
    rev = StrictInteger(required=True, metadata={"example": 1})


class StepUpTimes(Schema):
    """The end of the last proof's validity for each kind of step-up (`x-step-up` in the document)."""

    recent = Timestamp(required=True)
    reauth = Timestamp(required=True)


class MeRecord(UserRecord):
    """The caller's own account, and this session or device."""

    session_id = TypeId("ses", required=True, allow_none=True, metadata={"description": "Null for a device."})
    device_id = TypeId("dev", required=True, allow_none=True, metadata={"description": "Null for a session."})
    proved_at = Timestamp(
        required=True,
        allow_none=True,
        metadata={
            "description": "The last proof in this session; null for a device, and after a sign-in in a trusted browser."
        },
    )
    step_up_until = ma.fields.Nested(StepUpTimes, required=True, allow_none=True)
    factors = ma.fields.List(
        ma.fields.String(metadata={"example": "password"}),
        required=True,
        metadata={"description": "What the account can prove in a step-up; empty for a device."},
    )
    has_second_factor = Flag(required=True)


class Login(Schema):
    """The credentials of a sign-in with a password."""

    email = ma.fields.String(
        required=True, validate=ma.validate.Length(1, 254), metadata={"example": "olga@example.org"}
    )
    password = _password("The account's password.")


class PasswordCheck(Schema):
    """A password before it is chosen, and the address of its account."""

    password = _password("The new password.")
    email = ma.fields.String(
        load_default="", validate=ma.validate.Length(0, 254), metadata={"example": "olga@example.org"}
    )


class PasswordChecked(Schema):
    """The result of a password check."""

    accepted = ma.fields.Boolean(required=True, attribute="is_accepted")
    detail = ma.fields.String(required=True, allow_none=True, metadata={"description": "Why not; null: it does."})


class SignedIn(Schema):
    """The person who is signed in. The session is in the cookie."""

    user = ma.fields.Nested(UserRecord, required=True)


class FirstSource(Schema):
    """The first source."""

    name = Line(100, required=True, metadata={"example": "Prometheus"})


class FirstSourceRecord(Schema):
    """The first source after its creation."""

    id = TypeId("src", required=True)
    name = ma.fields.String(required=True)


class FirstKey(Schema):
    """The key of the first source."""

    secret = ma.fields.String(required=True, metadata={"description": "Shown this once.", "example": "svc_src_…"})


class Setup(Schema):
    """The first account and its workspace."""

    token = ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Length(1, 256),
        metadata={
            "description": "The token of the set-up link.",
            "example": "a8Jk0mC3f6o9i2l5u8x1b4e7h0k3n6q9t2w5z8c1f4i",
        },
    )
    email = Email(required=True)
    password = _password(f"{passwords.MIN_LENGTH} to {passwords.MAX_LENGTH} characters, not one of the commonest.")
    name = Line(100, required=True, metadata={"example": "Olga"})
    workspace_name = Line(100, required=True, metadata={"example": "Acme"})
    timezone = TimeZone(load_default="UTC", metadata={"description": "Of the person and of the workspace."})
    locale = Locale(load_default="en")
    first_source = ma.fields.Nested(
        FirstSource, metadata={"description": "Makes a source with a key, which the answer shows once."}
    )


class SetupDone(SignedIn):
    """The person who is signed in, and the first workspace.

    `source` and `key` are absent unless `firstSource` was sent.
    """

    workspace_id = TypeId("wsp", required=True)
    source = ma.fields.Nested(FirstSourceRecord)
    key = ma.fields.Nested(FirstKey)


class ClosingWorkspace(Schema):
    """A workspace that prevents closing the account."""

    id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Acme"})
    reason = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(["workspace_needs_owner"]),
        metadata={"description": "It has other members and no other owner: make somebody an owner first."},
    )


class ClosingRecord(Schema):
    """The reasons that prevent closing the account."""

    workspaces = ma.fields.List(ma.fields.Nested(ClosingWorkspace), required=True)
    is_last_administrator = Flag(
        required=True, metadata={"description": "Whether the instance has no other administrator."}
    )
