"""Receives pressed buttons of chat messages from the services (specification 9.18)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from flask import Response, jsonify, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import FORM, NONE, EndpointPolicy
from inbox.config import settings
from inbox.services.incidents import interactions
from inbox.services.incidents.interactions import Reply

CAP = 64 * 1024
"""Bytes of a request of a chat service, which repeats the message of the pressed button."""

blp = Blueprint(
    "interactions", __name__, url_prefix="/v1/destinations", description="Buttons of chat messages.", section="9.18"
)

BODY = {
    "required": True,
    "description": "What the service of the destination sends, at most 64 KiB, signed by it or with a secret of it.",
    "content": {
        "application/x-www-form-urlencoded": {
            "schema": {"type": "object", "additionalProperties": {"type": "string"}},
            "example": {"payload": '{"type": "block_actions"}'},
        }
    },
}


@blp.route("/<typeid(dst):destination_id>/interactions", methods=["POST"], endpoint="receive")
@EndpointPolicy(NONE, workspace_from="none", body_cap=CAP, forms=(FORM,))
@blp.doc(requestBody=BODY)
@blp.response(200, {"type": "string"}, content_type="text/plain")
@blp.refuses("unauthenticated", "rate_limited")
def receive(destination_id: UUID) -> Response:
    """Receive a pressed button

    The chat service of the destination sends it, signed. It acts as the member who linked the account. Other people get
    a hint in the chat. An unknown destination and a repeated request are answered like a wrong signature.
    """
    return answered(interactions.press(destination_id, *received(), settings.current()))


def received() -> tuple[dict[str, str], bytes, datetime]:
    """Returns the headers with names in lower case, the body, and the time of receipt."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    return headers, request.get_data(), datetime.now(UTC)


def answered(reply: Reply) -> Response:
    """Returns the answer to the service. The hint follows it."""
    answer = Response("", 200, mimetype="text/plain") if reply.answer is None else jsonify(reply.answer)
    if reply.hint is not None:
        answer.call_on_close(reply.hint.send)  # services wait 3 s for the answer, and the hint may be a separate call
    return answer
