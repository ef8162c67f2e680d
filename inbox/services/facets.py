"""Facets of incidents and events with labels, under the filters of their lists (specification 4.11, 7.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from inbox.models.events import facets as event_facets
from inbox.models.incidents import facets as incident_facets
from inbox.models.lists.facets import Facet
from inbox.services.facet_labels import labelled

MAX_INCIDENTS, MAX_EVENTS = 10_000, 5_000
"""The rows that one facet counts. Further ones make the answer partial."""


def of_incidents(
    workspace_ids: Sequence[UUID],
    filters: Mapping[str, Any],
    dimensions: Sequence[str] = incident_facets.DIMENSIONS,
    prefix: str = "",
) -> dict[str, Any]:
    """The facets of these dimensions. Each value is one that its filter takes, and its label begins with `prefix`."""
    found = incident_facets.facets(workspace_ids, filters, dimensions, most=MAX_INCIDENTS, prefix=prefix)
    return _answer(*found, prefix)


def of_events(
    workspace_ids: Sequence[UUID],
    filters: Mapping[str, Any],
    dimensions: Sequence[str] = event_facets.DIMENSIONS,
    prefix: str = "",
) -> dict[str, Any]:
    """The same of events."""
    found = event_facets.facets(workspace_ids, filters, dimensions, most=MAX_EVENTS, prefix=prefix)
    return _answer(*found, prefix)


def _answer(facets: Mapping[str, Facet], is_partial: bool, prefix: str) -> dict[str, Any]:
    return {"facets": {name: labelled(name, facet, prefix) for name, facet in facets.items()}, "partial": is_partial}
