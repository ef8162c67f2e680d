"""Shapes of bulk actions and of their undo (specification 7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedList, Line, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.incidents.schemas.filters import IncidentFilter
from inbox.api.incidents.schemas.incidents import LONGEST_NOTE, LONGEST_SNOOZE, IncidentRecord, not_blank
from inbox.domain.events import fields
from inbox.services.incidents.bulk import ACTS

MAX_INCIDENTS = 500
UNDO = "und"
"""The prefix of the ids that undo acts."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    "snooze": ("until", "forMinutes"),
    "assign": ("assigneeId",),
    "tag": ("tags",),
    "untag": ("tags",),
}
"""The fields of which an act needs one. No other act takes them."""


WITH_NOTE = ("acknowledge", "snooze", "resolve")
"""The acts that take a note."""


class BulkRequest(Schema):
    """One act on many incidents, by id or by filter."""

    ids = BoundedList(TypeId("inc"), validate=ma.validate.Length(1, MAX_INCIDENTS))
    filter = ma.fields.Nested(
        IncidentFilter, metadata={"description": "In place of `ids`: all that pass these filters."}
    )
    expected_count = StrictInteger(
        validate=ma.validate.Range(1, MAX_INCIDENTS),
        metadata={"description": "With `filter`: how many pass. Another number is a conflict, and nothing is changed."},
    )
    action = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(ACTS),
        metadata={"description": "`assign` sets `assigneeId`, `tag` adds `tags` and `untag` takes them off."},
    )
    until = Timestamp(metadata={"description": "With `snooze`: in the future, at most 30 days ahead."})
    for_minutes = StrictInteger(
        validate=ma.validate.Range(1, LONGEST_SNOOZE),
        metadata={"description": "With `snooze`, in place of `until`: from now on."},
    )
    assignee_id = TypeId("usr", allow_none=True, metadata={"description": "With `assign`: a member; null: unassigned."})
    tags = BoundedList(
        Line(fields.TAG_LIMIT),
        validate=ma.validate.Length(1, fields.TAGS_LIMIT),
        metadata={"description": "With `tag` and `untag`."},
    )

    note = ma.fields.String(
        validate=[ma.validate.Length(1, LONGEST_NOTE), not_blank],
        metadata={
            "description": "With `acknowledge`, `snooze` and `resolve`: added to each timeline, in the same notice."
        },
    )

    @ma.validates_schema(skip_on_field_errors=False, pass_original=True)
    def _which(self, data: Mapping[str, Any], sent: Mapping[str, Any], **_: object) -> None:
        if "ids" in sent and "filter" in sent:
            raise ma.ValidationError("Cannot be combined with `ids`.", "filter")
        if "ids" not in sent and "filter" not in sent:
            raise ma.ValidationError("Needed, or `filter`.", "ids")
        if ("filter" in sent) != ("expectedCount" in sent):
            problem = "Needed with `filter`." if "filter" in sent else "Not taken with `ids`."
            raise ma.ValidationError(problem, "expectedCount")

    @ma.validates_schema(skip_on_field_errors=False, pass_original=True)
    def _fitting(self, data: Mapping[str, Any], sent: Mapping[str, Any], **_: object) -> None:
        if "action" not in data:
            return
        needed, wrong = NEEDS.get(data["action"], ()), {}
        if needed and sent.keys().isdisjoint(needed):
            wrong[needed[0]] = [f"Needed to {data['action']}."]
        if len(sent.keys() & set(needed)) > 1:
            wrong[needed[1]] = [f"Cannot be combined with `{needed[0]}`."]
        for name in sent.keys() & set(chain(*NEEDS.values())) - set(needed):
            wrong[name] = [f"Not taken by `{data['action']}`."]
        if "note" in sent and data["action"] not in WITH_NOTE:
            wrong["note"] = [f"Not taken by `{data['action']}`."]
        if wrong:
            raise ma.ValidationError(wrong)


class BulkResult(Schema):
    """The result for one id: the changed incident, or the status and code of the refusal of a single act."""

    id = TypeId("inc", required=True)
    status = ma.fields.Integer(required=True, metadata={"example": 200})
    code = ma.fields.String(metadata={"example": "invalid_transition"})
    detail = ma.fields.String()
    incident = ma.fields.Nested(IncidentRecord)


class BulkResponse(Schema):
    """An answer for each id, in the order given."""

    results = ma.fields.List(ma.fields.Nested(BulkResult), required=True)
    undo_id = TypeId(UNDO, required=True, allow_none=True, metadata={"description": "Null where nothing moved."})
    undo_until = Timestamp(required=True, allow_none=True)


class UndoRequest(Schema):
    """The acts to undo."""

    undo_id = TypeId(
        UNDO,
        required=True,
        metadata={"description": "Of a bulk answer, or the header `X-Undo-Id` of a single act or edit."},
    )


class UndoResponse(Schema):
    """An answer for each incident that was changed."""

    results = ma.fields.List(ma.fields.Nested(BulkResult), required=True)
