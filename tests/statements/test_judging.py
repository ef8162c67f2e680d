"""Tests fail with the statements of the service that leave their workspace."""

from __future__ import annotations

import uuid

import peewee
import pytest

from inbox.models.incidents import lock
from tests.statements import collecting, judging
from tests.statements.exceptions import ALLOWED, is_allowed

PLANTED = "def planted(db, id): db.execute_sql('{sql}', (id,))"


def faults_of(database: peewee.Database, sql: str, file: str) -> list[str]:
    """The faults of a statement that a function of this file executes."""
    names: dict[str, object] = {}
    exec(compile(PLANTED.format(sql=sql), str(collecting.ROOT / file), "exec"), names)  # noqa: S102
    names["planted"](database, uuid.uuid4())
    faults = judging.faults_of_collection()
    collecting.COLLECTION.start()
    return faults


def test_a_statement_of_the_service_without_its_workspace_is_found_with_its_function(ground: peewee.Database) -> None:
    faults = faults_of(ground, "UPDATE rule_previews SET total = 2 WHERE status = %s::text", "inbox/flow/planted.py")

    assert faults == ["inbox/flow/planted.py:planted: update rule_previews by status"]


def test_a_statement_with_its_workspace_has_no_fault(ground: peewee.Database) -> None:
    assert faults_of(ground, "SELECT * FROM incidents WHERE workspace_id = %s", "inbox/flow/planted.py") == []


def test_a_statement_of_a_test_is_not_judged(ground: peewee.Database) -> None:
    assert faults_of(ground, "SELECT * FROM incidents WHERE fingerprint = %s::text", "tests/flow/planted.py") == []


def test_the_code_of_the_service_is_collected(ground: peewee.Database) -> None:
    lock.read(uuid.uuid4())

    assert [caller for caller, _ in collecting.COLLECTION.statements] == ["inbox/models/incidents/lock.py:_select"]


@pytest.mark.parametrize("statements", ALLOWED.values(), ids=list(ALLOWED))
def test_exceptions_are_in_the_order_of_their_tables_and_none_covers_another(statements: tuple[str, ...]) -> None:
    assert list(statements) == sorted(statements, key=lambda each: (each.split()[1], each))
    assert {each: covering(each) for each in statements if covering(each) != [each]} == {}


def covering(statement: str) -> list[str]:
    use, _, columns = statement.partition(" by ")
    every = [each for statements in ALLOWED.values() for each in statements if each.startswith(f"{use} by ")]
    return [each for each in every if set(each.partition(" by ")[2].split(", ")) <= set(columns.split(", "))]


@pytest.mark.parametrize(
    ("file", "fault", "allowed"),
    [
        ("flow/notices.py", "read notices by incident_id, reason", True),
        ("flow/notices.py", "read notices by reason", False),
        ("flow/notices.py", "delete notices by incident_id", False),
        ("flow/notices.py", "a changing statement calls clock_timestamp()", False),
        ("models/events/ingest_store.py", "a changing statement calls clock_timestamp()", True),
        ("models/events/ingest_store.py", "a changing statement calls random()", False),
        ("models/instance/maintenance.py", "a changing statement reads ctid", True),
    ],
)
def test_an_exception_covers_a_table_with_its_columns_or_a_file(file: str, fault: str, allowed: bool) -> None:
    assert is_allowed(f"inbox/{file}:function", fault) is allowed


def test_every_judged_folder_exists() -> None:
    assert [folder for folder in judging.JUDGED if not folder.is_dir()] == []
