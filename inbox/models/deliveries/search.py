"""Lists of deliveries with every filter, newest first or oldest first (specification 9.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.database.read_query import ReadQuery
from inbox.models.deliveries.tables import Delivery
from inbox.models.events import id_range as event_id_range
from inbox.models.lists.index_scan import IndexScan, Lookup, Partitions
from inbox.models.lists.pagination import PagedList

OWNER_FILTERS = ("digest_id", "incident_id", "destination_id")
"""Filters by owner. Each has an index that is sorted by id."""


def search(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> PagedList:
    """Returns the deliveries of these workspaces that pass the filters in `args`."""
    return PagedList(scan_plan(workspace_ids, args), lambda ids: _ROWS(id=ids))


_ROWS = ReadQuery(Delivery.select)


def scan_plan(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> IndexScan:
    """Returns the scan of the list."""
    owner = next((name for name in OWNER_FILTERS if name in args), None)
    branches = Partitions({"workspace_id": "uuid"}, [(id,) for id in workspace_ids])
    if owner is not None:
        branches = Partitions(
            {"workspace_id": "uuid", owner: "uuid"},
            [(id, value) for id in workspace_ids for value in _values(args[owner])],
        )
    low, high = event_id_range.approximate(args.get("since"), args.get("until"))
    filters = _conditions({name: value for name, value in args.items() if name != owner})
    return IndexScan(
        Delivery, [Delivery.id], branches, low, high, _times(args), filters, lookups=_lookups(workspace_ids, args)
    )


def _lookups(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> list[Lookup]:
    """Returns one lookup per filter by owner, since both filters may be given."""
    in_workspaces = Delivery.workspace_id.in_(list(workspace_ids))
    return [
        Lookup(
            Delivery.select(peewee.SQL("1")).where(in_workspaces, *where),
            Delivery,
            where,
            [*_conditions(args), *_times(args)],
        )
        for where in (_conditions({name: args[name]}) for name in OWNER_FILTERS if name in args)
    ]


def _conditions(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions for the filters. A row passes a filter if it has any of the filter's values."""
    names = [name for name in (*OWNER_FILTERS, "status", "reason") if name in args]
    return [getattr(Delivery, name).in_(_values(args[name])) for name in names]


def _values(given: Any) -> list[Any]:
    """Returns the values of a filter, each once. Some filters take one value."""
    return list(dict.fromkeys(given)) if isinstance(given, list) else [given]


def _times(args: Mapping[str, Any]) -> list[Any]:
    found = [Delivery.created_at >= args["since"]] if "since" in args else []
    return [*found, Delivery.created_at < args["until"]] if "until" in args else found
