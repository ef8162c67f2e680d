"""Facets of events with labels, under the filters of the list (specification 4.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from inbox.models.events import facets as event_facets
from inbox.models.events.facets import DIMENSIONS
from inbox.services.facet_labels import labelled

MAX_EXAMINED = 5_000
"""The events that one facet counts. Further ones make the answer partial."""


def facets(
    workspace_ids: Sequence[UUID],
    filters: Mapping[str, Any],
    dimensions: Sequence[str] = DIMENSIONS,
    prefix: str = "",
) -> dict[str, Any]:
    """The facets of these dimensions. Each value is one that its filter takes, and its label begins with `prefix`."""
    found, is_partial = event_facets.facets(workspace_ids, filters, dimensions, most=MAX_EXAMINED, prefix=prefix)
    return {"facets": {name: labelled(name, facet, prefix) for name, facet in found.items()}, "partial": is_partial}
