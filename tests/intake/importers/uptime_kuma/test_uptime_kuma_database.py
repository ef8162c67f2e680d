"""Databases of Uptime Kuma whose schema computes, expands or never ends are refused in bounded memory (specification 22.7)."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest

from inbox.intake.importers import uptime_kuma
from inbox.intake.importers.plan import ItemKind, Plan, Unreadable
from inbox.intake.importers.uptime_kuma import database as uptime_kuma_database
from inbox.intake.importers.uptime_kuma.database import LONGEST_VALUE, MOST_CHARACTERS
from tests.ops.processes import PROJECT

MEMORY = 256 * 1024 * 1024
"""Bytes of memory that reading may take beside those of the process."""

LARGE = "hex(zeroblob(400000000))"
COUNTED = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 1000)"
ENDLESS = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)"
TABLE = "CREATE TABLE monitor (id INTEGER PRIMARY KEY, type TEXT, name TEXT, interval INTEGER)"
HOSTILE = {
    "a view of large texts": [
        f"CREATE VIEW monitor AS {COUNTED} SELECT i AS id, 'http' AS type, {LARGE} AS name FROM c"
    ],
    "an endless view": [f"CREATE VIEW monitor AS {ENDLESS} SELECT i AS id FROM c WHERE i < 0"],
    "a computed column": [
        f"CREATE TABLE monitor (id INTEGER PRIMARY KEY, type TEXT, name TEXT AS ({LARGE}))",
        f"INSERT INTO monitor (id) {COUNTED} SELECT i FROM c",
    ],
    "a stored computed column": [
        "CREATE TABLE monitor (id INTEGER PRIMARY KEY, type TEXT, name TEXT AS (upper(type)) STORED)",
        "INSERT INTO monitor (id, type) VALUES (1, 'push')",
    ],
    "a virtual table": ["CREATE VIRTUAL TABLE monitor USING fts5 (id, type, name)"],
    "a large default": [
        "CREATE TABLE monitor (id INTEGER PRIMARY KEY)",
        f"INSERT INTO monitor {COUNTED} SELECT i FROM c",
        f"ALTER TABLE monitor ADD COLUMN name TEXT DEFAULT '{'x' * 60_000}'",
        f"ALTER TABLE monitor ADD COLUMN type TEXT DEFAULT '{'y' * 60_000}'",
    ],
}

CHILD = """
import resource, sys
from inbox.intake.importers import uptime_kuma
from inbox.intake.importers.plan import Unreadable
content = sys.stdin.buffer.read()
[pages] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmSize")]
most = int(pages) * 1024 + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    uptime_kuma.read_bytes(content)
except Unreadable:
    print("refused")
"""


def file(statements: list[str]) -> bytes:
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


def named(*lengths: int) -> bytes:
    """A file with a push monitor for each length of a name."""
    rows = [f"INSERT INTO monitor VALUES ({id}, 'push', '{'x' * length}', 60)" for id, length in enumerate(lengths)]
    return file([TABLE, *rows])


def monitors(made: Plan) -> int:
    return sum(item.kind is ItemKind.MONITOR for item in made.items)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory of a process is limited as Linux does")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_whose_schema_computes_or_expands_is_refused_in_bounded_memory(name: str) -> None:
    content = file(HOSTILE[name])
    assert len(content) < 300_000

    ran = subprocess.run(
        [sys.executable, "-c", CHILD, str(MEMORY)], input=content, capture_output=True, check=True, cwd=PROJECT
    )

    assert ran.stdout == b"refused\n"


@pytest.mark.parametrize("name", sorted(HOSTILE.keys() - {"a large default"}))
def test_no_expression_of_a_schema_is_computed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uptime_kuma, "SECONDS", 600.0)

    with pytest.raises(Unreadable, match="no readable table"):
        uptime_kuma.read_bytes(file(HOSTILE[name]))


@pytest.mark.parametrize("above", [-1, 0, 1])
def test_a_value_is_read_up_to_its_length(above: int) -> None:
    content = named(LONGEST_VALUE + above)

    if above > 0:
        with pytest.raises(Unreadable):
            uptime_kuma.read_bytes(content)
    else:
        assert monitors(uptime_kuma.read_bytes(content)) == 1


@pytest.mark.parametrize("above", [-1, 0, 1])
def test_the_values_of_a_table_are_read_up_to_their_length(above: int) -> None:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(file([TABLE]))
    rows = MOST_CHARACTERS // LONGEST_VALUE
    texts = [("x" * LONGEST_VALUE,)] * (rows - 1) + [("x" * (LONGEST_VALUE - 1),), ("x" * (1 + above),)]
    connection.executemany("INSERT INTO monitor (name) VALUES (?)", texts)

    if above > 0:
        with pytest.raises(Unreadable, match="characters"):
            uptime_kuma_database.rows(connection, "monitor", ("name",))
    else:
        assert len(uptime_kuma_database.rows(connection, "monitor", ("name",))) == rows + 1


def test_a_long_value_that_is_not_read_does_not_matter() -> None:
    content = file(
        [
            TABLE,
            "ALTER TABLE monitor ADD COLUMN body TEXT",
            f"INSERT INTO monitor VALUES (1, 'push', 'Job', 60, '{'x' * 200_000}')",
        ]
    )

    assert monitors(uptime_kuma.read_bytes(content)) == 1


def test_queries_are_given_up_when_their_time_is_over() -> None:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(file([TABLE, f"INSERT INTO monitor (id) {COUNTED} SELECT i FROM c"]))

    assert uptime_kuma.read_database(connection, seconds=600.0).items
    with pytest.raises(Unreadable):
        uptime_kuma.read_database(connection, seconds=-1.0)


def test_maintenance_that_is_computed_is_left_out() -> None:
    view = f"CREATE VIEW maintenance AS {COUNTED} SELECT i AS id, {LARGE} AS title FROM c"
    content = file([TABLE, "INSERT INTO monitor VALUES (1, 'push', 'Job', 60)", view])

    assert [item.kind for item in uptime_kuma.read_bytes(content).items] == [ItemKind.SOURCE, ItemKind.MONITOR]
