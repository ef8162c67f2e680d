"""Shapes of the facets of events (specification 4.11)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, camel
from inbox.api.http.schemas.facets import Countable, FacetRecord, facets_query
from inbox.api.senders.schemas.events import FILTERS
from inbox.models.events.search import FACETS

FACET_NAMES = {camel(name): name for name in FACETS.dimensions}
"""The names of the facets, each with the field of its filter."""


class EventFacetsByName(Schema):
    """Each facet by the name of its filter. A facet that was not requested is absent."""

    severity = ma.fields.Nested(FacetRecord)
    source_id = ma.fields.Nested(FacetRecord)
    disposition = ma.fields.Nested(FacetRecord)
    tag = ma.fields.Nested(FacetRecord)
    resource_kind = ma.fields.Nested(FacetRecord)
    type = ma.fields.Nested(FacetRecord)
    action = ma.fields.Nested(FacetRecord)
    flag = ma.fields.Nested(FacetRecord)
    rule_id = ma.fields.Nested(FacetRecord)


class EventFacets(Countable):
    """The facets of events under the filters of the list."""

    facets = ma.fields.Nested(EventFacetsByName, required=True)


EventFacetsQuery = facets_query("EventFacetsQuery", FILTERS, FACET_NAMES)
