"""The filters of a list by the names of their parameters. A table of them gives conditions, branches of scans and look-ups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

import peewee

from inbox.database.patterns import like_pattern
from inbox.domain.values import severity
from inbox.domain.values.severity import Severity
from inbox.models.lists.index_scan import Lookup, Partitions

Args = Mapping[str, Any]
"""The values of the filters of a request, and its sort."""

Condition = Callable[[Any, Any], Any]
"""Makes a condition on a table from the value of a filter; None if it sets none."""

PERIOD = frozenset({"since", "until"})

SEVERITIES = [str(each) for each in Severity]


@dataclass(frozen=True, slots=True)
class Index:
    """An index that finds the rows that pass a filter.

    `table` has the index, and `view` has the columns of the list; both are the table of the list by default. `condition`
    is the part of the filter that the index supports, by default all of it. `more` is a further condition for the index.
    """

    table: Any = None
    view: Any = None
    condition: Condition | None = None
    more: Callable[[Sequence[UUID]], Any] | None = None


def indexed(value: object) -> Index | None:
    """Returns the index of a filter that has one for each value."""
    return Index()


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter: a row passes if `column` has one of its values, or if it fulfils `condition`.

    `index` returns the index that finds the rows with a value, if there is one.
    """

    column: str = ""
    condition: Condition | None = None
    index: Callable[[Any], Index | None] = field(default=lambda value: None)

    def on(self, table: Any, value: Any) -> Any:
        """Returns the condition on a row of the table."""
        if self.condition is not None:
            return self.condition(table, value)
        return one_of(getattr(table, self.column), values_of(value))


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a list, the most selective first.

    `branches` has the filters whose index keeps the default order of the list, in the order of preference, each with the
    SQL type of its column. An empty type marks a partial index: it has only the rows that pass.
    """

    table: Any
    by_name: Mapping[str, Filter]
    branches: Mapping[str, str] = field(default_factory=dict)

    def conditions(
        self, args: Args, *, only: Collection[str] | None = None, without: Collection[str] = (), table: Any = None
    ) -> list[Any]:
        """Returns the conditions of the filters in `args`, or of some of them."""
        allowed = set(self.by_name if only is None else only).difference(without)
        names = [name for name in self.by_name if name in args and name in allowed]
        found = [self.by_name[name].on(table or self.table, args[name]) for name in names]
        return [each for each in found if each is not None]

    def best_branches(self, workspace_ids: Sequence[UUID], args: Args) -> tuple[Partitions, frozenset[str]]:
        """Returns the branches of a scan in the default order, and the filter that they cover, if any."""
        for name, sql_type in self.branches.items():
            if name in args and self.by_name[name].index(args[name]) is not None:
                if not sql_type:
                    return all_rows(workspace_ids), frozenset({name})
                values = [(value,) for value in dict.fromkeys(values_of(args[name]))]
                return each_value(workspace_ids, self.by_name[name].column, sql_type, values), frozenset({name})
        return all_rows(workspace_ids), frozenset()

    def lookups(self, workspace_ids: Sequence[UUID], args: Args, *, first: str = "") -> list[Lookup]:
        """Returns the filters with an index, the most selective first, or the filter `first` before them."""
        found = []
        for name in sorted(self.by_name, key=lambda name: name != first):
            index = self.by_name[name].index(args[name]) if name in args else None
            if index is not None:
                found.append(self._lookup(workspace_ids, args, name, index))
        return found

    def _lookup(self, workspace_ids: Sequence[UUID], args: Args, name: str, index: Index) -> Lookup:
        table, view = index.table or self.table, index.view or self.table
        condition = index.condition or self.by_name[name].on
        more = [] if index.more is None else [index.more(workspace_ids)]
        in_index, in_view = (
            [] if made is None else [made] for made in (condition(each, args[name]) for each in (table, view))
        )
        rows = table.select(peewee.SQL("1")).where(table.workspace_id.in_(list(workspace_ids)), *in_index, *more)
        return Lookup(rows, view, [*in_view, *more], self.conditions(args, table=view))


def all_rows(workspace_ids: Sequence[UUID]) -> Partitions:
    """Returns one branch for each workspace."""
    return Partitions({"workspace_id": "uuid"}, [(id,) for id in workspace_ids])


def each_value(
    workspace_ids: Sequence[UUID],
    column: str,
    sql_type: str,
    values: Sequence[tuple[Any, ...]],
    rank: str | None = None,
) -> Partitions:
    """Returns one branch for each workspace and value. With the SQL type of a `rank`, each value has its rank beside it."""
    rows = [(id, *value) for id in workspace_ids for value in values]
    return Partitions({"workspace_id": "uuid", column: sql_type}, rows, rank)


def ranked(workspace_ids: Sequence[UUID], args: Args, column: str, sql_type: str, values: Sequence[str]) -> Partitions:
    """Returns the branches of a sort by a column with few values, the lowest first."""
    ranks = [(value, place) for place, value in enumerate(values) if value in args.get(column, values)]
    return each_value(workspace_ids, column, sql_type, ranks, "integer")


def with_severities(args: Args) -> dict[str, Any]:
    """Returns the filters with one filter by severity instead of two; INFO and SUCCESS are equal (specification 4.2)."""
    found = dict(args)
    if "severity" in args or "min_severity" in args:
        least = severity.rank(found.pop("min_severity")) if "min_severity" in args else 0
        chosen = args.get("severity", Severity)
        found["severity"] = [str(each) for each in Severity if severity.rank(each) >= least and each in chosen]
    return found


def period(column: str) -> dict[str, Filter]:
    """Returns the filters `since` and `until` of a column."""
    return {
        "since": Filter(condition=lambda table, moment: getattr(table, column) >= moment),
        "until": Filter(condition=lambda table, moment: getattr(table, column) < moment),
    }


def values_of(given: Any) -> Sequence[Any]:
    """Returns the values of a filter. Some filters take one value."""
    return given if isinstance(given, list | tuple) else [given]


def one_of(column: Any, values: Sequence[Any]) -> Any:
    """Returns a condition: the column has one of these values. None among them matches rows without a value."""
    some = [each for each in values if each is not None]
    if len(some) == len(values):
        return column.in_(some)
    return column.is_null() | column.in_(some) if some else column.is_null()


def of_kinds(table: Any, kinds: Sequence[str]) -> Any:
    """Returns a condition: the resource has one of these kinds."""
    return reduce(or_, [peewee.fn.STARTS_WITH(table.resource, f"{kind}:") for kind in kinds])


def has_text(table: Any, text: str) -> Any:
    """Returns a condition: the text is in the title, the resource or the dedup key, in any case."""
    pattern = like_pattern(text)
    return table.title**pattern | table.resource**pattern | table.dedup_key**pattern
