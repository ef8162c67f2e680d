"""The first page of an instance, until the dashboard takes its place."""

from __future__ import annotations

from flask import Response
from markupsafe import Markup

from inbox import __version__, settings
from inbox.api.blueprint import Blueprint
from inbox.api.pages import page

blp = Blueprint("front", __name__, description="Pages for people.")


@blp.route("/", methods=["GET"], endpoint="page")
@blp.response(200, {"type": "string"}, content_type="text/html")
def front() -> Response:
    """The first page

    Says what this is and where to read on.
    """
    body = Markup(
        "<p>This is an incident inbox, version {}: senders push events to it, it groups them into incidents, and tells"
        " whoever should know.</p><ul>"
        '<li><a href="/v1/openapi.json">The API</a>, as an OpenAPI 3.1 document</li>'
        '<li><a href="/v1/info">This instance</a>: what it is and can do</li>'
        '<li><a href="/problems">Problems</a>: what each error means and what to do</li></ul>'
    ).format(__version__)
    return page(settings.current().name, body)
