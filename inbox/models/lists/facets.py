"""Facets of a long list: the most frequent values of each dimension under the filters of the list.

Each facet examines a bounded number of rows (specification 7.11).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.database.patterns import prefix_pattern

MAX_VALUES = 20
"""The values of one facet. The most frequent ones come first."""

ROWS = "y"
"""The name of the examined rows in the SQL of dimensions."""


class Facet(NamedTuple):
    """The most frequent values of a dimension, each with its number of rows, and whether there are more values."""

    values: list[tuple[str, int]]
    more: bool


class Dimension(NamedTuple):
    """A dimension in SQL: the column that it needs, its value, and the rows that have it. Rows without one do not count.

    The values of a record are ids. Their labels are looked up later, and a prefix applies to the label.
    """

    column: str
    value: str
    rows: str = ROWS
    is_record: bool = False


@dataclass(frozen=True, slots=True)
class FacetedTable:
    """A table with facets, and its dimensions by the names of their filters.

    With `is_keyed_by_workspace`, its primary key begins with the workspace.
    """

    table: str
    dimensions: Mapping[str, Dimension]
    is_keyed_by_workspace: bool = False

    def counted(
        self, workspace_ids: Sequence[UUID], ids: Sequence[UUID], dimensions: Sequence[str], prefix: str = ""
    ) -> dict[str, Facet]:
        """Returns the facets of these rows. With a prefix, only values that begin with it, and all values of records."""
        values: dict[str, list[tuple[str, int]]] = {name: [] for name in dimensions}
        sql, parameters = self.sql(dimensions, prefix)
        keys = [ids, workspace_ids] if self.is_keyed_by_workspace else [ids]
        given = [*(array_literal(each, unquoted=True) for each in keys), *parameters]
        for name, value, count in db.execute_sql(sql, given).fetchall():
            values[name].append((value, count))
        return {name: self._facet(name, each, prefix) for name, each in values.items()}

    def sql(self, dimensions: Sequence[str], prefix: str = "") -> tuple[str, list[str]]:
        """Returns the statement of the facets, and the parameters that follow the array of ids, and of workspaces.

        OFFSET 0 makes it read each row by its id. Without statistics a scan of the whole table looks as cheap.
        """
        parts, parameters = [], []
        for name in dimensions:
            dimension = self.dimensions[name]
            value, condition, limit = dimension.value, f"{dimension.value} IS NOT NULL", f" LIMIT {MAX_VALUES + 1}"
            if prefix and dimension.is_record:
                limit = ""
            elif prefix:
                condition = f"{value} ILIKE %s"
                parameters.append(prefix_pattern(prefix))
            parts.append(
                f"(SELECT '{name}' AS name, {value} AS value, count(*) AS count FROM {dimension.rows} WHERE {condition}"
                f" GROUP BY 2 ORDER BY 3 DESC, 2{limit})"
            )
        key = "workspace_id = ANY(%s::uuid[]) AND id = x.id" if self.is_keyed_by_workspace else "id = x.id"
        columns = ", ".join(["id", *dict.fromkeys(self.dimensions[name].column for name in dimensions)])
        sql = (
            f"WITH {ROWS} AS MATERIALIZED (SELECT i.* FROM unnest(%s::uuid[]) x (id) CROSS JOIN LATERAL ("
            f"SELECT {columns} FROM {self.table} WHERE {key} OFFSET 0) i) {' UNION ALL '.join(parts)}"
        )
        return sql, parameters

    def _facet(self, name: str, values: list[tuple[str, int]], prefix: str) -> Facet:
        if prefix and self.dimensions[name].is_record:
            return Facet(values, more=False)
        return Facet(values[:MAX_VALUES], len(values) > MAX_VALUES)


NO_FACETS = FacetedTable("", {})


def each_of(column: str) -> Dimension:
    """Returns the dimension of a column that holds several values."""
    rows = f"(SELECT DISTINCT {ROWS}.id, unnest({ROWS}.{column}) AS value FROM {ROWS}) t"
    return Dimension(column, "value", rows)


KIND_OF_RESOURCE = Dimension(
    "resource", "CASE WHEN position(':' IN resource) > 1 THEN split_part(resource, ':', 1) END"
)
"""The dimension of the part of the resource before `:`."""
