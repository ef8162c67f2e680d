"""Fields of the queries of long lists: several values, people, resource kinds and periods (specification 2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedList, Schema, TypeId
from inbox.domain.events.fields import RESOURCE_LIMIT
from inbox.domain.values import list_filters

MAX_VALUES = 20
"""The most values of one filter."""

LONGEST_SEARCH = 256


class SearchText(ma.fields.String):
    """A search text."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip()
        if not 1 <= len(text) <= LONGEST_SEARCH:
            raise ma.ValidationError(f"Must have 1 to {LONGEST_SEARCH} characters.")
        return text


class PeriodQuery(Schema):
    """The base of queries with `since` and `last`."""

    @ma.validates_schema(skip_on_field_errors=False)
    def _one_beginning(self, data: Mapping[str, Any], **_: object) -> None:
        if "last" in data and "since" in data:
            raise ma.ValidationError("Cannot be combined with since.", "last")


class Period(ma.fields.String):
    """A period up to the time of the request, such as `24h`."""

    complaint = "Use minutes, hours or days, as in 30m, 24h or 7d, at most 366 days."

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if list_filters.period(text) is None:
            raise ma.ValidationError(self.complaint)
        return text


def by_name(description: str = "Only those whose name contains this text, in any case.") -> SearchText:
    """Returns the filter of a short list by a text, which `containing` applies."""
    return SearchText(metadata={"description": description, "maxLength": LONGEST_SEARCH})


def several(field: ma.fields.Field[Any], description: str = "") -> BoundedList:
    """Returns a filter by one or several values. Rows with any of them pass."""
    text = f"{description} One or several: repeat it.".strip()
    return BoundedList(field, validate=ma.validate.Length(1, MAX_VALUES), metadata={"description": text})


def of_resources() -> dict[str, BoundedList]:
    """Returns the filters that incidents and events share."""
    return {
        "resource": several(SearchText(), "Of exactly this resource."),
        "resource_kind": several(
            ma.fields.String(validate=ma.validate.Regexp(f"^[^:\\x00]{{1,{RESOURCE_LIMIT}}}$", error="Not a kind.")),
            "Of a resource of this kind: the part before `:`.",
        ),
        "type": several(SearchText(), "Of exactly this type."),
        "dedup_key": several(SearchText(), "With exactly this dedup key."),
        "fingerprint": several(SearchText(), "With exactly this fingerprint."),
        "tag": several(SearchText(), "With this tag."),
        "rule_id": several(TypeId("rul"), "Routed by this rule."),
    }


def last(description: str) -> Period:
    """Returns the filter by a period up to now."""
    return Period(
        metadata={
            "description": f"{description} In place of `since`.",
            "pattern": list_filters.PERIOD_PATTERN,
            "example": "24h",
        }
    )
