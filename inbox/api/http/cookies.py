"""The cookies of the dashboard: their names, and functions that set and delete them (specification 11.2)."""

from __future__ import annotations

import re
import secrets
from datetime import timedelta

from flask import Response, g, request

from inbox.config import settings
from inbox.domain.people.cookies import cookie_name, cookie_path
from inbox.models.people.known_clients import RETENTION

SESSION = "inbox_session"
BROWSER = "inbox_browser"
"""Identifies a browser that signed in to an account before. It does not authenticate anybody."""
TRUSTED = "inbox_trusted"
"""Lets the account that trusts this browser skip the second factor (specification 11.11)."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def read(name: str, *, path: str = "/") -> str:
    """Returns the cookie's value as this browser sent it, or an empty text."""
    return request.cookies.get(_name(name, path), "")


def set_cookie(
    response: Response, name: str, value: str, lifetime: timedelta, *, path: str = "/", same_site: str = "Lax"
) -> None:
    """Sets a cookie that scripts and other sites cannot read."""
    response.set_cookie(
        _name(name, path),
        value,
        max_age=int(lifetime.total_seconds()),
        path=cookie_path(settings.current().base_url, path),
        secure=settings.current().is_https,
        httponly=True,
        samesite=same_site,
    )


def delete_cookie(response: Response, name: str, *, path: str = "/") -> None:
    """Deletes a cookie."""
    chosen = settings.current()
    response.delete_cookie(
        _name(name, path),
        path=cookie_path(chosen.base_url, path),
        secure=chosen.is_https,
        httponly=True,
        samesite="Lax",
    )


def browser_token() -> str:
    """Returns the token that identifies this browser, or a new one, which `set_browser` stores in it."""
    if "browser_token" not in g:
        sent = read(BROWSER)
        g.browser_token = sent if _TOKEN.fullmatch(sent) else secrets.token_urlsafe(32)
    token: str = g.browser_token
    return token


def set_browser(response: Response) -> None:
    """Sets the browser cookie after a sign-in, for as long as the account keeps the browser."""
    set_cookie(response, BROWSER, browser_token(), RETENTION)


def _name(name: str, path: str) -> str:
    return cookie_name(name, settings.current().base_url, path=path)
