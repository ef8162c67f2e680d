"""Every filter of the audit logs is read along an index, and a page of a workspace's log has a bound (specification 12.7)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from inbox.api.workspaces.schemas.audit import AuditExportQuery, AuditQuery, WorkspaceAuditQuery
from inbox.database.base import db, new_id
from inbox.domain.values import ids
from inbox.models.lists import pagination
from inbox.models.records import audit_search
from inbox.models.records.audit import AuditEntry
from tests.cast import Cast
from tests.database import database_reset

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ENTRIES = 6_000
PAGING = {"limit", "cursor", "offset", "order", "sort"}
NOBODY = ids.encode("usr", UUID(int=7))

OF_WORKSPACE: dict[str, Any] = {
    "action": "rule.changed",
    "actorId": NOBODY,
    "since": "2026-11-20T00:00:00Z",
    "until": "2026-11-20T00:00:00Z",
    "targetType": "rule",
    "targetId": ids.encode("src", UUID(int=7)),
    "requestId": "never-sent",
    "ip": "203.0.113.9",
    "q": "nothing like it",
}
"""A value of each filter that few entries or none have."""

OF_INSTANCE = {name: OF_WORKSPACE[name] for name in ("action", "actorId", "since", "until")}


@pytest.fixture(scope="module")
def workspace_id(settings: object) -> Iterator[UUID]:
    """A log of some thousand entries, half of them without a workspace."""
    with db.connection_context():
        database_reset.wait_for_transactions(database_reset.PATIENCE_SECONDS)
        database_reset.again_after_a_deadlock(database_reset.empty_tables)
        cast = Cast.assemble()
        rows = [
            {
                "id": new_id(NOW - timedelta(minutes=number)), "at": NOW - timedelta(minutes=number),
                "workspace_id": cast.workspace.id if number % 2 else None, "user_id": None if number % 2 else uuid4(),
                "actor": {"type": "user", "id": f"usr_{number % 50}", "name": "Olga"}, "action": f"source.a{number % 20}",
                "target": {"type": "source", "id": "", "name": "Prometheus"}, "ip": "127.0.0.1",
            }
            for number in range(ENTRIES)
        ]  # fmt: skip
        AuditEntry.insert_many(rows).execute()
        db.execute_sql("ANALYZE audit_log")
        yield cast.workspace.id


def page_plan(workspace_id: UUID, args: dict[str, Any], *, descending: bool) -> str:
    """The plans of the statements of one page."""
    lines: list[str] = []

    def explained(statement: Any) -> Any:
        sql, values = statement
        lines.extend(line for (line,) in pagination.run((f"EXPLAIN {sql}", values)))
        return pagination.run(statement)

    scan = audit_search.AUDIT_LOG.scan([workspace_id], args)
    pagination.keyset_page(scan, after=None, descending=descending, limit=50, execute=explained)
    return "\n".join(lines)


@pytest.mark.parametrize("descending", [True, False], ids=["desc", "asc"])
@pytest.mark.parametrize("name", sorted(OF_WORKSPACE))
def test_a_filter_of_a_workspace_is_read_along_its_index(name: str, descending: bool, workspace_id: UUID) -> None:
    args = WorkspaceAuditQuery().load({name: OF_WORKSPACE[name]})
    with db.connection_context():
        plan = page_plan(workspace_id, args, descending=descending)

    assert "using audit_log_workspace" in plan or "audit_log_pkey" in plan, plan
    assert "Seq Scan on audit_log" not in plan, plan


def test_a_page_that_finds_nothing_ends_before_the_whole_log_is_read(workspace_id: UUID) -> None:
    args = WorkspaceAuditQuery().load({"q": OF_WORKSPACE["q"]})
    with db.connection_context():
        page = audit_search.AUDIT_LOG.search([workspace_id], args).page(after=None, descending=True, limit=50)

    assert page.rows == []
    assert page.following is not None


@pytest.mark.parametrize("name", sorted(OF_INSTANCE))
def test_a_filter_of_the_instance_is_read_along_an_index(name: str, workspace_id: UUID) -> None:
    args = AuditQuery().load({name: OF_INSTANCE[name]})
    with db.connection_context():
        query = audit_search.of_instance(args).order_by(AuditEntry.id.desc()).limit(51)
        sql, values = query.sql()
        plan = "\n".join(line for (line,) in db.execute_sql(f"EXPLAIN {sql}", values).fetchall())

    assert "audit_log_instance" in plan or "audit_log_pkey" in plan, plan
    assert "Seq Scan on audit_log" not in plan, plan


def test_every_filter_is_tried() -> None:
    of_workspace = {field.data_key for field in WorkspaceAuditQuery().fields.values()} - PAGING
    of_instance = {field.data_key for field in AuditQuery().fields.values()} - PAGING

    assert of_workspace == {field.data_key for field in AuditExportQuery().fields.values()} == set(OF_WORKSPACE)
    assert of_instance == set(OF_INSTANCE)
