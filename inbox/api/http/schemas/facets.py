"""Shapes that all facets share (specification 7.11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import Schema
from inbox.api.http.schemas.list_filters import LONGEST_SEARCH, PeriodQuery, SearchText, several
from inbox.models.lists.facets import MAX_VALUES


class FacetValueRecord(Schema):
    """A value of a facet, and the number of rows of the list that have it."""

    value = ma.fields.String(
        required=True, metadata={"description": "In the form of the filter of this name.", "example": "ERROR"}
    )
    label = ma.fields.String(
        required=True,
        metadata={"description": "The name of the record whose id it is; else the value.", "example": "ERROR"},
    )
    count = ma.fields.Integer(required=True, metadata={"example": 3})


class FacetRecord(Schema):
    """The most frequent values of one dimension under the filters of the other dimensions."""

    values = ma.fields.List(
        ma.fields.Nested(FacetValueRecord),
        required=True,
        metadata={"description": f"At most {MAX_VALUES}, the most frequent first."},
    )
    more = ma.fields.Boolean(required=True, metadata={"description": "Whether there are more values."})


class Countable(Schema):
    """An answer that counts a bounded number of rows."""

    partial = ma.fields.Boolean(  # type: ignore[assignment]  # the metaclass removes it from the class
        required=True,
        metadata={"description": "Whether more rows may pass the filters than were counted."},
    )


def facets_query(name: str, filters: Mapping[str, Any], facets: Iterable[str]) -> type[Schema]:
    """Returns the query schema of a list's facets: its filters, the `facets` to count, and a `prefix` of values."""
    prefix = SearchText(
        metadata={
            "description": "Only values that begin with this text, or whose label does, in any case.",
            "maxLength": LONGEST_SEARCH,
            "example": "pr",
        }
    )
    facet = several(ma.fields.String(validate=ma.validate.OneOf(list(facets))), "Only this facet; all without it.")
    members = {**filters, "facet": facet, "prefix": prefix}
    return type(name, (PeriodQuery,), {**members, "__doc__": "The filters of the list, and the requested facets."})
