"""Judges the statements of the tests that run in this process (decision 0045)."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import psycopg2
from pglast import Error

from tests.statements.collecting import COLLECTION, ROOT
from tests.statements.exceptions import DIRECTORY, is_allowed
from tests.statements.workspace_rule import problems

JUDGED = tuple(
    ROOT / "tests" / folder
    for folder in (
        "flow/delivery",
        "flow/ingest",
        "flow/notices",
        "flow/people",
        "flow/routing",
        "flow/timers",
        "statements",
    )
)
"""Folders with the path of an event, acts, deliveries and timers. Their tests are judged at every run. `TEST_STATEMENTS=1` judges the tests of all folders."""

TENANT_TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE a.attname = 'workspace_id' AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
    AND pg_table_is_visible(c.oid)
"""


def is_judged(path: Path) -> bool:
    """Whether the tests of this file are judged."""
    return bool(os.environ.get("TEST_STATEMENTS")) or any(folder in path.parents for folder in JUDGED)


def faults_of_collection() -> list[str]:
    """Returns the faults of all statements since the start, each with the function that executes the statement."""
    return [
        f"{caller}: {fault}"
        for (caller, query), sent in COLLECTION.statements.items()
        for fault in _findings(query, sent)
        if not is_allowed(caller, fault)
    ]


_found: dict[str, list[str]] = {}


def _findings(query: str, sent: str) -> list[str]:
    if query not in _found:
        try:
            _found[query] = problems(sent, _tenant_tables)
        except Error as refused:
            _found[query] = [f"the parser refuses it: {refused}"]
    return _found[query]


_tenant_tables: set[str] = set()


def read_tenant_tables(url: str) -> None:
    """Reads from a database which tables and views have a workspace. Those that find the workspace are not judged."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(TENANT_TABLES)
        _tenant_tables.update(name for (name,) in cursor.fetchall())
    _tenant_tables.difference_update(DIRECTORY)
