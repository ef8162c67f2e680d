"""The database role of the services when another role owns the tables: its rights and their limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import peewee
import pytest

from inbox.database.base import db, new_id
from inbox.database.migrate import grant
from inbox.flow.upkeep.purge import purge
from inbox.models.records.audit import AuditEntry
from tests.cast import Cast

ROLE = "inbox_test_service"
LAST = UUID(int=2**128 - 1)


@pytest.fixture
def role(ground: peewee.Database) -> Iterator[str]:
    """An ordinary role that was granted what the services need."""
    may = db.execute_sql("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()[0]
    if not may:
        pytest.skip("the role of the test database may not make another one")
    db.execute_sql(f"CREATE ROLE {ROLE}")
    grant(db, ROLE)
    yield ROLE
    db.execute_sql(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")


@contextmanager
def acting() -> Iterator[None]:
    """Statements run with the rights of the role."""
    db.execute_sql(f"SET ROLE {ROLE}")
    try:
        yield
    finally:
        db.execute_sql("RESET ROLE")


def entry(workspace_id: UUID | None, days: int) -> None:
    at = datetime.now(UTC) - timedelta(days=days)
    AuditEntry.create(id=new_id(at), at=at, workspace_id=workspace_id, actor={}, action="sign_in", target={})


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log SET action = 'nothing'",
        "SET LOCAL inbox.purging = 'on'; DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "ALTER TABLE audit_log DISABLE TRIGGER ALL",
        "DROP TABLE audit_log",
        "UPDATE schema_migration SET name = 'x'",
        "SET LOCAL session_replication_role = replica",
        "CREATE TABLE mine (id int)",
    ],
)
def test_the_services_role_changes_neither_the_audit_log_nor_the_tables(role: str, cast: Cast, statement: str) -> None:
    with acting():
        entry(cast.workspace.id, 0)
        with pytest.raises(peewee.ProgrammingError, match=r"permission denied|must be owner"), db.atomic():
            db.execute_sql(statement)
        assert AuditEntry.select().count() == 1


def test_the_services_role_purges_old_audit_entries_and_no_young_ones(role: str, cast: Cast) -> None:
    for workspace_id in (cast.workspace.id, None):
        entry(workspace_id, 800)
        entry(workspace_id, 0)

    with acting():
        assert purge(datetime.now(UTC))["audit_log"] == 2
        with db.atomic():
            db.execute_sql("SELECT purge_audit_log(%s, %s, 500)", (cast.workspace.id, LAST))
            db.execute_sql("SELECT purge_ownerless_audit_log(now() + interval '1 year', 500)")

    assert AuditEntry.select().count() == 2
