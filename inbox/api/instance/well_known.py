"""Well-known addresses: the change of a password, and the contact for vulnerability reports (RFC 9116)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from flask import Response

from inbox.api.http.base_path import below
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.api.instance.dashboard import blp
from inbox.config import settings
from inbox.domain.values.refusals import NotFound

__all__ = ["blp"]

CHANGE_PASSWORD, SECURITY = "/.well-known/change-password", "/.well-known/security.txt"
PASSWORD_PAGE = "/account#password"
VALID_FOR = timedelta(days=180)


@blp.route(CHANGE_PASSWORD, methods=["GET"], endpoint="change_password")
@EndpointPolicy(NONE, workspace_from="none", database=False)
def change_password() -> Response:
    """Redirects to the page that changes a password. Password managers open this address."""
    return Response(status=302, headers={"Location": below(PASSWORD_PAGE)})


@blp.route(SECURITY, methods=["GET"], endpoint="security")
@EndpointPolicy(NONE, workspace_from="none", database=False)
def security() -> Response:
    """Returns the contact for vulnerability reports, or 404 without a configured contact."""
    chosen = settings.current()
    if not chosen.security_contact:
        raise NotFound()
    expires = (datetime.now(UTC) + VALID_FOR).strftime("%Y-%m-%dT00:00:00Z")
    lines = (
        f"Contact: {chosen.security_contact}",
        f"Expires: {expires}",
        "Preferred-Languages: en",
        f"Canonical: {chosen.base_url}{SECURITY}",
    )
    return Response("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
