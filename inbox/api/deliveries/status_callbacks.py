"""Receives delivery reports of services (specification 9.21)."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import FORM, NONE, EndpointPolicy
from inbox.config import settings
from inbox.services.deliveries import status_callbacks

blp = Blueprint(
    "status_callbacks",
    __name__,
    url_prefix="/v1/status-callbacks",
    description="Reports of services on messages.",
    section="9.21",
)

_BODY = {
    "required": True,
    "description": "What the service says of the message, at most 16 KiB.",
    "content": {
        "application/x-www-form-urlencoded": {
            "schema": {"type": "object", "additionalProperties": {"type": "string"}},
            "example": {"MessageStatus": "undelivered", "ErrorCode": "30005"},
        }
    },
}


@blp.route("/<status_token>", methods=["POST"], endpoint="receive")
@EndpointPolicy(NONE, workspace_from="none", forms=(FORM,))
@blp.doc(requestBody=_BODY)
@blp.response(204)
@blp.refuses("token_invalid")
def receive(status_token: str) -> Response:
    """Receive a report on a message

    The service of a destination sends it to the address that came with the message. A message that did not arrive makes its
    delivery `failed`. Other reports change nothing.
    """
    status_callbacks.receive(
        status_token, request.form.to_dict(), datetime.now(UTC), signing_key=settings.current().signing_key
    )
    return Response(status=204)
