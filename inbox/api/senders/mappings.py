"""Previews of the mapping of a source (specification 19.17)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import ADMIN, USER, EndpointPolicy, authorize
from inbox.api.senders.schemas.mappings import MOST_SHOWN, MappingPreview, MappingPreviewNew
from inbox.domain.events.validation import accept
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.intake.base import Payload, Result, WrongPayload
from inbox.intake.mapping import EventMapping
from inbox.services.senders import sources

blp = Blueprint(
    "mappings", __name__, url_prefix="/v1/sources", description="Mappings of payloads of any sender.", section="19.17"
)


@blp.route("/<typeid(src):source_id>/mapping-preview", methods=["POST"], endpoint="preview")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.arguments(MappingPreviewNew)
@blp.response(200, MappingPreview)
def preview(fields: dict[str, Any], source_id: UUID) -> dict[str, Any]:
    """Preview the mapping of a source

    The events that the mapping makes of the payload, as they would be stored. Nothing is stored, also not the mapping.
    """
    source = authorize(sources.find(source_id))
    if not isinstance(fields["sample"], dict | list):
        raise ValidationFailed(errors=[Fault("/sample", "Must be a JSON object or array.")])
    mapping = EventMapping(fields["mapping"])
    try:
        result = mapping.events(Payload(fields["sample"]))
    except WrongPayload as wrong:
        result = Result([], wrong.faults)
    now, shown = datetime.now(UTC), []
    for event, warnings in list(zip(result.events, result.warnings, strict=True))[:MOST_SHOWN]:
        [made] = accept(event, received_at=now, default_severity=source.default_severity, time=mapping.time)
        made.warnings.extend(warnings)
        shown.append(made)
    return {"total": len(result.events), "events": shown, "faults": result.faults[:MOST_SHOWN]}
