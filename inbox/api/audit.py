"""The audit logs: of a workspace, of one's own account, and of the instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from inbox.api.blueprint import Blueprint
from inbox.api.callers import caller
from inbox.api.paging import paged, scanned_page
from inbox.api.policy import authorize_in
from inbox.api.schemas.audit import AuditPage, AuditQuery
from inbox.domain import ids
from inbox.models import audit_search
from inbox.models.tables.audit import AuditEntry

blp = Blueprint("audit", __name__, url_prefix="/v1", description="The audit log.")


@blp.route("/workspaces/<typeid(wsp):workspace_id>/audit-log", methods=["GET"], endpoint="list")
@blp.arguments(AuditQuery, location="query")
@blp.response(200, AuditPage)
def list_entries(args: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """Read the audit log

    Newest first. Entries are never changed, and outlive what they tell of, until the workspace's retention removes them. A
    page may have few entries or none: more follow as long as `nextCursor` is not null.
    """
    here = authorize_in(workspace_id)
    return scanned_page(audit_search.search(here, args), args, dump=lambda row: row)


@blp.route("/me/audit-log", methods=["GET"], endpoint="list_own")
@blp.arguments(AuditQuery, location="query")
@blp.response(200, AuditPage)
def list_own(args: dict[str, Any]) -> dict[str, Any]:
    """Read the audit log of your account

    Sign-ins, refused ones too, sessions, passwords, factors, identities and devices. Newest first. The address of somebody
    else who acted on the account, an administrator for example, is left out.
    """
    return _without_workspace(audit_search.of_person(caller().user_id, args), args, dump=_own)


@blp.route("/admin/audit-log", methods=["GET"], endpoint="list_instance")
@blp.arguments(AuditQuery, location="query")
@blp.response(200, AuditPage)
def list_instance(args: dict[str, Any]) -> dict[str, Any]:
    """Read the audit log of the instance

    Every entry that belongs to no workspace: accounts and how they are proved, administrators, purges. Newest first.
    """
    return _without_workspace(audit_search.of_instance(args), args, dump=lambda row: row)


def _without_workspace(query: Any, args: dict[str, Any], *, dump: Callable[[AuditEntry], AuditEntry]) -> dict[str, Any]:
    return paged(query, args, sorts={"at": AuditEntry.id}, id=AuditEntry.id, dump=dump)


def _own(entry: AuditEntry) -> AuditEntry:
    if entry.actor["type"] == "user" and entry.actor["id"] != ids.encode("usr", caller().user_id):
        entry.ip = ""
    return entry
