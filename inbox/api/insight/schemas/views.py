"""Shapes of saved views (specification 7.10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.deliveries.schemas.deliveries import DeliveriesQuery
from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedDict, BoundedList, Flag, Line, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.incidents.schemas.filters import IncidentsQuery
from inbox.api.incidents.schemas.incidents import ActorRecord
from inbox.api.senders.schemas.events import EventsQuery
from inbox.api.workspaces.schemas.audit import WorkspaceAuditQuery

LONGEST_NAME = 100
LONGEST_COLUMN, MAX_COLUMNS = 64, 50
LONGEST_ICON, MAX_ORDER = 64, 10_000
LISTS: Mapping[str, type[Schema]] = {
    "incidents": IncidentsQuery,
    "events": EventsQuery,
    "deliveries": DeliveriesQuery,
    "audit": WorkspaceAuditQuery,
}
PAGING_FIELDS = frozenset({"limit", "cursor", "offset"})
"""Paging is no part of a view."""


def checked(which: str, filters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the filters as the list itself would accept them, in the shape of the API.

    A filter by several values may be one text. Raises `ValidationError` at `filters`.
    """
    schema, taken = LISTS[which](), {}
    wrong: dict[str, Any] = {name: ["Unknown field."] for name in filters if name in PAGING_FIELDS}
    lists = {str(field.data_key) for field in schema.fields.values() if isinstance(field, ma.fields.List)}
    single = {name for name in lists & filters.keys() if isinstance(filters[name], str)}
    sent = {name: [value] if name in single else value for name, value in filters.items() if name not in PAGING_FIELDS}
    try:
        taken = schema.dump(schema.load(sent))
    except ma.ValidationError as error:
        wrong |= error.normalized_messages()
    if wrong:
        raise ma.ValidationError({"filters": wrong})
    return {name: taken[name][0] if name in single else taken[name] for name in filters}


class ViewEdit(Schema):
    """The fields of a view that can be set."""

    name = Line(LONGEST_NAME, metadata={"example": "Open and mine"})
    filters = BoundedDict(
        keys=ma.fields.String(),
        metadata={
            "description": "The query parameters of the list, sort and order too; validated as the list does.",
            "example": {"state": ["open"], "minSeverity": "ERROR", "sort": "lastSeen"},
        },
    )
    shared = Flag(metadata={"description": "Whether the workspace sees it. Sharing needs the role `member`."})
    columns = BoundedList(
        Line(LONGEST_COLUMN),
        allow_none=True,
        validate=ma.validate.Length(max=MAX_COLUMNS),
        metadata={"description": "The shown columns in their order; null: those of the list.", "example": ["title"]},
    )
    is_default = Flag(
        metadata={
            "description": "Whether the list opens with it. The default before it, personal or shared, becomes an"
            " ordinary view."
        }
    )
    position = StrictInteger(
        data_key="order",
        validate=ma.validate.Range(0, MAX_ORDER),
        metadata={"description": "Its place among the views of the list, from 0.", "example": 0},
    )
    icon = Line(LONGEST_ICON, allow_none=True, metadata={"description": "The name of an icon.", "example": "flame"})


class ViewNew(ViewEdit):
    """A new view."""

    workspace_id = TypeId("wsp", required=True)
    name = Line(LONGEST_NAME, required=True, metadata={"example": "Open and mine"})
    list = ma.fields.String(
        load_default="incidents",
        validate=ma.validate.OneOf(list(LISTS)),
        metadata={"description": "`audit` needs the role `admin`, as the audit log does."},
    )
    filters = BoundedDict(
        keys=ma.fields.String(),
        required=True,
        metadata={
            "description": "The query parameters of the list, sort and order too; validated as the list does.",
            "example": {"state": ["open"], "minSeverity": "ERROR", "sort": "lastSeen"},
        },
    )
    shared = Flag(load_default=False)

    @ma.validates_schema(skip_on_field_errors=False)
    def _fitting(self, data: Mapping[str, Any], **_: object) -> None:
        if "list" in data and "filters" in data:
            checked(data["list"], data["filters"])

    @ma.post_load
    def _checked(self, data: dict[str, Any], **_: object) -> dict[str, Any]:
        return {**data, "filters": checked(data["list"], data["filters"])}


class ViewRecord(Schema):
    """A saved view."""

    id = TypeId("view", required=True)
    workspace_id = TypeId("wsp", required=True)
    user_id = TypeId("usr", required=True, allow_none=True, metadata={"description": "Who made it."})
    created_by = ma.fields.Nested(ActorRecord, required=True, allow_none=True, attribute="maker")
    name = ma.fields.String(required=True)
    list = ma.fields.String(required=True, validate=ma.validate.OneOf(list(LISTS)))
    filters = ma.fields.Dict(required=True)
    shared = ma.fields.Boolean(required=True)
    columns = ma.fields.List(ma.fields.String(), required=True, allow_none=True)
    is_default = ma.fields.Boolean(required=True)
    position = ma.fields.Integer(required=True, data_key="order")
    icon = ma.fields.String(required=True, allow_none=True)
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True)
    rev = ma.fields.Integer(required=True)


ViewsQuery = page_query(
    "Views",
    ("created", "name", "order"),
    workspace_id=TypeId("wsp"),
    list=ma.fields.String(validate=ma.validate.OneOf(list(LISTS))),
    deleted=ma.fields.Boolean(metadata={"description": "The deleted ones in place of the others."}),
)
ViewsPage = page_of(ViewRecord, "View")
