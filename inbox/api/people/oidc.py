"""Sign-in through an identity provider: list, start, callback (specification 11.7)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import structlog
from flask import Response, make_response, request

from inbox.api.http import cookies
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.connections import borrowed
from inbox.api.http.errors import ENDED
from inbox.api.http.policy import NONE, RECENT, SESSION, USER, WINDOWS, EndpointPolicy, StepUp
from inbox.api.people.schemas.oidc import OidcStart, OidcStarted, ProvidersPage
from inbox.api.people.session_cookie import PENDING_COOKIE, PENDING_PATH, client, set_session
from inbox.config import settings
from inbox.domain.values.refusals import RateLimited, ReauthRequired, Unauthenticated
from inbox.identity import oidc
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.oidc import ProviderIdentity
from inbox.services.people import identities, sessions, signin
from inbox.services.people.accounts import SIGN_IN_PAGE
from inbox.services.people.identities import Intent, LinkRequired, Purpose
from inbox.services.people.sessions import SignedIn
from inbox.services.people.signin import Challenge

log = structlog.get_logger("inbox.oidc")

blp = Blueprint(
    "oidc", __name__, url_prefix="/v1", description="Signing in through identity providers.", section="11.7"
)

COOKIE = "inbox_oidc"
CALLBACK = [
    {"in": "query", "name": name, "description": description, "schema": {"type": "string"}}
    for name, description in (
        ("state", "The state that `start` gave the provider."),
        ("code", "The authorization code."),
        ("error", "Instead of `code`: the error of the provider."),
        ("iss", "The issuer (RFC 9207)."),
    )
]
"""The parameters of a provider's response (RFC 6749). Further parameters, which some providers add, are ignored."""


@blp.route("/auth/providers", methods=["GET"], endpoint="providers")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, ProvidersPage)
def providers() -> dict[str, Any]:
    """List the identity providers

    Public. Empty where none is configured.
    """
    chosen = settings.current().oidc_providers
    return {"items": list(chosen), "next_cursor": None, "partial": False, "total": len(chosen)}


@blp.route("/auth/oidc/<provider_id>/start", methods=["POST"], endpoint="start")
@EndpointPolicy(NONE, workspace_from="none", database=False, optional_credential=SESSION)
@blp.arguments(OidcStart, required=False)
@blp.response(200, OidcStarted)
@blp.refuses("unavailable", "rate_limited", "unauthenticated", "reauth_required")
def start(fields: dict[str, Any], provider_id: str) -> Response:
    """Start identity provider sign-in

    Sets a cookie for ten minutes that binds the provider's answer to this browser, which then opens `authorizeUrl`.
    With the purpose `step-up` the signed-in person proves the identity again. That is refused in a session whose sign-in
    skipped the second factor. With `link`, which requires a recent
    proof, the identity becomes another way to sign in to the account.
    """
    now = datetime.now(UTC)
    with borrowed():
        _count("oidc-start", now)
        intent = _intent(fields, now)
    begun = identities.start(provider_id, intent, now)
    answer = make_response(OidcStarted().dump({"authorize_url": begun.authorize_url}))
    cookies.set_cookie(answer, COOKIE, begun.cookie, oidc.LIFETIME, path=identities.callback_path(provider_id))
    return answer


