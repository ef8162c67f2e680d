"""Shapes of saved views (specification 7.10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.paging import page_of, page_query
from inbox.api.schemas.base import Flag, Line, Schema, Timestamp, TypeId
from inbox.api.schemas.events import EventsQuery
from inbox.api.schemas.incidents import IncidentsQuery

LONGEST_NAME = 100
LISTS: Mapping[str, type[Schema]] = {"incidents": IncidentsQuery, "events": EventsQuery}
PAGING_FIELDS = frozenset({"limit", "cursor", "offset"})
"""What leads from page to page is no part of a view."""


def checked(which: str, filters: Mapping[str, Any]) -> dict[str, Any]:
    """The filters as the list itself would take them, in the shape of the API; raises `ValidationError` at `filters`."""
    schema, taken = LISTS[which](), {}
    wrong: dict[str, Any] = {name: ["Unknown field."] for name in filters if name in PAGING_FIELDS}
    try:
        taken = schema.dump(schema.load({name: value for name, value in filters.items() if name not in PAGING_FIELDS}))
    except ma.ValidationError as error:
        wrong |= error.normalized_messages()
    if wrong:
        raise ma.ValidationError({"filters": wrong})
    return {name: taken[name] for name in filters}


class ViewEdit(Schema):
    """What may be set of a view."""

    name = Line(LONGEST_NAME, metadata={"example": "Open and mine"})
    filters = ma.fields.Dict(
        keys=ma.fields.String(),
        metadata={
            "description": "The query parameters of the list, sort and order too; validated as the list does.",
            "example": {"state": ["open"], "minSeverity": "ERROR", "sort": "lastSeen"},
        },
    )
    shared = Flag(metadata={"description": "Whether the workspace sees it. Sharing needs the role `member`."})


class ViewNew(ViewEdit):
    """A view to be kept."""

    workspace_id = TypeId("wsp", required=True)
    name = Line(LONGEST_NAME, required=True, metadata={"example": "Open and mine"})
    list = ma.fields.String(load_default="incidents", validate=ma.validate.OneOf(list(LISTS)))
    filters = ma.fields.Dict(
        keys=ma.fields.String(),
        required=True,
        metadata={
            "description": "The query parameters of the list, sort and order too; validated as the list does.",
            "example": {"state": ["open"], "minSeverity": "ERROR", "sort": "lastSeen"},
        },
    )
    shared = Flag(load_default=False)

    @ma.validates_schema(skip_on_field_errors=False)
    def _fitting(self, data: Mapping[str, Any], **_: Any) -> None:
        if "list" in data and "filters" in data:
            checked(data["list"], data["filters"])

    @ma.post_load
    def _checked(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {**data, "filters": checked(data["list"], data["filters"])}


class ViewRecord(Schema):
    """A saved view."""

    id = TypeId("view", required=True)
    workspace_id = TypeId("wsp", required=True)
    user_id = TypeId("usr", required=True, allow_none=True, metadata={"description": "Who made it."})
    name = ma.fields.String(required=True)
    list = ma.fields.String(required=True, validate=ma.validate.OneOf(["incidents", "events"]))
    filters = ma.fields.Dict(required=True)
    shared = ma.fields.Boolean(required=True)
    created_at = Timestamp(required=True)
    rev = ma.fields.Integer(required=True)


ViewsQuery = page_query(
    "Views",
    ("created", "name"),
    workspace_id=TypeId("wsp"),
    list=ma.fields.String(validate=ma.validate.OneOf(["incidents", "events"])),
)
ViewsPage = page_of(ViewRecord, "View")
