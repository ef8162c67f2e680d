"""Authentication factors of the caller's account: authenticator app, recovery codes, passkeys (specification 11.4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.policy import RECENT, SESSION, USER, EndpointPolicy
from inbox.api.people.schemas.factors import (
    AppConfirmRequest,
    AppCreated,
    FactorsRecord,
    PasskeyCreated,
    PasskeyOptions,
    PasskeyRequest,
    RecoveryCodes,
)
from inbox.identity import qr
from inbox.models.people.factors import Passkey
from inbox.services.people import factors
from inbox.services.people.factors import Overview

blp = Blueprint(
    "factors",
    __name__,
    url_prefix="/v1/me",
    description="Second factors and identities of your account.",
    section="11.4",
)


@blp.route("/factors", methods=["GET"], endpoint="read")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.response(200, FactorsRecord)
def read() -> Overview:
    """List authentication factors

    An account with a second factor (authenticator app, passkey) needs it at every sign-in with the password.
    """
    return factors.overview(caller().user_id)


@blp.route("/totp", methods=["POST"], endpoint="begin_totp")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.response(200, AppCreated)
@blp.refuses("conflict")
def begin_totp() -> dict[str, Any]:
    """Start authenticator app setup

    The secret is answered once. It becomes valid when a code of the app is confirmed. A new start replaces it.
    """
    secret, url = factors.begin_app(caller().user_id, datetime.now(UTC))
    return {"secret": secret, "otpauth_url": url, "qr_svg": qr.svg(url)}


@blp.route("/totp/confirm", methods=["POST"], endpoint="confirm_totp")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.arguments(AppConfirmRequest)
@blp.response(200, RecoveryCodes)
@blp.refuses("conflict")
def confirm_totp(fields: dict[str, Any]) -> dict[str, Any]:
    """Confirm the authenticator app

    Answers ten recovery codes once. They replace earlier ones.
    """
    return {"recovery_codes": factors.confirm_app(caller().user_id, fields["code"], datetime.now(UTC))}


@blp.route("/totp", methods=["DELETE"], endpoint="remove_totp")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.response(204)
@blp.refuses("not_found")
def remove_totp() -> None:
    """Remove the authenticator app

    Removes the recovery codes as well, unless a passkey remains.
    """
    factors.remove_app(caller().user_id, datetime.now(UTC))


@blp.route("/passkeys/options", methods=["POST"], endpoint="passkey_options")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.response(200, PasskeyOptions)
@blp.refuses("not_found")
def passkey_options() -> dict[str, Any]:
    """Start passkey registration

    404 where `auth.passkey` is not listed.
    """
    who = caller()
    challenge, options = factors.passkey_options(who.user_id, who.session_id, datetime.now(UTC))
    return {"challenge": challenge, "options": options}


@blp.route("/passkeys", methods=["POST"], endpoint="add_passkey")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.arguments(PasskeyRequest)
@blp.response(201, PasskeyCreated)
@blp.refuses("conflict")
def add_passkey(fields: dict[str, Any]) -> tuple[Passkey, int, dict[str, str]]:
    """Add a passkey

    The account's first second factor also answers recovery codes, once.
    """
    who = caller()
    passkey, codes = factors.add_passkey(
        who.user_id, who.session_id, fields["name"], fields["challenge"], fields["credential"], datetime.now(UTC)
    )
    passkey.recovery_codes = codes
    return passkey, 201, {"Location": url_for("factors.read")}


@blp.route("/passkeys/<typeid(psk):passkey_id>", methods=["DELETE"], endpoint="remove_passkey")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.response(204)
@blp.refuses("conflict")
def remove_passkey(passkey_id: UUID) -> None:
    """Remove a passkey

    409 when it is the account's only way to sign in.
    """
    factors.remove_passkey(caller().user_id, passkey_id, datetime.now(UTC))


@blp.route("/recovery-codes", methods=["POST"], endpoint="replace_recovery_codes")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.response(200, RecoveryCodes)
@blp.refuses("conflict")
def replace_recovery_codes() -> dict[str, Any]:
    """Replace your recovery codes

    Earlier codes are invalid from then on.
    """
    return {"recovery_codes": factors.replace_recovery_codes(caller().user_id, datetime.now(UTC))}
