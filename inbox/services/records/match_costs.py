"""The cost of stored matches, computed once for each revision of a record (specification 6.3)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import peewee
from cachetools import LRUCache

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import MatchCost
from inbox.runtime import work_budget

MAX_CACHED = 20_000
"""The maximum number of cached costs per process, of about 300 bytes each."""

CHUNK = 50
"""The number of matches that are read at once. A match has up to 64 KB."""

Revision = tuple[UUID, int]

_lock = threading.Lock()
_cached: LRUCache[Revision, MatchCost] = LRUCache(MAX_CACHED)


def fault(
    match: Any, others: peewee.ModelSelect[Any], records: str, *, ended: peewee.ModelSelect[Any] | None = None
) -> str | None:
    """Return the fault of this match together with the matches of these other rows; `records` names them in a sentence.

    `ended` rows are still loaded but hardly evaluated, so that only their bytes count. All these rows must be new or
    committed. An edit that is rolled back would cache a cost under a revision that another edit uses again. The row of
    the match itself is therefore not among them.
    """
    costs = [matchers.cost(match), *_of_rows(others)]
    if ended is not None:
        costs += [MatchCost(bytes=cost.bytes) for cost in _of_rows(ended)]
    return matchers.total_fault(costs, records)


def _of_rows(rows: peewee.ModelSelect[Any]) -> list[MatchCost]:
    table: Any = rows.model
    revisions: list[Revision] = list(rows.select(table.id, table.rev).tuples())
    with _lock:
        costs = {revision: _cached[revision] for revision in revisions if revision in _cached}
    missing = [id for id, rev in revisions if (id, rev) not in costs]
    for revision, cost in _read(missing, table):
        costs[revision] = cost
        with _lock:
            _cached[revision] = cost
    return list(costs.values())


def match_size(row: Any) -> int:
    """Return the size of a stored match in bytes."""
    return matchers.json_bytes(row.match)


def _read(ids: Sequence[UUID], table: Any) -> Iterator[tuple[Revision, MatchCost]]:
    for first in range(0, len(ids), CHUNK):
        rows = table.select(table.id, table.rev, table.match).where(table.id.in_(ids[first : first + CHUNK]))
        for row in work_budget.spending(rows):
            yield (row.id, row.rev), matchers.stored_cost(row.match)
