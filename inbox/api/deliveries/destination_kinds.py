"""The catalogue of destination kinds, from which forms are rendered (specification 9.3)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from inbox.api.deliveries import destination_pages
from inbox.api.deliveries.schemas.destination_kinds import DestinationKinds
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import USER, EndpointPolicy
from inbox.config import settings
from inbox.destinations import KINDS, ROUTABLE, DestinationKind

blp = Blueprint(
    "destination_kinds",
    __name__,
    url_prefix="/v1/destination-kinds",
    description="Kinds of destinations.",
    section="9.3",
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, DestinationKinds)
def list_kinds() -> dict[str, Any]:
    """List the destination kinds

    Each with the fields of its `config`. The server validates the same fields.
    """
    return {"items": [_record(KINDS[name]) for name in ROUTABLE]}


def _record(kind: DestinationKind) -> dict[str, Any]:
    reason = kind.unavailable_because()
    personal = kind.description.personal
    return {
        **asdict(kind.description),
        "contact_field": None if personal is None else personal.field,
        "available": reason is None,
        "unavailable_because": reason,
        "docs_url": destination_pages.url_of(settings.current().base_url, kind.name),
    }
