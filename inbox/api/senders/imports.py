"""Imports of set-ups of other tools: their preview and their creation (specification 22)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import ADMIN, USER, EndpointPolicy, authorize_in
from inbox.api.http.request_examples import RequestExample
from inbox.api.senders.schemas.imports import ImportDraft, ImportKinds, ImportNew, ImportPlan, ImportResult, prefix_of
from inbox.config import settings
from inbox.domain.values import ids
from inbox.intake.importers.import_kind import ImportForm
from inbox.intake.importers.plan import PING_URL, Plan
from inbox.intake.importers.registry import KINDS
from inbox.runtime import work_budget
from inbox.services.senders import import_reading, imports
from inbox.services.senders.import_reading import Draft
from inbox.services.senders.imports import CreatedItem, PreviewedItem

CAP = 5 * 1024 * 1024
"""Bytes of an import: a file of 3 MiB in base64, with room for other fields."""

blp = Blueprint(
    "imports", __name__, url_prefix="/v1", description="Imports of the set-ups of other tools.", section="22.1"
)


@blp.route("/import-kinds", methods=["GET"], endpoint="list_kinds")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, ImportKinds)
def list_kinds() -> dict[str, Any]:
    """List the kinds of import

    Each with the set-up that it reads, where to find its file or token, and the records that it creates.
    """
    return {"items": list(KINDS.values())}


@blp.route("/imports/preview", methods=["POST"], endpoint="preview")
@EndpointPolicy(USER, ADMIN, workspace_from="body", body_cap=CAP, section="22.2")
@RequestExample(leave_out=("file", "address", "token"))
@blp.arguments(ImportDraft, cross_check=lambda fields: _check(fields))
@blp.response(200, ImportPlan)
def preview(fields: dict[str, Any]) -> dict[str, Any]:
    """Preview an import

    What it would create, and what it leaves out. Nothing is stored. An address is called with the token once, under the
    policy of destinations.
    """
    workspace_id, plan = authorize_in(fields["workspace_id"]), _plan(fields)
    work_budget.begin()
    items = [_previewed(each) for each in imports.preview(workspace_id, plan)]
    return {"kind": fields["kind"], "items": items, "left_out": plan.left_out, "warnings": plan.warnings}


@blp.route("/imports", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body", body_cap=CAP, section="22.3")
@RequestExample(leave_out=("file", "address", "token"))
@blp.arguments(ImportNew, cross_check=lambda fields: _check(fields))
@blp.response(201, ImportResult)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> dict[str, Any]:
    """Import

    The set-up is read again, and the chosen items are created in one transaction. An item that was imported before is
    answered as it is.
    """
    workspace_id, plan = authorize_in(fields["workspace_id"]), _plan(fields)
    work_budget.begin(imports.CREATION_SECONDS)
    by, now = caller().user_id, datetime.now(UTC)
    created = imports.create(workspace_id, plan, fields.get("references"), by=by, now=now)
    return {"items": [_created(each) for each in created]}


def _check(fields: ParsedBody) -> None:
    """Checks that the set-up has exactly one form of its kind. Raises `ValidationFailed`."""
    if "kind" in fields and fields.judgeable("kind", *ImportForm):
        Draft.of(fields)


def _plan(fields: Mapping[str, Any]) -> Plan:
    work_budget.begin(imports.READING_SECONDS)
    return import_reading.read(Draft.of(fields))


def _previewed(each: PreviewedItem) -> dict[str, Any]:
    item = each.item
    shown = {name: getattr(item, name) for name in ("reference", "name", "text", "source", "snippet")}
    found = {"email": item.fields.get("email"), "comparison": _comparison(item.comparison)}
    return {**shown, **found, "type": item.kind, "status": each.status, "warnings": each.warnings}


def _comparison(stored: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if stored is None:
        return None
    differences = [{**each, "starts_at": each["startsAt"], "ends_at": each["endsAt"]} for each in stored["differences"]]
    period = {"starts_at": stored["startsAt"], "ends_at": stored["endsAt"]}
    return {**period, "total": stored["total"], "differences": differences}


def _created(each: CreatedItem) -> dict[str, Any]:
    item = each.item
    url = f"{settings.current().base_url}/v1/heartbeats/{each.token}" if each.token else None
    return {
        "reference": item.reference,
        "type": item.kind,
        "id": ids.encode(prefix_of(item.kind), each.record_id),
        "name": item.name,
        "created": each.is_new,
        "ping_url": url,
        "snippet": item.snippet.replace(PING_URL, url) if url else item.snippet,
    }
