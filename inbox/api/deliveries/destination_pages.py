"""The set-up pages of destination kinds, from `docs/destinations` (specification 9.14)."""

from __future__ import annotations

from flask import Response

from inbox.api.deliveries import markdown
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.pages import page
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.destinations import KINDS
from inbox.domain.values.refusals import NotFound
from inbox.runtime import distribution

PATH = "/docs/destinations"
FOLDER = distribution.ROOT / "docs" / "destinations"

blp = Blueprint(
    "destination_pages",
    __name__,
    url_prefix=PATH,
    description="How each kind of destination is set up.",
    section="9.14",
)


@blp.route("/<kind>", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, {"type": "string"}, content_type="text/html")
def read(kind: str) -> Response:
    """Read how a kind of destination is set up

    A page with what its service needs, its settings, its messages and its limits.
    """
    if kind not in KINDS:
        raise NotFound("There is no kind of destinations with this name.")
    text = (FOLDER / f"{kind}.md").read_text(encoding="utf-8")
    title, body = markdown.page_of(text, _address)
    return page(title, body)


def url_of(base_url: str, kind: str) -> str:
    """Returns the address of the page of a kind."""
    return f"{base_url}{PATH}/{kind}"


def _address(target: str) -> str | None:
    """Returns the address of a link to another site or to the page of another kind. Other pages are not served."""
    if target.startswith("https://"):
        return target
    name = target.removesuffix(".md")
    return f"{PATH}/{name}" if name in KINDS else None
