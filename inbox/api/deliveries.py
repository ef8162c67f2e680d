"""Deliveries: what was sent where, and what became of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.blueprint import Blueprint
from inbox.api.paging import scanned_page
from inbox.api.policy import authorize, readable_workspaces
from inbox.api.schemas.deliveries import DeliveriesPage, DeliveriesQuery, DeliveryRecord
from inbox.domain import former_words
from inbox.domain.delivery import Status
from inbox.models.deliveries import reports as delivery_reports
from inbox.models.deliveries import search as delivery_search
from inbox.models.tables.notices import Delivery
from inbox.services import deliveries

blp = Blueprint(
    "deliveries", __name__, url_prefix="/v1/deliveries", description="Deliveries of notices to destinations."
)

RETRIED = frozenset({Status.PENDING, Status.RETRYING})


@blp.route("/", methods=["GET"], endpoint="list")
@blp.arguments(DeliveriesQuery, location="query")
@blp.response(200, DeliveriesPage)
def list_deliveries(args: dict[str, Any]) -> dict[str, Any]:
    """List deliveries

    Newest first, each with its attempts. A page may have few items or none: more follow as long as `nextCursor` is not null.
    """
    mine = readable_workspaces(args.get("workspace_id"))
    page = scanned_page(delivery_search.search(mine, args), args, dump=lambda row: row)
    return {**page, "items": with_attempts(page["items"])}


@blp.route("/<typeid(dlv):delivery_id>", methods=["GET"], endpoint="read")
@blp.response(200, DeliveryRecord)
def read(delivery_id: UUID) -> Delivery:
    """Read a delivery

    With every attempt at it, oldest first.
    """
    return with_attempts([authorize(deliveries.find(delivery_id))])[0]


@blp.route("/<typeid(dlv):delivery_id>/replay", methods=["POST"], endpoint="replay")
@blp.response(201, DeliveryRecord)
@blp.refuses("conflict")
def replay(delivery_id: UUID) -> tuple[Delivery, int, dict[str, str]]:
    """Replay a delivery

    The same notice as a new delivery, whose `webhook-id` the receiver does not know yet.
    """
    again = deliveries.replay(authorize(deliveries.find(delivery_id)), now=datetime.now(UTC))
    return with_attempts([again])[0], 201, {"Location": url_for("deliveries.read", delivery_id=again.id)}


def with_attempts(rows: list[Delivery]) -> list[Delivery]:
    """The rows with what `DeliveryRecord` asks of them beside their columns."""
    attempts = delivery_reports.attempts([row.id for row in rows])
    for row in rows:
        row.cause = former_words.delivery_cause(row.cause)
        row.attempts_made = attempts[row.id]
        row.next_attempt_at = row.due_at if row.status in RETRIED else None
    return rows
