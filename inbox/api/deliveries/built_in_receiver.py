"""The built-in receiver of a workspace: it stores webhooks and shows the last ones (specification 9.12)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import request

from inbox.api.deliveries.schemas.built_in_receiver import BuiltInReceiverRecord
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import ADMIN, NONE, USER, EndpointPolicy, authorize_in
from inbox.config import settings
from inbox.services.deliveries import built_in_receiver

blp = Blueprint(
    "built_in_receiver", __name__, url_prefix="/v1", description="A receiver of webhooks, to try them.", section="9.12"
)

_BODY = {
    "required": True,
    "content": {"application/json": {"schema": {"type": "object"}, "example": {"type": "test"}}},
}


@blp.route("/built-in-receiver/<token>", methods=["POST"], endpoint="receive")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.doc(requestBody=_BODY)
@blp.response(204)
@blp.refuses("not_found", "unavailable")
def receive(token: str) -> None:
    """Take a webhook

    The token of the address names the workspace. The request is kept for an hour, and nothing else happens.
    """
    headers = {name.lower(): value for name, value in request.headers}
    built_in_receiver.keep(
        token, headers, request.get_data(), now=datetime.now(UTC), signing_key=settings.current().signing_key
    )


@blp.route("/workspaces/<typeid(wsp):workspace_id>/built-in-receiver", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, ADMIN, workspace_from="path")
@blp.response(200, BuiltInReceiverRecord)
@blp.refuses("unavailable")
def read(workspace_id: UUID) -> dict[str, Any]:
    """Read the built-in receiver

    Its address, and the last 10 requests of the last hour, newest first.
    """
    here = authorize_in(workspace_id)
    found = built_in_receiver.requests(here)
    return {
        "url": built_in_receiver.url(here),
        "unavailable_because": built_in_receiver.refusal(here),
        "items": [{**each, "headers": _listed(each["headers"])} for each in found],
    }


def _listed(headers: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]
