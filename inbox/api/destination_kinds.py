"""The catalogue of destination kinds, from which forms are rendered (specification 9.3)."""

from __future__ import annotations

from typing import Any

from inbox.api.blueprint import Blueprint
from inbox.api.schemas.destination_kinds import DestinationKinds
from inbox.destinations import KINDS, ROUTABLE

blp = Blueprint("destination_kinds", __name__, url_prefix="/v1/destination-kinds", description="Kinds of destinations.")


@blp.route("/", methods=["GET"], endpoint="list")
@blp.response(200, DestinationKinds)
def list_kinds() -> dict[str, Any]:
    """List the destination kinds

    Each with the fields of its `config`. The server validates the same fields.
    """
    return {"items": [KINDS[name].description for name in ROUTABLE]}
