"""Facets of events, the newest first (specification 4.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from inbox.database.bulk_sql import array_literal
from inbox.models.events import search
from inbox.models.lists.facets import KIND_OF_RESOURCE, Dimension, Facet, FacetedTable, each_of

EVENTS = FacetedTable(
    "events WHERE workspace_id = ANY(%s::uuid[]) AND id = x.id",
    {
        "severity": Dimension("severity", "severity::text"),
        "source_id": Dimension("source_id", "source_id::text", is_record=True),
        "disposition": Dimension("disposition", "disposition"),
        "tag": each_of("tags"),
        "resource_kind": KIND_OF_RESOURCE,
        "type": Dimension("type", "type"),
        "action": Dimension("action", "action"),
        "flag": each_of("flags"),
        "rule_id": Dimension("json_extract_path_text(routing, 'ruleId') AS rule_id", "rule_id", is_record=True),
    },
)
"""The facets of events. Their rows need the workspaces as a parameter."""

DIMENSIONS = tuple(EVENTS.dimensions)


def facets(
    workspace_ids: Sequence[UUID], args: Mapping[str, Any], dimensions: Sequence[str], *, most: int, prefix: str = ""
) -> tuple[dict[str, Facet], bool]:
    """Returns the facets of these dimensions, each of at most `most` events, and whether more may pass the filters."""
    newest = partial(search.newest, workspace_ids, most=most)
    return EVENTS.facets(newest, args, dimensions, prefix, [array_literal(workspace_ids, unquoted=True)])
