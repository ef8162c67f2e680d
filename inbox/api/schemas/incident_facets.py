"""Shapes of the facets of incidents and of what all facets share (specification 7.11)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.schemas.base import Schema, camel
from inbox.api.schemas.incidents import FILTERS
from inbox.api.schemas.list_filters import LONGEST_SEARCH, PeriodQuery, SearchText, several
from inbox.models.incidents.facets import DIMENSIONS
from inbox.models.lists.facets import MAX_VALUES

FACET_NAMES = {camel(name): name for name in DIMENSIONS}
"""The names of the facets, each with the field of its filter."""


class FacetValueRecord(Schema):
    """A value of a facet, and how many rows of the list have it."""

    value = ma.fields.String(
        required=True, metadata={"description": "As the filter of this name takes it.", "example": "ERROR"}
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


class FacetsByName(Schema):
    """Each facet by the name of its filter. A facet that was not requested is absent."""

    state = ma.fields.Nested(FacetRecord)
    severity = ma.fields.Nested(FacetRecord)
    source_id = ma.fields.Nested(FacetRecord)
    tag = ma.fields.Nested(FacetRecord)
    resource_kind = ma.fields.Nested(FacetRecord)
    type = ma.fields.Nested(FacetRecord)
    assignee_id = ma.fields.Nested(FacetRecord)
    rule_id = ma.fields.Nested(FacetRecord)


class IncidentFacets(Schema):
    """The facets of incidents under the filters of the list."""

    facets = ma.fields.Nested(FacetsByName, required=True)
    partial = ma.fields.Boolean(  # type: ignore[assignment]  # the metaclass takes it off the class
        required=True,
        metadata={"description": "Whether more incidents may pass the filters than were counted."},
    )


def value_prefix() -> SearchText:
    """The parameter for completions: only some of the values."""
    return SearchText(
        metadata={
            "description": "Only values that begin with this text, or whose label does, in any case.",
            "maxLength": LONGEST_SEARCH,
            "example": "pr",
        }
    )


IncidentFacetsQuery = type(
    "IncidentFacetsQuery",
    (PeriodQuery,),
    {
        **FILTERS,
        "facet": several(
            ma.fields.String(validate=ma.validate.OneOf(list(FACET_NAMES))), "Only this facet; all without it."
        ),
        "prefix": value_prefix(),
        "__doc__": "The filters of the list, and the requested facets.",
    },
)
