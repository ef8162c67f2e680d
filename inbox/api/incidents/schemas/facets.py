"""Shapes of the facets of incidents (specification 7.11)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, camel
from inbox.api.http.schemas.facets import Countable, FacetRecord, facets_query
from inbox.api.incidents.schemas.filters import FILTERS
from inbox.models.incidents.search import FACETS

FACET_NAMES = {camel(name): name for name in FACETS.dimensions}
"""The names of the facets, each with the field of its filter."""


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


class IncidentFacets(Countable):
    """The facets of incidents under the filters of the list."""

    facets = ma.fields.Nested(FacetsByName, required=True)


IncidentFacetsQuery = facets_query("IncidentFacetsQuery", FILTERS, FACET_NAMES)
