"""The people whom steps, rules and the default route page (specification 23.12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedList, Schema, TypeId, typeid_schema
from inbox.domain.routing.people import MAX_PEOPLE


class PageTargetShape(Schema):
    """A person, or whoever is on call by a schedule when the step is due. It has one of the two fields."""

    schedule_id = TypeId("sch", metadata={"description": "Whoever is on call by this schedule."})
    user_id = TypeId("usr", metadata={"description": "This member."})

    @ma.validates_schema
    def _names_one(self, data: Mapping[str, Any], **_: Any) -> None:
        if len(data) != 1:
            raise ma.ValidationError("Name either scheduleId or userId.")

    @ma.post_dump
    def _without_the_other(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {name: value for name, value in data.items() if value is not None}


class PageTargets(BoundedList):
    """A list of people who are paged, by the notification rules of each."""

    def __init__(self, *, least: int = 0, **values: Any) -> None:
        """`least` is the fewest entries. `values` are those of a field, without the inner field."""
        example = [{"userId": typeid_schema("usr")["example"]}] if least else []
        about = {"description": "Who is paged, by the notification rules of each.", "example": example}
        length = ma.validate.Length(least, MAX_PEOPLE)
        super().__init__(ma.fields.Nested(PageTargetShape), validate=length, metadata=about, **values)
