"""Shapes of the records that files keep (specification 24.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import marshmallow as ma

from inbox.api.configuration.sections import SECTIONS
from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, Timestamp, typeid_schema
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

PREFIXES: Mapping[str, Prefix] = {each.record_type: each.prefix for each in SECTIONS} | {"workspace": Prefix.WORKSPACE}
"""The prefix of the ids of each type of record."""

_ID = {
    "pattern": f"^({'|'.join(PREFIXES.values())})_[0-7][0-9a-hjkmnp-tv-z]{{25}}$",
    "example": typeid_schema(Prefix.RULE)["example"],
}


class RecordId(ma.fields.Field[UUID]):
    """The id of a record of any type that files keep."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "metadata": {"type": "string", **_ID, **kwargs.get("metadata", {})}})

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> UUID:
        text = value if isinstance(value, str) else ""
        prefix = text.partition("_")[0]
        found = ids.decode(prefix, text) if prefix in PREFIXES.values() else None
        if found is None:
            raise ma.ValidationError("Not the id of a record that files can keep.")
        return found


class KeptRecordShape(Schema):
    """A record that a file keeps. The next application of the file sets it back to the file."""

    record_id = RecordId(required=True, attribute="typeid")
    type = ma.fields.String(
        required=True, attribute="record_type", validate=ma.validate.OneOf(list(PREFIXES)), metadata={"example": "rule"}
    )
    key = ma.fields.String(required=True, metadata={"example": "databases"})
    file = ma.fields.String(required=True, metadata={"example": "acme.yaml"})
    applied_at = Timestamp(
        required=True, metadata={"description": "When an application of the file last changed the record or its entry."}
    )


KeptRecordsQuery = page_query(
    "KeptRecords",
    ("key",),
    record_id=RecordId(metadata={"description": "Only the entry of this record."}),
    type=ma.fields.String(
        attribute="record_type",
        validate=ma.validate.OneOf(list(PREFIXES)),
        metadata={"description": "Only records of this type.", "example": "view"},
    ),
)
KeptRecordsPage = page_of(KeptRecordShape, "KeptRecord")
