"""Receives answers of people by phone from the services of destinations (specification 23.21)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import FORM, NONE, EndpointPolicy
from inbox.config import settings
from inbox.services.incidents import phone_answers, text_replies

SIGNATURE = "X-Twilio-Signature"

blp = Blueprint("phone_answers", __name__, url_prefix="/v1", description="Answers by phone.", section="23.21")


def _body(example: dict[str, str]) -> dict[str, object]:
    return {
        "required": True,
        "description": "What the service reports, at most 16 KiB.",
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {"type": "object", "additionalProperties": {"type": "string"}},
                "example": example,
            }
        },
    }


@blp.route("/call-answers/<call_token>", methods=["POST"], endpoint="key")
@EndpointPolicy(NONE, workspace_from="none", forms=(FORM,))
@blp.doc(requestBody=_body({"Digits": "4", "CallSid": "CA1"}))
@blp.response(200, {"type": "string"}, content_type="text/xml")
@blp.refuses("token_invalid", "unauthenticated")
def key(call_token: str) -> Response:
    """Receive the key of a call

    The service of the call sends it: 4 acknowledges, 5 escalates, 6 resolves, `*` repeats. It acts as the called person.
    A repeated request does nothing again.
    """
    signature, now = request.headers.get(SIGNATURE, ""), datetime.now(UTC)
    media_type, body = phone_answers.of_call(call_token, request.form.to_dict(), signature, now, settings.current())
    return Response(body, 200, mimetype=media_type)


@blp.route("/destinations/<typeid(dst):destination_id>/text-messages", methods=["POST"], endpoint="text_message")
@EndpointPolicy(NONE, workspace_from="none", forms=(FORM,))
@blp.doc(requestBody=_body({"From": "+491700000000", "Body": "15a", "MessageSid": "SM1"}))
@blp.response(200, {"type": "string"}, content_type="text/xml")
@blp.refuses("unauthenticated")
def text_message(destination_id: UUID) -> Response:
    """Receive a text message

    Twilio sends it, signed. `15a` acknowledges the incident with the number 15, `15e` escalates and `15r` resolves it.
    `STOP` ends text messages to the phone, and `START` resumes them.
    """
    signature, now = request.headers.get(SIGNATURE, ""), datetime.now(UTC)
    media_type, body = text_replies.receive(destination_id, request.form.to_dict(), signature, now, settings.current())
    return Response(body, 200, mimetype=media_type)
