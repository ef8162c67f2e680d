"""Groups of Uptime Kuma: their maintenance covers the monitors in them (specification 22.7)."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import Any

from inbox.intake.importers import uptime_kuma
from inbox.intake.importers.plan import Item, ItemKind
from tests.database.call_counts import calls_of

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def database(monitors: list[tuple[Any, ...]], covered: list[int]) -> bytes:
    """A database with monitors `(id, name, type, parent)`, and a maintenance of those with the ids `covered`."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, type TEXT, parent INTEGER, active INTEGER DEFAULT 1,"
        " interval INTEGER DEFAULT 3600, maxretries INTEGER DEFAULT 0, retry_interval INTEGER DEFAULT 60)"
    )
    connection.executemany("INSERT INTO monitor (id, name, type, parent) VALUES (?, ?, ?, ?)", monitors)
    connection.execute(
        "CREATE TABLE maintenance (id INTEGER, title TEXT, active INTEGER, strategy TEXT, timezone TEXT, start_date TEXT, end_date TEXT)"
    )
    connection.execute(
        "INSERT INTO maintenance VALUES (1, 'Reboot', 1, 'single', 'UTC', '2026-11-22 10:00:00', '2026-11-22 12:00:00')"
    )
    connection.execute(
        "CREATE TABLE monitor_maintenance (id INTEGER PRIMARY KEY, monitor_id INTEGER, maintenance_id INTEGER)"
    )
    connection.executemany(
        "INSERT INTO monitor_maintenance (monitor_id, maintenance_id) VALUES (?, 1)", [(each,) for each in covered]
    )
    connection.commit()
    return connection.serialize()


def silence(monitors: list[tuple[Any, ...]], covered: list[int]) -> Item:
    items = uptime_kuma.read_bytes(database(monitors, covered), NOW).items
    [item] = [each for each in items if each.kind is ItemKind.SILENCE]
    return item


def names(item: Item) -> list[list[str]]:
    return [clause["value"] for clause in item.fields["match"]["any"]]


CENTRE = [(1, "Data centre 2", "group", None), (2, "Shop", "http", 1), (3, "Rack", "group", 1), (4, "Wiki", "http", 3),
          (5, "Backup", "push", 3), (6, "Other", "http", None), (7, "Shop", "http", None)]  # fmt: skip


def test_a_maintenance_of_a_group_covers_its_monitors_at_all_depths() -> None:
    item = silence(CENTRE, [1])

    assert names(item) == [
        ["monitor:Data centre 2", "monitor:Shop", "monitor:Rack", "monitor:Wiki"],
        ["Backup"],
    ]
    assert item.text.startswith("5 monitors are silenced")


def test_a_name_that_several_monitors_have_is_a_warning() -> None:
    assert silence(CENTRE, [1]).warnings == ("Several monitors have the name Shop. It covers them all.",)
    assert silence(CENTRE, [4, 6]).warnings == ()
    twice = silence(CENTRE, [2, 7])
    assert names(twice) == [["monitor:Shop"]] and len(twice.warnings) == 1


def test_groups_that_contain_each_other_and_unknown_groups_end_the_search() -> None:
    circle = [(1, "A", "group", 2), (2, "B", "group", 1), (3, "C", "http", 2), (4, "D", "http", 99)]

    assert names(silence(circle, [1])) == [["monitor:A", "monitor:B", "monitor:C"]]


def test_a_long_chain_of_groups_costs_little() -> None:
    chain = [(number, f"Group {number % 90}", "group", number - 1) for number in range(1, 900)]

    assert calls_of(lambda: silence(chain, list(range(1, 900)))) < 200_000
