"""Checks every request against the endpoint policy, before and after the view."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

import structlog
from flask import Flask, Response, g, request

from inbox.api.http import limits
from inbox.api.http.callers import Caller, identify
from inbox.api.http.errors import problem
from inbox.api.http.policy import PEOPLE, Credential, entry, find_entry, require_step_up
from inbox.config import settings
from inbox.domain.senders import keys
from inbox.domain.values.refusals import Forbidden, UnsupportedMediaType

log = structlog.get_logger("inbox.guard")

SAFE = frozenset({"GET", "HEAD"})
CHECKED = frozenset({"record", "body", "path"})


def install(app: Flask) -> None:
    """Installs the checks before and after the view."""
    app.before_request(_authorize)
    app.after_request(_confirm)


def _authorize() -> None:
    if request.endpoint is None or request.routing_exception is not None:
        return
    here = entry()
    if here.credential in PEOPLE:
        who = identify_caller()
        if not who.by_device:
            _refuse_other_sites()
        limits.management(who.user_id, reads=request.method in SAFE)
        if here.instance_admin and not who.is_instance_admin:
            raise Forbidden("Only administrators of the instance can do this.", extra={"requiredRole": "instanceAdmin"})
        if here.step_up is not None:
            require_step_up(here.step_up)
    elif here.credential is Credential.NONE:
        _refuse_other_sites()
    elif here.credential is Credential.SOURCE_KEY and not here.own_key:
        keys.bearer_digest(request.headers.get("Authorization", ""))


def identify_caller() -> Caller:
    """Returns the caller by a credential that the endpoint accepts. Raises `Unauthenticated`."""
    required = entry().credential
    return identify(devices_too=required is not Credential.SESSION, sessions_too=required is not Credential.DEVICE)


def _refuse_other_sites() -> None:
    """Refuses writes that another site could make a browser send (specification 2.2).

    `Sec-Fetch-Site` decides where the browser sends it. Otherwise an `Origin` must be ours, or the address that the
    browser called. A plain form of another site can send a body of any type except JSON. It cannot send a write without
    a body and without a type.
    """
    if request.method in SAFE:
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None and site not in ("same-origin", "none"):
        raise Forbidden("Requests from other sites are refused.")
    origin, base_url = request.headers.get("Origin"), settings.current().base_url
    if site is None and origin is not None and not (same_origin(origin, base_url) or _is_called(origin)):
        raise Forbidden(f"Requests from other sites are refused; this one is served at {base_url}.")
    if request.mimetype in entry().forms:
        return
    typed = request.mimetype and request.method != "DELETE"
    if request.mimetype != "application/json" and (typed or _has_body()):
        raise UnsupportedMediaType("Send the body as application/json. Without a body, send no Content-Type.")


def _is_called(origin: str) -> bool:
    """Returns whether the page and the request have the same host, which is an IP address or this machine.

    A name could be one that another site lets lead to this address (DNS rebinding).
    """
    called = request.host_url
    host = urlsplit(called).hostname or ""
    return same_origin(origin, called) and (host == "localhost" or _is_address(host))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _has_body() -> bool:
    return bool(request.content_length) or "Transfer-Encoding" in request.headers


def same_origin(origin: str, base_url: str) -> bool:
    """Returns whether an `Origin` header has the scheme, host and port of our own address."""
    return _origin(origin) is not None and _origin(origin) == _origin(base_url)


def _origin(address: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _confirm(response: Response) -> Response:
    """Drops the answer of a view that has not called `authorize`: the last line of defence."""
    here = find_entry()
    if here is None or response.status_code >= 400:
        return response
    if here.workspace_from in CHECKED and not g.get("permitted"):
        log.error("response blocked: view did not check workspace", endpoint=request.endpoint)
        return problem("internal_error")
    return response
