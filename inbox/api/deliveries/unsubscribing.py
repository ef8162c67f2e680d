"""The unsubscribe page for readers of mails, which needs no script and no sign-in (specification 9.20)."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Response
from markupsafe import Markup

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.pages import page
from inbox.api.http.policy import FORM, MULTIPART, NONE, EndpointPolicy
from inbox.config import settings
from inbox.services.deliveries import unsubscribing
from inbox.services.deliveries.unsubscribing import Subscription

blp = Blueprint(
    "unsubscribing", __name__, url_prefix="/unsubscribe", description="Links in mails that end them.", section="9.20"
)

_FORM = {
    "schema": {"type": "object", "additionalProperties": {"type": "string"}},
    "example": {"List-Unsubscribe": "One-Click"},
}
_BODY = {
    "description": "The form of a mail program (RFC 8058), or none. It is not read.",
    "content": {"application/x-www-form-urlencoded": _FORM, "multipart/form-data": _FORM},
}


@blp.route("/<unsubscribe_token>", methods=["GET"], endpoint="page")
@EndpointPolicy(NONE, workspace_from="none")
@blp.response(200, {"type": "string"}, content_type="text/html")
@blp.refuses("token_invalid")
def ask(unsubscribe_token: str) -> Response:
    """Ask before a mail is unsubscribed

    A page with the address and one button. Programs that open the links of a mail to check them change nothing.
    """
    found = unsubscribing.find(unsubscribe_token, datetime.now(UTC), signing_key=settings.current().signing_key)
    if found.is_ended:
        return _ended(found)
    button = Markup('<form method="post"><button type="submit">Unsubscribe</button></form>')
    return page("Turn these mails off?", _about(found) + button, has_form=True)


@blp.route("/<unsubscribe_token>", methods=["POST"], endpoint="accept")
# Mail programs send either type (RFC 8058).
@EndpointPolicy(NONE, workspace_from="none", forms=(FORM, MULTIPART))
@blp.doc(requestBody=_BODY)
@blp.response(200, {"type": "string"}, content_type="text/html")
@blp.refuses("token_invalid")
def accept(unsubscribe_token: str) -> Response:
    """Unsubscribe from the mails of a destination

    It disables the destination. Mail programs send it with one tap (RFC 8058). A disabled destination stays as it is.
    """
    now = datetime.now(UTC)
    found = unsubscribing.find(unsubscribe_token, now, signing_key=settings.current().signing_key)
    unsubscribing.end(found, now)
    return _ended(found)


def _ended(found: Subscription) -> Response:
    hint = Markup("<p>An administrator of the workspace can turn them on again.</p>")
    return page("These mails are turned off", _about(found) + hint)


def _about(found: Subscription) -> Markup:
    row = Markup("<dl><dt>Address</dt><dd>{}</dd><dt>Destination</dt><dd>{}</dd><dt>Workspace</dt><dd>{}</dd></dl>")
    return row.format(found.address, found.destination.name, found.workspace.name)
