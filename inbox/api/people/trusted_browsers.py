"""Browsers in which the caller's sign-in skips the second factor (specification 11.11)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.policy import SESSION, EndpointPolicy
from inbox.api.people.schemas.sessions import TrustedBrowsersPage, TrustedBrowsersQuery
from inbox.api.people.session_cookie import client
from inbox.domain.values.refusals import NotFound
from inbox.flow.unit_of_work import work
from inbox.models.people.trusted_browsers import TrustedBrowser
from inbox.services.people import trusted_browsers

blp = Blueprint(
    "trusted_browsers", __name__, url_prefix="/v1/me/trusted-browsers", description="Trusted browsers.", section="11.11"
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.arguments(TrustedBrowsersQuery, location="query")
@blp.response(200, TrustedBrowsersPage)
def list_browsers(args: dict[str, Any]) -> dict[str, Any]:
    """List the browsers that skip your second factor"""
    token = client().trusted_token

    def dump(row: TrustedBrowser) -> TrustedBrowser:
        row.current = trusted_browsers.is_of(row, token)
        return row

    return paged(
        trusted_browsers.of_person(caller().user_id, datetime.now(UTC)),
        args,
        sorts={"created": TrustedBrowser.created_at},
        id=TrustedBrowser.id,
        dump=dump,
    )


@blp.route("/<typeid(tbr):trusted_browser_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.response(204)
def remove(trusted_browser_id: UUID) -> None:
    """Forget a trusted browser

    The next sign-in in it needs the second factor. Its session continues.
    """
    if not trusted_browsers.end_one(caller().user_id, trusted_browser_id, datetime.now(UTC)):
        raise NotFound()


@blp.route("/", methods=["DELETE"], endpoint="remove_all")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.response(204)
def remove_all() -> None:
    """Forget all trusted browsers

    The next sign-in in each of them needs the second factor. Sessions continue.
    """
    with work():
        trusted_browsers.end_all(caller().user_id, datetime.now(UTC))
