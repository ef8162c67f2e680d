"""The list of deliveries with every filter, newest first or oldest first (specification 9.5)."""

from __future__ import annotations

from functools import partial

from inbox.database.read_query import ReadQuery
from inbox.models.deliveries.tables import Delivery
from inbox.models.lists.filters import Filter, Filters, indexed, period
from inbox.models.lists.long_list import LongList, scan_by_id

OWNERS = ("digest_id", "incident_id", "destination_id")
"""Filters by owner. Each has an index that is sorted by id."""

FILTERS = Filters(
    Delivery,
    {
        **{name: Filter(name, index=indexed) for name in OWNERS},
        "status": Filter("status"),
        "reason": Filter("reason"),
        **period("created_at"),
    },
    branches=dict.fromkeys(OWNERS, "uuid"),
)

_ROWS = ReadQuery(Delivery.select)

DELIVERIES = LongList(
    FILTERS, {"created": (Delivery.id,)}, lambda workspace_ids, ids: _ROWS(id=ids), partial(scan_by_id, FILTERS)
)
