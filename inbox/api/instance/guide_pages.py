"""The guide for people, from `docs/users`, as pages of this instance (specification 13.6)."""

from __future__ import annotations

import re

from flask import Response
from markupsafe import Markup

from inbox.api.deliveries import destination_pages, markdown
from inbox.api.http.base_path import below
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.pages import page
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.domain.values.refusals import NotFound
from inbox.runtime import distribution

PATH = "/docs/users"
FOLDER = distribution.ROOT / "docs" / "users"
NAMES = (
    "first-steps",
    "sending-events",
    "sending-events-reference",
    "rules-and-profiles",
    "silences",
    "heartbeats",
    "watchers",
    "phone",
    "on-call",
    "paging",
    "webhooks",
    "webhook-receivers",
    "import",
    "moving-here",
)
"""The pages, in the order of reading."""

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
"""A picture of the documents, which no page of an instance has."""

blp = Blueprint("guide_pages", __name__, url_prefix=PATH, description="The guide for people.", section="13.6")


@blp.route("/<name>", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, {"type": "string"}, content_type="text/html")
def read(name: str) -> Response:
    """Read a page of the guide

    How the service is used: first steps, sending events, rules, silences, heartbeats and phones.
    """
    if name not in NAMES:
        raise NotFound("The guide has no page with this name.")
    title, body = markdown.page_of(_text_of(name), _address)
    return page(title, body + _pages(name))


def _text_of(name: str) -> str:
    return _IMAGE.sub("", (FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def _pages(current: str) -> Markup:
    """Returns the list of the other pages, by their titles."""
    others = [
        Markup('<li><a href="{}">{}</a></li>').format(below(f"{PATH}/{name}"), _title(name))
        for name in NAMES
        if name != current
    ]
    return Markup("<h2>More of the guide</h2><ul>{}</ul>").format(Markup("").join(others))


def _title(name: str) -> str:
    with (FOLDER / f"{name}.md").open(encoding="utf-8") as lines:
        return lines.readline().removeprefix("# ").strip()


def _address(target: str) -> str | None:
    """Returns the address of a link to another site, to a page of the guide, or to the page of a kind of destination."""
    if target.startswith("https://"):
        return target
    path, _, anchor = target.partition("#")
    folder, _, file = path.rpartition("/")
    name = file.removesuffix(".md")
    if folder == "" and name in NAMES:
        return below(f"{PATH}/{name}")
    if folder == "../destinations" and not anchor and name != "README":
        return below(f"{destination_pages.PATH}/{name}")
    return None
