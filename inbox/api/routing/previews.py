"""Previews of rules on stored events, before the rules are saved (specification 6.9)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from flask import Response, url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import ADMIN, USER, EndpointPolicy, authorize, authorize_in
from inbox.api.http.request_examples import RequestExample
from inbox.api.routing.schemas.previews import (
    EventPreviewRecord,
    EventPreviewRequest,
    PreviewJobRecord,
    PreviewRecord,
    PreviewRequest,
)
from inbox.models.routing.previews import RulePreview, cancel
from inbox.services.routing import previews

blp = Blueprint(
    "previews", __name__, url_prefix="/v1/rules", description="Previews of rules on stored events.", section="6.9"
)


@blp.route("/preview", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@RequestExample(leave_out=("rules", "rule.matchText"), values={"since": "@day-7", "until": "@day-1"})
@blp.arguments(PreviewRequest, cross_check=lambda fields: _check(fields))
@blp.response(200, PreviewRecord)
@blp.alt_response(202, schema=PreviewJobRecord, description="The preview runs in the background; `Location` names it.")
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> Any:
    """Preview rules on stored events

    Runs the stored and the given rules over stored events by the routing code, without any effect. Up to 20,000 events
    are answered at once. More run in the background (202), at most two previews of a workspace at a time (`conflict`).
    """
    workspace_id = authorize_in(fields["workspace_id"])
    answer = previews.start(workspace_id, fields, now=datetime.now(UTC))
    if not isinstance(answer, RulePreview):
        return _json(answer, 200)
    reply = _json(PreviewJobRecord().dump(_with_url(answer)), 202)
    reply.headers["Location"] = url_for("previews.read", preview_id=answer.id)
    return reply


@blp.route("/preview/event", methods=["POST"], endpoint="create_of_event")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@RequestExample(leave_out=("rules", "rule.matchText", "event", "sourceId"))
@blp.arguments(EventPreviewRequest, cross_check=lambda fields: _check_one(fields))
@blp.response(200, EventPreviewRecord)
def create_of_event(fields: dict[str, Any]) -> Any:
    """Preview rules on one event

    A stored event or a pasted one. The answer has every rule in order with its clauses, and the deciding rule. It also
    has the notices that the first event of its kind would send at once.
    """
    workspace_id = authorize_in(fields["workspace_id"])
    return _json(previews.run_single(workspace_id, fields, now=datetime.now(UTC)), 200)


@blp.route("/previews/<typeid(prv):preview_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(200, PreviewJobRecord)
def read(preview_id: UUID) -> RulePreview:
    """Read a preview

    Its progress, and its result once it is `done`.
    """
    return _with_url(authorize(previews.find(preview_id, datetime.now(UTC))))


@blp.route("/previews/<typeid(prv):preview_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
def remove(preview_id: UUID) -> None:
    """Cancel a preview

    A finished preview stays as it is.
    """
    cancel(authorize(previews.find(preview_id, datetime.now(UTC))).id)


def _check(fields: ParsedBody) -> None:
    """Checks the request beyond its schema, without running the preview. Raises `ValidationFailed` with all faults."""
    workspace_id = fields["workspace_id"]
    if fields.judgeable("rule", "rules", "until") and "since" in fields:
        previews.request_of(workspace_id, fields, now=datetime.now(UTC))
    else:
        previews.check(workspace_id, fields)


def _check_one(fields: ParsedBody) -> None:
    """Checks the request for one event in the same way."""
    workspace_id = fields["workspace_id"]
    if fields.judgeable("rule", "rules", "event", "event_id", "source_id"):
        previews.single_request_of(workspace_id, fields, now=datetime.now(UTC))
    else:
        previews.check(workspace_id, fields)


def _with_url(preview: RulePreview) -> RulePreview:
    preview.progress = {"events": preview.events, "total": preview.total}
    return preview


def _json(document: object, status: int) -> Response:
    return Response(orjson.dumps(document), status, mimetype="application/json")