@blp.route("/auth/oidc/<provider_id>/callback", methods=["GET"], endpoint="callback")
@EndpointPolicy(NONE, workspace_from="none", database=False, optional_credential=SESSION, own_address=True)
@blp.doc(parameters=CALLBACK)
@blp.response(303)
def callback(provider_id: str) -> Response:
    """Identity provider callback

    Always answers 303. A completed flow leads to the `returnTo` of the start, with the session's cookie. A required second
    factor leads to the sign-in page, with a challenge in the fragment. An error leads to the sign-in page with
    `?error=<code>`.
    """
    now = datetime.now(UTC)
    fault, why, ticket = Fault.FAILED, "", ""
    cookie = cookies.read(COOKIE, path=identities.callback_path(provider_id)) or None
    try:
        if cookie:
            with borrowed():
                _count("oidc-back", now)
        identified = identities.identify(provider_id, request.args.to_dict(), cookie, now)
        with borrowed():
            return _cleared(_started_by(identified, now), provider_id)
    except LinkRequired as refused:
        fault, ticket = refused.fault, refused.ticket
    except OidcRefused as refused:
        fault, why = refused.fault, refused.why
    except RateLimited:
        fault = Fault.OFTEN
    except ENDED as gone:
        fault, why = Fault.AWAY, type(gone).__name__
    except Exception as crash:  # a person's browser waits for this answer, and only a redirect is useful to it
        log.error("callback failed", exc_info=crash)
    log.info("not signed in through a provider", fault=str(fault), why=why)
    answer = _redirect(f"{SIGN_IN_PAGE}?error={fault}")
    if ticket:
        cookies.set_cookie(answer, PENDING_COOKIE, ticket, oidc.LIFETIME, path=PENDING_PATH)
    # A response to another sign-in must not end the sign-in of this browser.
    return answer if fault in (Fault.MISMATCH, Fault.OFTEN) else _cleared(answer, provider_id)


@blp.route("/me/identities/<provider_id>", methods=["DELETE"], endpoint="unlink")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none")
@blp.response(204)
@blp.refuses("conflict")
def unlink(provider_id: str) -> tuple[str, int]:
    """Unlink an identity provider

    409 where the account would have no way to sign in.
    """
    identities.unlink(caller().user_id, provider_id, datetime.now(UTC))
    return "", 204


def _count(door: str, now: datetime) -> None:
    """Limits the calls of a client that contact the provider. Both views call it. Raises `RateLimited`."""
    signin.throttle_address(door, request.remote_addr or "", now)


def _intent(fields: dict[str, Any], now: datetime) -> Intent:
    """Returns the purpose of the flow and its person. Raises `Unauthenticated` and `ReauthRequired`."""
    if fields["purpose"] is Purpose.SIGN_IN:
        return Intent(Purpose.SIGN_IN, fields["return_to"])
    who = _session(now)
    if who is None:
        raise Unauthenticated("Sign in first.")
    is_stale = now - who.proved_at > WINDOWS[StepUp.RECENT]
    if who.needs_second_factor or (fields["purpose"] is Purpose.LINK and is_stale):
        raise ReauthRequired(extra={"factors": list(who.factors)})
    return Intent(fields["purpose"], fields["return_to"], who.session_id)


def _started_by(identified: ProviderIdentity, now: datetime) -> Response:
    """Completes the flow that the browser started. Raises `OidcRefused`."""
    intent = Intent.read(identified.intent)
    if intent.purpose is Purpose.SIGN_IN:
        return _signed_in(identified, intent, now)
    who = _session(now)
    if who is None or who.session_id != intent.session_id:
        raise OidcRefused(Fault.NO_SESSION)
    if who.needs_second_factor:
        raise OidcRefused(Fault.UNPROVED, "the session needs a second factor")
    if intent.purpose is Purpose.STEP_UP:
        identities.step_up(identified, who.session_id, who.user_id, now)
    else:
        identities.link(identified, who.user_id, now)
    return _redirect(intent.return_to)


def _signed_in(identified: ProviderIdentity, intent: Intent, now: datetime) -> Response:
    entered = identities.sign_in(identified, now, visitor=client())
    if isinstance(entered, Challenge):
        challenge = {"challenge": entered.challenge, "factors": ",".join(entered.factors), "returnTo": intent.return_to}
        return _redirect(f"{SIGN_IN_PAGE}#{urlencode(challenge)}")
    answer = _redirect(intent.return_to)
    set_session(answer, entered)
    return answer


def _session(now: datetime) -> SignedIn | None:
    """Returns the session of this browser."""
    token = client().token
    return sessions.find(token, now) if token else None


def _redirect(path: str) -> Response:
    """Redirects to a page of the dashboard below the base URL, whatever host the request names."""
    return Response(status=303, headers={"Location": settings.current().base_url + path})


def _cleared(answer: Response, provider_id: str) -> Response:
    if any(each.id == provider_id for each in settings.current().oidc_providers):
        cookies.delete_cookie(answer, COOKIE, path=identities.callback_path(provider_id))
    return answer
