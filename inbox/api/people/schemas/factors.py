"""Bodies and answers of proofs: the second step of a sign-in, step-up, and the factors of an account.

Specification 11.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import Flag, Line, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.people.schemas.accounts import UserRecord
from inbox.domain.people import passwords
from inbox.domain.values.ids import Prefix
from inbox.identity import passkeys
from inbox.services.people.authentication_factors import Factor, FactorProof

LONGEST_CHALLENGE = 4_000
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    Factor.PASSWORD: ("password",),
    Factor.TOTP: ("code",),
    Factor.RECOVERY_CODE: ("code",),
    Factor.PASSKEY: ("challenge", "credential"),
}
_ABOUT = {
    Factor.PASSWORD: "`password` with `password`",
    Factor.TOTP: "`totp` with the app's `code`",
    Factor.RECOVERY_CODE: "`recovery_code` with one as `code`",
    Factor.PASSKEY: "`passkey` with the `credential` that the browser made of the options",
}


def _challenge(**more: Any) -> ma.fields.String:
    return ma.fields.String(
        validate=ma.validate.Length(1, LONGEST_CHALLENGE),
        metadata={"description": "As it was answered; for five minutes, once.", "example": "eyJ2Ijp7fX0.c2lnbmF0dXJl"},
        **more,
    )


def _code() -> ma.fields.String:
    return ma.fields.String(
        load_only=True,
        validate=ma.validate.Length(1, 64),
        metadata={"description": "The app's six digits, or a recovery code.", "example": "492039"},
    )


def _credential(**more: Any) -> ma.fields.Dict:
    return ma.fields.Dict(
        keys=ma.fields.String(),
        validate=_small_enough,
        metadata={
            "description": "What `navigator.credentials` gave, as JSON (`toJSON()`).",
            "example": {"id": "AbCd", "rawId": "AbCd", "type": "public-key", "response": {}},
        },
        **more,
    )


def _small_enough(credential: Mapping[str, Any]) -> None:
    if fault := passkeys.fault_of_size(credential):
        raise ma.ValidationError(fault)


def _factor(*allowed: Factor) -> ma.fields.String:
    return ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in allowed]),
        metadata={"description": "; ".join(_ABOUT[each] for each in allowed) + "."},
    )


class _Proving(Schema):
    """A body with a proof. `factor` decides which of the other fields are required."""

    @ma.validates_schema(skip_on_field_errors=False, pass_original=True)
    def _complete(self, fields: Mapping[str, Any], sent: Mapping[str, Any], **_: object) -> None:
        missing = [name for name in _REQUIRED.get(fields.get("factor", ""), ()) if name not in sent]
        if missing:
            raise ma.ValidationError({name: ["Missing data for required field."] for name in missing})


class SecondFactorRequest(_Proving):
    """The second proof of a sign-in."""

    challenge = _challenge(required=True)
    factor = _factor(Factor.TOTP, Factor.RECOVERY_CODE, Factor.PASSKEY)
    code = _code()
    credential = _credential()
    remember_browser = Flag(
        load_default=False,
        metadata={
            "description": "Sign-ins in this browser skip the second factor for 30 days. Not with a recovery code.",
        },
    )


class ChallengeResponse(Schema):
    """A challenge for which options are requested."""

    challenge = _challenge(required=True)


class PasskeySignInRequest(Schema):
    """A passkey that alone signs its owner in."""

    challenge = _challenge(required=True)
    credential = _credential(required=True)


class StepUpRequest(_Proving):
    """A new proof of the caller's identity."""

    factor = _factor(*Factor)
    password = ma.fields.String(
        load_only=True,
        validate=ma.validate.Length(1, passwords.MAX_LENGTH),
        metadata={
            "description": "The account's password.",
            "format": "password",
            "example": "a-long-phrase-of-your-own",
        },
    )
    code = _code()
    challenge = _challenge()
    credential = _credential()


