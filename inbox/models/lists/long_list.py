"""Long lists: the pages, the newest rows and the facets of a list that is described by its scan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.paging import MAX_OFFSET, Position
from inbox.models.lists.facets import NO_FACETS, Facet, FacetedTable
from inbox.models.lists.filters import PERIOD, Args, Filters
from inbox.models.lists.index_scan import IndexScan
from inbox.models.lists.pages import RowPage
from inbox.models.lists.pagination import NUMBERED_PAGE, keyset_page


@dataclass(frozen=True, slots=True)
class PagedList:
    """The rows that pass the filters of a request: their scan, and a query of rows by ids in any order."""

    scan: IndexScan
    by_ids: Callable[[Sequence[UUID]], Iterable[Any]]

    def page(self, *, after: Position | None, descending: bool, limit: int) -> RowPage:
        """Returns the next page. It may be short or empty although more rows follow."""
        found, following = keyset_page(self.scan, after=after, descending=descending, limit=limit)
        return RowPage(self._rows(found), following)

    def page_at_offset(self, *, offset: int, descending: bool, limit: int) -> tuple[Sequence[Any] | None, int | None]:
        """Returns `limit` rows after `offset` rows, and the number of all rows up to `MAX_OFFSET`.

        The rows are None if too many rows would be examined for them. The number is None if it is larger or unknown.
        """
        most = max(offset + limit, MAX_OFFSET)
        found, following = keyset_page(self.scan, after=None, descending=descending, limit=most, bounds=NUMBERED_PAGE)
        if following is not None and len(found) < offset + limit:
            return None, None
        is_exact = following is None and len(found) <= MAX_OFFSET
        return self._rows(found[offset : offset + limit]), len(found) if is_exact else None

    def _rows(self, chosen: Sequence[UUID]) -> Sequence[Any]:
        found = {row.id: row for row in self.by_ids(chosen)} if chosen else {}
        return [found[id] for id in chosen if id in found]


@dataclass(frozen=True, slots=True)
class LongList:
    """A list of many rows.

    - `filters` has the filters, and `sorts` the columns of each sort before the id. The first sort has the newest rows first.
    - `rows` returns the rows of these workspaces with these ids.
    - `scan` returns the scan of the rows of these workspaces under the filters and the sort of a request.
    - `faceted` counts the facets.
    """

    filters: Filters
    sorts: Mapping[str, Sequence[Any]]
    rows: Callable[[Sequence[UUID], Sequence[UUID]], Iterable[Any]]
    scan: Callable[[Sequence[UUID], Args], IndexScan]
    faceted: FacetedTable = NO_FACETS

    def search(self, workspace_ids: Sequence[UUID], args: Args) -> PagedList:
        """Returns the rows of these workspaces that pass the filters in `args`, sorted by `args["sort"]`."""
        return PagedList(self.scan(workspace_ids, args), partial(self.rows, workspace_ids))

    def newest(self, workspace_ids: Sequence[UUID], args: Args, *, most: int) -> tuple[list[UUID], bool]:
        """Returns the newest `most` rows that pass the filters, and whether more may follow.

        Fewer are returned if more rows would be examined than for a numbered page.
        """
        scan = self.scan(workspace_ids, {**args, "sort": next(iter(self.sorts))})
        found, following = keyset_page(scan, after=None, descending=True, limit=most, bounds=NUMBERED_PAGE)
        return found, following is not None

    def facets(
        self, workspace_ids: Sequence[UUID], args: Args, dimensions: Sequence[str], *, most: int, prefix: str = ""
    ) -> tuple[dict[str, Facet], bool]:
        """Returns the facets of these dimensions, each of the newest `most` rows, and whether more may pass the filters.

        The filter by a dimension does not narrow its own facet, so that a further value can be chosen there. The
        dimensions without a filter share their rows.
        """
        found: dict[str, Facet] = {}
        is_partial = False
        shared = [name for name in dimensions if name not in args]
        for names in ([shared] if shared else []) + [[name] for name in dimensions if name in args]:
            others = {name: value for name, value in args.items() if name not in names}
            newest, more = self.newest(workspace_ids, others, most=most)
            found |= self.faceted.counted(workspace_ids, newest, names, prefix)
            is_partial |= more
        return {name: found[name] for name in dimensions}, is_partial


def scan_by_id(filters: Filters, workspace_ids: Sequence[UUID], args: Args) -> IndexScan:
    """Returns the scan of a list in the order of its ids, along the index of the most selective filter."""
    id, (branches, covered) = filters.table.id, filters.best_branches(workspace_ids, args)
    low, high = ids.around(args.get("since"), args.get("until"))
    where, conditions = filters.conditions(args, only=PERIOD), filters.conditions(args, without=covered | PERIOD)
    lookups = filters.lookups(workspace_ids, args)
    return IndexScan(filters.table, [id], branches, low, high, where, conditions, lookups=lookups)
