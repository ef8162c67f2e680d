"""Sign-in, step-up and sign-out (specification 11.3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response, make_response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller, delete_session_cookie
from inbox.api.http.policy import NONE, SESSION, EndpointPolicy
from inbox.api.http.request_examples import RequestExample
from inbox.api.people.schemas.accounts import Login, PasswordCheck, PasswordChecked, SignedIn
from inbox.api.people.schemas.factors import (
    ChallengeResponse,
    LoginResponse,
    PasskeyOptions,
    PasskeySignInRequest,
    SecondFactorRequest,
    StepUpRequest,
    proof_of,
)
from inbox.api.people.session_cookie import client, signed_in_response
from inbox.services.people import passwords, sessions, signin, stepup
from inbox.services.people.signin import Challenge

blp = Blueprint(
    "auth", __name__, url_prefix="/v1/auth", description="Sign-in, sign-out and re-authentication.", section="11.3"
)


@blp.route("/login", methods=["POST"], endpoint="login")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(Login)
@blp.response(200, LoginResponse)
@blp.refuses("unauthenticated", "rate_limited")
def login(fields: dict[str, Any]) -> Response:
    """Sign in with a password

    Sets the session cookie. For an account with an authenticator app or passkeys it answers a challenge for `POST
    /v1/auth/login/factor` instead. A wrong address and a wrong password have the same answer. Ten attempts for an
    account and twenty from an address are allowed in five minutes. An account is never locked.
    """
    entered = signin.sign_in(fields["email"], fields["password"], datetime.now(UTC), client=client())
    if isinstance(entered, Challenge):
        challenge = {"mfa_required": True, "challenge": entered.challenge, "factors": entered.factors}
        return make_response(LoginResponse().dump(challenge))
    return signed_in_response(entered)


@blp.route("/login/options", methods=["POST"], endpoint="login_options")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(ChallengeResponse)
@blp.response(200, PasskeyOptions)
@blp.refuses("unauthenticated")
def login_options(fields: dict[str, Any]) -> dict[str, Any]:
    """Start the passkey second factor

    The options belong to the challenge that the sign-in answered.
    """
    options = signin.options(fields["challenge"], datetime.now(UTC))
    return {"challenge": fields["challenge"], "options": options}


@blp.route("/login/factor", methods=["POST"], endpoint="login_second_factor")
@EndpointPolicy(NONE, workspace_from="none")
@RequestExample(leave_out=("credential",))
@blp.arguments(SecondFactorRequest)
@blp.response(200, SignedIn)
@blp.refuses("unauthenticated", "rate_limited")
def login_factor(fields: dict[str, Any]) -> Response:
    """Sign in with a second factor

    A wrong proof and an invalid challenge have the same answer. Each code is accepted once. Ten wrong codes a day are
    allowed for an account. `rememberBrowser` sets a cookie with which sign-ins to this account skip the second factor.
    It lasts 30 days. Changes of the password or of a factor end it.
    """
    entered = signin.finish(
        fields["challenge"],
        proof_of(fields),
        datetime.now(UTC),
        client=client(),
        remember_browser=fields["remember_browser"],
    )
    return signed_in_response(entered)


@blp.route("/passkey/options", methods=["POST"], endpoint="passkey_options")
@EndpointPolicy(NONE, workspace_from="none")
@blp.response(200, PasskeyOptions)
@blp.refuses("not_found")
def passkey_options() -> dict[str, Any]:
    """Start passkey sign-in

    404 where `auth.passkey` is not listed.
    """
    challenge, options = signin.passkey_options(datetime.now(UTC))
    return {"challenge": challenge, "options": options}


@blp.route("/passkey", methods=["POST"], endpoint="passkey")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(PasskeySignInRequest)
@blp.response(200, SignedIn)
@blp.refuses("unauthenticated", "rate_limited")
def passkey(fields: dict[str, Any]) -> Response:
    """Sign in with a passkey

    The authenticator must have verified the person. No other factor is requested.
    """
    now = datetime.now(UTC)
    return signed_in_response(
        signin.sign_in_by_passkey(fields["challenge"], fields["credential"], now, client=client())
    )


@blp.route("/password-check", methods=["POST"], endpoint="check_password")
@EndpointPolicy(NONE, workspace_from="none", section="11.6")
@blp.arguments(PasswordCheck)
@blp.response(200, PasswordChecked)
@blp.refuses("rate_limited")
def check_password(fields: dict[str, Any]) -> dict[str, Any]:
    """Check a new password

    Public. Whether the service would accept it, before it is chosen. Nothing is stored. Sixty checks from an address are
    allowed in a minute.
    """
    address = request.remote_addr or ""
    detail = passwords.check(fields["password"], fields["email"], address=address, now=datetime.now(UTC))
    return {"is_accepted": detail is None, "detail": detail}


@blp.route("/logout", methods=["POST"], endpoint="logout")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.response(204)
def logout() -> Response:
    """Sign out

    Ends this session and its open streams at once.
    """
    sessions.end(caller().session_id, datetime.now(UTC))
    answer = make_response("", 204)
    delete_session_cookie(answer)
    return answer


@blp.route("/step-up/options", methods=["POST"], endpoint="step_up_options")
@EndpointPolicy(SESSION, workspace_from="none", section="11.5")
@blp.response(200, PasskeyOptions)
@blp.refuses("not_found")
def step_up_options() -> dict[str, Any]:
    """Start passkey re-authentication

    404 where the account has no passkey. The challenge is valid in this session only.
    """
    who = caller()
    challenge, options = stepup.passkey_options(who.user_id, who.session_id, datetime.now(UTC))
    return {"challenge": challenge, "options": options}


@blp.route("/step-up", methods=["POST"], endpoint="step_up")
@EndpointPolicy(SESSION, workspace_from="none", section="11.5")
@RequestExample(leave_out=("code", "challenge", "credential"))
@blp.arguments(StepUpRequest)
@blp.response(204)
@blp.refuses("reauth_required")
def step_up(fields: dict[str, Any]) -> tuple[str, int]:
    """Re-authenticate (step-up)

    Changes of memberships require a proof of the last 15 minutes, deletions and exports one of the last 5. Signing in
    counts as a proof. A wrong proof leaves the session unchanged. An identity provider has a separate browser flow.
    """
    who = caller()
    stepup.prove(
        stepup.StepUpRequest(who.user_id, who.session_id, who.factors, request.remote_addr or ""),
        proof_of(fields),
        datetime.now(UTC),
        challenge=fields.get("challenge", ""),
    )
    return "", 204