class LoginResponse(Schema):
    """The person who is signed in, or the factors that are still required."""

    user = ma.fields.Nested(
        UserRecord, metadata={"description": "When the sign-in is done; the session is in the cookie."}
    )
    mfa_required = Flag(metadata={"description": "`true`: a second proof is wanted, one of `factors`."})
    challenge = _challenge()
    factors = ma.fields.List(
        ma.fields.String(metadata={"example": "totp"}),
        metadata={"description": "Of `totp`, `passkey`, `recovery_code`: what this account has."},
    )


class PasskeyOptions(Schema):
    """The options with which a browser requests a passkey."""

    challenge = _challenge(required=True)
    options = ma.fields.Dict(
        keys=ma.fields.String(),
        required=True,
        metadata={
            "description": "For `navigator.credentials`: `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.",
            "example": {"rpId": "inbox.example.org", "challenge": "AbCd"},
        },
    )


class AppCreated(Schema):
    """The secret of an authenticator app, shown once."""

    secret = ma.fields.String(required=True, metadata={"example": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"})
    otpauth_url = ma.fields.String(required=True, metadata={"example": "otpauth://totp/Inbox:olga%40example.org"})
    qr_svg = ma.fields.String(
        required=True, metadata={"description": "`otpauthUrl` as a QR code.", "example": "<svg/>"}
    )


class AppConfirmRequest(Schema):
    """A code of the app to confirm."""

    code = ma.fields.String(
        required=True, load_only=True, validate=ma.validate.Length(1, 64), metadata={"example": "492039"}
    )


class RecoveryCodes(Schema):
    """Codes that each replace a lost app or passkey once. They are shown once."""

    recovery_codes = ma.fields.List(ma.fields.String(metadata={"example": "0abc-1def-2ghj-3kmn"}), required=True)


class PasskeyRequest(Schema):
    """A passkey that the browser has created."""

    challenge = _challenge(required=True)
    name = Line(100, load_default="Passkey", metadata={"example": "Olga's laptop"})
    credential = _credential(required=True)


class PasskeyRecord(Schema):
    """A passkey of the account."""

    id = TypeId(Prefix.PASSKEY, required=True)
    name = ma.fields.String(required=True, metadata={"example": "Olga's laptop"})
    created_at = Timestamp(required=True)
    last_used_at = Timestamp(required=True, allow_none=True)


class PasskeyCreated(PasskeyRecord):
    """A new passkey."""

    recovery_codes = ma.fields.List(
        ma.fields.String(metadata={"example": "0abc-1def-2ghj-3kmn"}),
        required=True,
        allow_none=True,
        metadata={"description": "With the first second factor of an account; shown this once."},
    )


class AppRecord(Schema):
    """The authenticator app."""

    confirmed_at = Timestamp(required=True)


class IdentityRecord(Schema):
    """An identity at a provider that is linked with this person."""

    provider = ma.fields.String(required=True, metadata={"example": "acme"})
    email = ma.fields.String(required=True, allow_none=True, metadata={"example": "olga@example.org"})
    created_at = Timestamp(required=True)
    last_used_at = Timestamp(required=True, allow_none=True)


class FactorsRecord(Schema):
    """The factors of the account."""

    has_password = Flag(required=True)
    totp = ma.fields.Nested(AppRecord, required=True, allow_none=True)
    passkeys = ma.fields.List(ma.fields.Nested(PasskeyRecord), required=True)
    identities = ma.fields.List(ma.fields.Nested(IdentityRecord), required=True)
    recovery_codes_left = StrictInteger(required=True)
    second_factor = Flag(required=True, metadata={"description": "Whether sign-in asks for more than the password."})


def proof_of(fields: Mapping[str, Any]) -> FactorProof:
    """Returns the proof of a body."""
    return FactorProof(
        Factor(fields["factor"]), fields.get("password", ""), fields.get("code", ""), fields.get("credential", {})
    )
