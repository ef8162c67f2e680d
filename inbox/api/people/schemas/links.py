"""Bodies and answers of account links: a new password, a new address, a new account."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import Flag, Line, Schema
from inbox.api.http.schemas.windows import TimeZone
from inbox.api.people.schemas.accounts import Email, Locale
from inbox.domain.people import passwords


def _password() -> ma.fields.String:
    rules = f"{passwords.MIN_LENGTH} to {passwords.MAX_LENGTH} characters, not one of the commonest."
    return ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Length(1, passwords.MAX_LENGTH),
        metadata={"description": rules, "format": "password", "example": "a-long-phrase-of-your-own"},
    )


class Token(ma.fields.Raw):
    """The token of a link. Any invalid or missing token gets the same refusal (specification 11.8)."""

    def __init__(self, **kwargs: Any) -> None:
        about = {
            "description": "The token of the link.",
            "example": "a8Jk0mC3f6o9i2l5u8x1b4e7h0k3n6q9t2w5z8c1f4i",
        }
        super().__init__(**{"load_default": None, "load_only": True, **kwargs, "metadata": about})


class PasswordResetRequest(Schema):
    """The address of a person who forgot their password."""

    email = Email(required=True)


class PasswordResetConfirm(Schema):
    """The token of the mailed link, and the new password."""

    token = Token()
    password = _password()


class EmailChangeRequest(Schema):
    """The caller's new address."""

    new_email = Email(required=True)


class LinkToken(Schema):
    """The token of the mailed link."""

    token = Token()


class SignUp(Schema):
    """The account that a person requests."""

    email = Email(required=True)
    password = _password()
    name = Line(100, required=True, metadata={"example": "Olga"})
    timezone = TimeZone(load_default="UTC")
    locale = Locale(load_default="en")


class LinkRequested(Schema):
    """The same answer for everybody: a link is sent if the address has an account."""

    status = ma.fields.String(required=True, validate=ma.validate.OneOf(["accepted"]))


class Verified(Schema):
    """The result of a confirmation. The person signs in next; without a password they request a new one first."""

    email = ma.fields.String(required=True, metadata={"example": "olga@example.org"})
    has_password = Flag(required=True)
