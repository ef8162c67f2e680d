"""Explanations of problems: the pages that the `type` of an error links to (specification 15.3)."""

from __future__ import annotations

from typing import Any

from flask import Response, jsonify
from markupsafe import Markup

from inbox.api.http.base_path import below
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.pages import for_a_browser, page, prose
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.api.http.problems import KINDS
from inbox.api.http.schemas.problems import ProblemKind, ProblemKinds
from inbox.config import settings
from inbox.domain.values.refusals import NotFound

blp = Blueprint(
    "problems", __name__, url_prefix="/problems", description="What each error means and what to do.", section="15.3"
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, ProblemKinds)
@blp.alt_response(200, schema={"type": "string"}, content_type="text/html")
def list_problems() -> Response:
    """List all problems

    As JSON, or as a page for a browser.
    """
    if not for_a_browser():
        return jsonify({"items": [_page(code) for code in sorted(KINDS)]})
    row = Markup('<dt><a href="{3}/{0}"><code>{0}</code></a> ({1})</dt><dd>{2}</dd>')
    rows = Markup("").join(
        row.format(code, KINDS[code].status, prose(KINDS[code].meaning), below("/problems")) for code in sorted(KINDS)
    )
    return page("Problems", Markup("<dl>{}</dl>").format(rows))


@blp.route("/<code>", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, ProblemKind)
@blp.alt_response(200, schema={"type": "string"}, content_type="text/html")
def read(code: str) -> Response:
    """Explain a problem

    As JSON, or as a page for a browser.
    """
    if code not in KINDS:
        raise NotFound("There is no problem with this code.")
    if not for_a_browser():
        return jsonify(_page(code))
    kind = KINDS[code]
    body = Markup(
        "<p><code>{}</code>, status {}</p><p>{}</p><h2>What to do</h2><p>{}</p><p><a href='{}'>All problems</a></p>"
    ).format(code, kind.status, prose(kind.meaning), prose(kind.remedy), below("/problems"))
    return page(kind.title, body)


def _page(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    return {
        "type": f"{settings.current().problems_url}/{code}",
        "code": code,
        "status": kind.status,
        "title": kind.title,
        "meaning": kind.meaning,
        "remedy": kind.remedy,
    }
