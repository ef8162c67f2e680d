"""The scope of statistics: workspaces, a period and filters, and the newest rows of it that are examined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.values import ids


@dataclass(frozen=True, slots=True)
class Scope:
    """The workspaces, the period from `since` to before `until`, and the filters. An empty filter passes everything."""

    workspace_ids: Sequence[UUID]
    since: datetime
    until: datetime
    source_ids: Sequence[UUID] = ()
    severities: Sequence[str] = ()
    tags: Sequence[str] = ()

    @property
    def is_filtered(self) -> bool:
        """Returns whether there is a filter."""
        return bool(self.source_ids or self.severities or self.tags)

    def rows(self, sql: str, **more: Any) -> list[Any]:
        """Returns the rows of a query with the parameters of the scope and further ones."""
        values = {
            "workspaces": array_literal(self.workspace_ids, unquoted=True),
            "sources": array_literal(self.source_ids, unquoted=True),
            "severities": array_literal(self.severities, unquoted=True),
            "tags": array_literal(self.tags),
            "since": self.since,
            "until": self.until,
            "first": first_id(self.since),
            "last": first_id(self.until),
            **more,
        }
        return list(db.execute_sql(sql, values).fetchall())

    def filter_sql(self, alias: str) -> str:
        """Returns the filters as conditions on incidents or events with this alias, each with ` AND ` before it."""
        conditions = (
            (self.source_ids, f" AND {alias}.source_id = ANY(%(sources)s::uuid[])"),
            (self.severities, f" AND {alias}.severity = ANY(%(severities)s::severity[])"),
            (self.tags, f" AND {alias}.tags && %(tags)s::text[]"),
        )
        return "".join(sql for values, sql in conditions if values)


def first_id(moment: datetime) -> UUID:
    """Returns the lowest id that can be created at a time."""
    return ids.uuid7(max(0, int(moment.timestamp() * 1000)), bytes(10))
