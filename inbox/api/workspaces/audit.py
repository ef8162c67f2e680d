"""Audit logs: of a workspace, of one's own account, and of the instance."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.connections import borrowed
from inbox.api.http.paging import paged, scanned_page
from inbox.api.http.policy import ADMIN, SESSION, USER, EndpointPolicy, authorize_in
from inbox.api.http.schemas.plain_rows import audit_row
from inbox.api.workspaces.schemas.audit import (
    AuditExportQuery,
    AuditPage,
    AuditQuery,
    AuditSubjects,
    WorkspaceAuditQuery,
)
from inbox.domain.values import ids
from inbox.domain.values.paging import Position
from inbox.domain.values.refusals import Forbidden, NotFound
from inbox.domain.workspaces.audit_actions import ACTIONS, OF_WORKSPACES, SUBJECTS, label, subject
from inbox.models.lists.long_list import PagedList
from inbox.models.records import audit_search
from inbox.models.records.audit import AuditEntry
from inbox.services.records import audit
from inbox.services.workspaces import workspaces

EXPORT_PAGE = 500
"""The entries that an export reads at a time."""

PAUSE_SECONDS = 0.003
"""The pause after each page, so that the process serves other requests."""

LINE = '{"id":"aud_01h455vb4pex5vsknk084sn02q","action":"member.role_changed","target":{"type":"member"}}\n'

blp = Blueprint("audit", __name__, url_prefix="/v1", description="The audit log.", section="12.7")


@blp.route("/workspaces/<typeid(wsp):workspace_id>/audit-log", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, ADMIN, workspace_from="path")
@blp.arguments(WorkspaceAuditQuery, location="query")
@blp.response(200, AuditPage)
def list_entries(args: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """Read the audit log

    Newest first. Entries never change. They outlive their subjects until the workspace's retention removes them. A page
    may have few entries or none; more follow as long as `nextCursor` is not null.
    """
    here = authorize_in(workspace_id)
    return scanned_page(audit_search.AUDIT_LOG.search([here], args), args, dump=lambda row: row)


@blp.route("/workspaces/<typeid(wsp):workspace_id>/audit-log/export", methods=["GET"], endpoint="export")
@EndpointPolicy(USER, ADMIN, workspace_from="path")
@blp.arguments(AuditExportQuery, location="query")
@blp.response(200, {"type": "string"}, content_type="application/x-ndjson", example=LINE)
@blp.refuses("forbidden")
def export_entries(args: dict[str, Any], workspace_id: UUID) -> Response:
    """Export the audit log

    All entries that pass the filters, newest first, as a file of JSON lines with one entry each. The export itself is
    an entry, `audit_log.exported`, with the filters.
    """
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise Forbidden("Requests from other sites are refused.")
    here, now = authorize_in(workspace_id), datetime.now(UTC)
    if request.method == "HEAD":
        return Response(mimetype="application/x-ndjson")  # HEAD begins no export
    workspace = workspaces.find(here)
    if workspace is None:
        raise NotFound()
    about = audit.target("workspace", here, workspace.name)
    audit.log_exported(about, AuditExportQuery().dump(args), workspace_id=here, now=now)
    headers = {
        "Content-Disposition": f'attachment; filename="audit-log-{now:%Y-%m-%d}.jsonl"',
        "X-Accel-Buffering": "no",
    }
    return Response(
        _lines(audit_search.AUDIT_LOG.search([here], args)), mimetype="application/x-ndjson", headers=headers
    )


@blp.route("/audit-actions", methods=["GET"], endpoint="actions")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, AuditSubjects)
def list_actions() -> dict[str, Any]:
    """List the actions of the audit log

    By subject, with labels for people.
    """
    return {"items": _ACTIONS}


@blp.route("/me/audit-log", methods=["GET"], endpoint="list_own")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.arguments(AuditQuery, location="query")
@blp.response(200, AuditPage)
def list_own(args: dict[str, Any]) -> dict[str, Any]:
    """Read the audit log of your account

    Sign-ins and refused sign-ins, sessions, passwords, factors, identities and devices. Newest first. The address of
    another person who acted on the account, for example an administrator, is left out.
    """
    return _without_workspace(audit_search.of_person(caller().user_id, args), args, dump=_own)


@blp.route("/admin/audit-log", methods=["GET"], endpoint="list_instance")
@EndpointPolicy(USER, workspace_from="none", instance_admin=True)
@blp.arguments(AuditQuery, location="query")
@blp.response(200, AuditPage)
def list_instance(args: dict[str, Any]) -> dict[str, Any]:
    """Read the audit log of the instance

    Entries that belong to no workspace: accounts, authentication, administrators, purges. Newest first.
    """
    return _without_workspace(audit_search.of_instance(args), args, dump=lambda row: row)


def _lines(entries: PagedList) -> Iterator[bytes]:
    """Reads and writes one page after the other, without a connection while a page is sent."""
    following: Position | None = None
    while True:
        with borrowed():
            page = entries.page(after=following, descending=True, limit=EXPORT_PAGE)
        if page.rows:
            yield b"".join(orjson.dumps(audit_row(row)) + b"\n" for row in page.rows)
        following = page.following
        if following is None:
            return
        time.sleep(PAUSE_SECONDS)


def _subject(name: str, text: str) -> dict[str, Any]:
    actions = [{"action": each, "label": label(each)} for each in ACTIONS if subject(each) == name]
    return {"subject": name, "label": text, "in_workspaces": name in OF_WORKSPACES, "actions": actions}


_ACTIONS = [_subject(name, text) for name, text in SUBJECTS.items()]


def _without_workspace(query: Any, args: dict[str, Any], *, dump: Callable[[AuditEntry], AuditEntry]) -> dict[str, Any]:
    return paged(query, args, sorts={"at": AuditEntry.id}, id=AuditEntry.id, dump=dump)


def _own(entry: AuditEntry) -> AuditEntry:
    if entry.actor["type"] == "user" and entry.actor["id"] != ids.encode("usr", caller().user_id):
        entry.ip = ""
    return entry
