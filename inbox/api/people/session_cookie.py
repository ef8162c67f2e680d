"""The entrance: who comes in by which browser, and the answer that gives somebody a session (specification 11.3)."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Response, make_response, request

from inbox.api.http import cookies
from inbox.api.http.callers import LONGEST_TOKEN, set_session_cookie
from inbox.api.people.schemas.accounts import SignedIn
from inbox.services.people import identities, trusted_browsers
from inbox.services.people.sessions import Client
from inbox.services.people.signin import SignInResult

PENDING_COOKIE, PENDING_PATH = "inbox_link", "/v1/auth"
"""Holds the identity of a provider that is to be linked with the account that this browser signs in to next."""


def client() -> Client:
    """The browser that sends this request; the session that it has until now ends when it signs in."""
    return Client(
        address=request.remote_addr or "",
        user_agent=request.headers.get("User-Agent", ""),
        token=_token(cookies.SESSION),
        browser=cookies.browser_token(),
        trusted_token=_token(cookies.TRUSTED),
    )


def signed_in_response(entered: SignInResult, status: int = 200) -> Response:
    """Who is signed in now, with the cookie of their session, and that of a browser which the account trusts now."""
    answer = make_response(SignedIn().dump({"user": entered.user}), status)
    set_session(answer, entered)
    if entered.trusted_token:
        cookies.set_cookie(answer, cookies.TRUSTED, entered.trusted_token, trusted_browsers.LIFETIME)
    return answer


def set_session(answer: Response, entered: SignInResult) -> None:
    """Give the browser its session; what it was about to link with this account is linked (specification 11.7).

    A sign-in that is no proof links nothing. The identity waits for one that is, until it expires.
    """
    begin_session(answer, entered.token)
    pending = cookies.read(PENDING_COOKIE, path=PENDING_PATH)
    if pending and entered.is_proof:
        identities.link_pending(entered.user, pending, datetime.now(UTC))
        cookies.delete_cookie(answer, PENDING_COOKIE, path=PENDING_PATH)


def begin_session(answer: Response, token: str) -> None:
    """Give the browser the session that it signed in to, and the cookie by which the account knows it again."""
    set_session_cookie(answer, token)
    cookies.set_browser(answer)


def _token(cookie: str) -> str:
    """The token in this cookie, or an empty text."""
    token = cookies.read(cookie)
    return token if len(token) <= LONGEST_TOKEN else ""
