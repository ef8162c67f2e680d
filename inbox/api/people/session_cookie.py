"""Reads and sets the session cookie (specification 11.3)."""

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
"""Holds the identity of a provider until the next sign-in of this browser, which links it with the account."""


def client() -> Client:
    """Returns the browser of this request. Its present session ends when it signs in."""
    return Client(
        address=request.remote_addr or "",
        user_agent=request.headers.get("User-Agent", ""),
        token=_token(cookies.SESSION),
        browser=cookies.browser_token(),
        trusted_token=_token(cookies.TRUSTED),
    )


def signed_in_response(entered: SignInResult, status: int = 200) -> Response:
    """Returns the signed-in person, with the session cookie and, for a newly trusted browser, its cookie."""
    answer = make_response(SignedIn().dump({"user": entered.user}), status)
    set_session(answer, entered)
    if entered.trusted_token:
        cookies.set_cookie(answer, cookies.TRUSTED, entered.trusted_token, trusted_browsers.LIFETIME)
    return answer


def set_session(answer: Response, entered: SignInResult) -> None:
    """Sets the session of the browser, and links a waiting identity with the account (specification 11.7).

    A sign-in that is no proof links nothing. The identity then waits for a proof until it expires.
    """
    begin_session(answer, entered.token)
    pending = cookies.read(PENDING_COOKIE, path=PENDING_PATH)
    if pending and entered.is_proof:
        identities.link_pending(entered.user, pending, datetime.now(UTC))
        cookies.delete_cookie(answer, PENDING_COOKIE, path=PENDING_PATH)


def begin_session(answer: Response, token: str) -> None:
    """Sets the cookie of a new session, and the cookie by which the account recognizes the browser."""
    set_session_cookie(answer, token)
    cookies.set_browser(answer)


def _token(cookie: str) -> str:
    """Returns the token in this cookie, or an empty text."""
    token = cookies.read(cookie)
    return token if len(token) <= LONGEST_TOKEN else ""
