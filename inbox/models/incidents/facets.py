"""Facets of incidents, the last seen first (specification 7.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from inbox.models.incidents import search
from inbox.models.lists.facets import KIND_OF_RESOURCE, Dimension, Facet, FacetedTable, each_of

NOBODY = ""
"""The value of incidents without an assignee."""

INCIDENTS = FacetedTable(
    "incidents WHERE id = x.id",
    {
        "state": Dimension("state", "state"),
        "severity": Dimension("severity", "severity::text"),
        "source_id": Dimension("source_id", "source_id::text", is_record=True),
        "tag": each_of("tags"),
        "resource_kind": KIND_OF_RESOURCE,
        "type": Dimension("type", "type"),
        "assignee_id": Dimension("assignee_id", f"coalesce(assignee_id::text, '{NOBODY}')", is_record=True),
        "rule_id": Dimension("rule_id", "rule_id::text", is_record=True),
    },
)
"""The facets of incidents."""

DIMENSIONS = tuple(INCIDENTS.dimensions)


def facets(
    workspace_ids: Sequence[UUID], args: Mapping[str, Any], dimensions: Sequence[str], *, most: int, prefix: str = ""
) -> tuple[dict[str, Facet], bool]:
    """Returns the facets of these dimensions, each of at most `most` incidents, and whether more may pass the filters."""
    return INCIDENTS.facets(partial(search.newest, workspace_ids, most=most), args, dimensions, prefix)
