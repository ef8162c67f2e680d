"""Receives pressed buttons from apps that have one address for all destinations (specification 9.18)."""

from __future__ import annotations

from flask import Response

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import FORM, NONE, EndpointPolicy
from inbox.api.incidents.interactions import BODY, CAP, answered, received
from inbox.config import settings
from inbox.services.incidents import interactions

blp = Blueprint(
    "app_interactions",
    __name__,
    url_prefix="/v1/interactions",
    description="Buttons of apps that several destinations share.",
    section="9.18",
)


@blp.route("/slack", methods=["POST"], endpoint="slack")
@EndpointPolicy(NONE, workspace_from="none", body_cap=CAP, forms=(FORM,))
@blp.doc(requestBody=BODY)
@blp.response(200, {"type": "string"}, content_type="text/plain")
@blp.refuses("unauthenticated", "rate_limited")
def slack() -> Response:
    """Receive a pressed button of a Slack app

    The Request URL of an app for all its destinations. The request names an incident. The signing secret of a Slack
    destination of its workspace must verify the request.
    """
    return answered(interactions.press_of_app("slack", *received(), settings.current()))


@blp.route("/discord/<public_key>", methods=["POST"], endpoint="discord")
@EndpointPolicy(NONE, workspace_from="none", body_cap=CAP, forms=(FORM,))
@blp.doc(requestBody=BODY)
@blp.response(200, {"type": "string"}, content_type="text/plain")
@blp.refuses("unauthenticated", "rate_limited")
def discord(public_key: str) -> Response:
    """Receive a pressed button of a Discord application

    The Interactions Endpoint URL of an application for all its destinations, with its public key. The key verifies the
    request, and the destination must have the same key.
    """
    return answered(interactions.press_of_app("discord", *received(), settings.current(), key=public_key.lower()))
