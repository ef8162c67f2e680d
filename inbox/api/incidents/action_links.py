"""The pages of action links: they ask and then act, without a script and without a sign-in (specification 9.15)."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Response
from markupsafe import Markup

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.pages import page
from inbox.api.http.policy import FORM, NONE, EndpointPolicy
from inbox.config import settings
from inbox.domain.incidents.incident import Act
from inbox.services.incidents import action_links
from inbox.services.incidents.action_links import Offer
from inbox.services.incidents.incidents import incident_url

blp = Blueprint(
    "action_links",
    __name__,
    url_prefix="/act",
    description="Links in messages that act on an incident.",
    section="9.15",
)

QUESTIONS = {Act.ACKNOWLEDGE: "Acknowledge this incident?", Act.RESOLVE: "Resolve this incident?"}
DONE = {Act.ACKNOWLEDGE: "The incident is acknowledged", Act.RESOLVE: "The incident is resolved"}


@blp.route("/<link_token>", methods=["GET"], endpoint="page")
@EndpointPolicy(NONE, workspace_from="none")
@blp.response(200, {"type": "string"}, content_type="text/html")
@blp.refuses("token_invalid")
def ask(link_token: str) -> Response:
    """Ask before an action link acts

    A page with the incident and one button. Programs that open links in messages to check them change nothing.
    """
    offer = action_links.find(link_token, datetime.now(UTC), signing_key=settings.current().signing_key)
    if offer.is_done:
        return _done(offer)
    button = Markup('<form method="post"><button type="submit">{}</button></form>').format(str(offer.act).capitalize())
    return page(QUESTIONS[offer.act], _incident(offer) + button + _link(offer), has_form=True)


@blp.route("/<link_token>", methods=["POST"], endpoint="accept")
@EndpointPolicy(NONE, workspace_from="none", forms=(FORM,))
@blp.response(200, {"type": "string"}, content_type="text/html")
@blp.refuses("token_invalid", "invalid_transition")
def accept(link_token: str) -> Response:
    """Act by an action link

    It acknowledges or resolves the incident, as the link says. The destination to which the link was sent is the actor.
    An incident that is in this state already stays as it is.
    """
    now = datetime.now(UTC)
    offer = action_links.find(link_token, now, signing_key=settings.current().signing_key)
    action_links.accept(offer, now)
    return _done(offer)


def _done(offer: Offer) -> Response:
    return page(DONE[offer.act], _incident(offer) + _link(offer))


def _incident(offer: Offer) -> Markup:
    incident = offer.incident
    return Markup("<dl><dt>Incident</dt><dd>{}</dd><dt>Severity</dt><dd>{}</dd><dt>Source</dt><dd>{}</dd></dl>").format(
        incident.title, incident.severity, incident.source_name
    )


def _link(offer: Offer) -> Markup:
    url = incident_url(offer.incident.workspace_slug, offer.incident.id)
    return Markup('<p><a href="{}">Open the incident</a></p>').format(url)
