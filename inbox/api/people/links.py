"""Account flows by mailed links. Each requires its capability of the instance (specification 11.8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from flask import request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.connections import borrowed
from inbox.api.http.policy import NONE, RECENT, USER, EndpointPolicy
from inbox.api.people.schemas.links import (
    EmailChangeRequest,
    LinkRequested,
    LinkToken,
    PasswordResetConfirm,
    PasswordResetRequest,
    SignUp,
    Verified,
)
from inbox.services.instance import capabilities
from inbox.services.people import accounts

blp = Blueprint(
    "links",
    __name__,
    url_prefix="/v1",
    description="Password reset, email change and sign-up by mailed links.",
    section="11.8",
)

ACCEPTED = {"status": "accepted"}


def _where(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Answers 404 without these capabilities, whatever is sent."""

    def guarding(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            capabilities.require(*names)
            return view(*args, **kwargs)

        return guarded

    return guarding


def _in_constant_time(seconds: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Sends the answer a fixed time after the request, so that its time does not show what was done.

    The work takes less time than that. The view waits without a database connection, because the policy of these views
    requires none.
    """

    def guarding(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            until = time.monotonic() + seconds
            with borrowed():
                answer = view(*args, **kwargs)
            time.sleep(max(0.0, until - time.monotonic()))
            return answer

        return guarded

    return guarding


@blp.route("/auth/password-reset", methods=["POST"], endpoint="request_password_reset")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@_where("auth.password_reset")
@blp.arguments(PasswordResetRequest)
@blp.response(202, LinkRequested)
@blp.refuses("not_found", "rate_limited", "unavailable")
@_in_constant_time(0.05)
def request_password_reset(fields: dict[str, Any]) -> dict[str, str]:
    """Request a password reset

    The answer is the same whether the address has an account or not. The link is valid once, for 30 minutes; a newer
    link replaces it. Requires the capability `auth.password_reset`.
    """
    accounts.request_password_reset(fields["email"], datetime.now(UTC), address=_address())
    return ACCEPTED


@blp.route("/auth/password-reset/confirm", methods=["POST"], endpoint="reset")
@EndpointPolicy(NONE, workspace_from="none")
@_where("auth.password_reset")
@blp.arguments(PasswordResetConfirm)
@blp.response(204)
@blp.refuses("token_invalid", "not_found", "rate_limited")
def reset(fields: dict[str, Any]) -> tuple[str, int]:
    """Reset a password

    Ends all sessions and devices of the account. It signs nobody in: the next sign-in still requires a second factor. If
    the address was never confirmed, passkeys, identities and linked chat accounts are deleted. A refused password leaves
    the link valid. Requires the capability `auth.password_reset`.
    """
    accounts.reset(fields["token"], fields["password"], datetime.now(UTC), address=_address())
    return "", 204


@blp.route("/me/email-change", methods=["POST"], endpoint="request_email_change")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@_where("mail")
@blp.arguments(EmailChangeRequest)
@blp.response(202, LinkRequested)
@blp.refuses("not_found")
def request_email_change(fields: dict[str, Any]) -> dict[str, str]:
    """Request an email change

    Mails a link to the new address, unless another account has it, and a notice to the old one. The answer is the same.
    The link is valid once, for an hour. Requires the capability `mail`.
    """
    accounts.request_email_change(caller().user_id, fields["new_email"], datetime.now(UTC), address=_address())
    return ACCEPTED


@blp.route("/auth/email-change/confirm", methods=["POST"], endpoint="change_email")
@EndpointPolicy(NONE, workspace_from="none")
@_where("mail")
@blp.arguments(LinkToken)
@blp.response(204)
@blp.refuses("token_invalid", "not_found", "rate_limited")
def change_email(fields: dict[str, Any]) -> tuple[str, int]:
    """Confirm an email change

    Ends the links that were mailed to the old address. Requires the capability `mail`.
    """
    accounts.change_email(fields["token"], datetime.now(UTC), address=_address())
    return "", 204


@blp.route("/auth/signup", methods=["POST"], endpoint="sign_up")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@_where("auth.signup")
@blp.arguments(SignUp, cross_check=lambda fields: _check_password(fields))
@blp.response(202, LinkRequested)
@blp.refuses("not_found", "rate_limited", "unavailable")
@_in_constant_time(0.25)
def sign_up(fields: dict[str, Any]) -> dict[str, str]:
    """Sign up

    Mails a link to the address, valid once, for 24 hours. Opening it creates the account. The answer is the same
    whether the address has an account or not. Requires the capability `auth.signup`.
    """
    accounts.sign_up(accounts.SignUp(**fields), datetime.now(UTC), address=_address())
    return ACCEPTED


@blp.route("/auth/verify-email", methods=["POST"], endpoint="verify_email")
@EndpointPolicy(NONE, workspace_from="none")
@_where("auth.signup", "mail")
@blp.arguments(LinkToken)
@blp.response(200, Verified)
@blp.refuses("token_invalid", "not_found", "rate_limited")
def verify_email(fields: dict[str, Any]) -> dict[str, Any]:
    """Verify an email address

    It signs nobody in. `hasPassword` is false where two passwords were chosen before the address was confirmed. Its
    owner then chooses one by `POST /v1/auth/password-reset`. Requires the capabilities `auth.signup` and `mail`.
    """
    user = accounts.verify_email(fields["token"], datetime.now(UTC), address=_address())
    return {"email": user.email, "has_password": user.password_hash is not None}


def _check_password(fields: Mapping[str, Any]) -> None:
    if "password" in fields:
        accounts.check_password(fields["password"], fields.get("email", ""))


def _address() -> str:
    return request.remote_addr or ""
