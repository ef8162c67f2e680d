"""The first page and the set-up page of an instance: the dashboard, or plain pages without a build."""

from __future__ import annotations

from flask import Response
from markupsafe import Markup

from inbox import __version__
from inbox.api.http.base_path import below
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.pages import page
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.api.instance import dashboard, setup_pages
from inbox.config import settings
from inbox.services.instance import setup

blp = Blueprint("front", __name__, description="Pages for people.", section="13.1")


@blp.route("/", methods=["GET"], endpoint="page")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, {"type": "string"}, content_type="text/html")
def front() -> Response:
    """The first page

    The dashboard. Without a build, a page names the product, the missing parts, and the documentation.
    """
    if shown := dashboard.document():
        return shown
    body = Markup(
        "<p>This is an incident inbox, version {}: senders push events to it, it groups them into incidents and notifies"
        " people.</p><p>{} The API works without it.</p><ul>"
        '<li><a href="{}/v1/openapi.json">The API</a>, as an OpenAPI 3.1 document</li>'
        '<li><a href="{}/v1/info">This instance</a>: version and features</li>'
        '<li><a href="{}/problems">Problems</a>: what each error means and what to do</li></ul>'
    ).format(__version__, dashboard.why_missing(), *3 * [below("")])
    return page(settings.current().name, body)


@blp.route("/setup", methods=["GET"], endpoint="setup")
@EndpointPolicy(NONE, workspace_from="none")
@blp.response(200, {"type": "string"}, content_type="text/html")
def set_up() -> Response:
    """The set-up page

    A form that creates the first account with the token of the set-up link. After that it says that an account exists.
    """
    if shown := dashboard.document():
        return shown
    return setup_pages.form({"workspaceName": "Home"}, {}) if setup.is_required() else setup_pages.already()


@blp.route("/setup.js", methods=["GET"], endpoint="setup_script")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, {"type": "string"}, content_type="text/javascript")
def script() -> Response:
    """The script of the set-up page

    It puts the token of the link into the form.
    """
    return setup_pages.script()
