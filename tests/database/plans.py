"""Plans of statements, in which partitions and their indexes have the names of the partitioned table and its indexes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from inbox.database.base import db

PARENTS = "SELECT c.relname, p.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent"
OF_EMPTY_DEFAULT = re.compile(r"Seq Scan on \w+_default ")
"""A scan of a default partition, which has no row, and for which no index is cheaper."""


def explained(sql: str, values: Sequence[Any]) -> str:
    """The plan of a statement."""
    return by_parent(line for (line,) in db.execute_sql(f"EXPLAIN {sql}", values).fetchall())


def by_parent(lines: Iterable[str]) -> str:
    """The lines of a plan with the names of parents, without scans of empty default partitions."""
    parents = dict(db.execute_sql(PARENTS).fetchall())
    text = "\n".join(line for line in lines if not OF_EMPTY_DEFAULT.search(line))
    return re.sub(r"\w+", lambda word: parents.get(word[0], word[0]), text)
