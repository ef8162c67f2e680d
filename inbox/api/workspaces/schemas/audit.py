"""Shapes of the audit log (specification 12.7)."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, Timestamp, TypeId
from inbox.api.http.schemas.enumerations import Code
from inbox.api.http.schemas.list_filters import LONGEST_SEARCH, SearchText
from inbox.api.http.schemas.plain_rows import audit_row
from inbox.domain.workspaces.audit_actions import ACTIONS
from inbox.services.records.audit import PREFIXES


class Address(ma.fields.String):
    """An IP address, as the log spells it."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        try:
            return str(ipaddress.ip_address(super()._deserialize(value, attr, data, **kwargs) or ""))
        except ValueError:
            raise ma.ValidationError("Not an IP address.") from None


class AuditActor(Schema):
    """The actor. `id` is empty for actors without one: `system`, and `anonymous` where nobody was signed in."""

    type = ma.fields.String(required=True, metadata={"example": "user"})
    id = ma.fields.String(required=True, metadata={"example": "usr_01h455vb4pex5vsknk084sn02q"})
    name = ma.fields.String(required=True, metadata={"example": "Olga"})


class AuditTarget(Schema):
    """The target of the action, with its name at that time."""

    type = ma.fields.String(required=True, metadata={"example": "member"})
    id = ma.fields.String(required=True, metadata={"example": "usr_01h455vb4pex5vsknk084sn03r"})
    name = ma.fields.String(required=True, metadata={"example": "Mia"})


class AuditRecord(Schema):
    """An entry of the audit log."""

    row = audit_row

    id = TypeId("aud", required=True)
    at = Timestamp(required=True)
    actor = ma.fields.Nested(AuditActor, required=True)
    action = Code(ACTIONS, "What was done.", example="member.role_changed")
    target = ma.fields.Nested(AuditTarget, required=True)
    workspace_id = TypeId("wsp", required=True, allow_none=True)
    ip = ma.fields.String(required=True, metadata={"example": "203.0.113.7"})
    request_id = ma.fields.String(required=True, metadata={"example": "5f0c3c1e9a4b4d0f8a7b6c5d4e3f2a1b"})
    details = ma.fields.Dict(
        required=True,
        metadata={
            "description": "`changes` lists what was changed; secrets never appear, only that they were changed.",
            "example": {"changes": [{"field": "role", "before": "member", "after": "admin"}]},
        },
    )


def _filters() -> dict[str, ma.fields.Field[Any]]:
    return {
        "action": ma.fields.String(
            validate=ma.validate.Regexp(r"^[a-z_]{1,40}(\.[a-z_]{1,40})?$", error="Not an action."),
            metadata={"description": "`member.removed`, or `member` for all that is done to members."},
        ),
        "actor_id": TypeId("usr", metadata={"description": "Only what this person did."}),
        "since": Timestamp(),
        "until": Timestamp(),
    }


def _filters_of_workspaces() -> dict[str, ma.fields.Field[Any]]:
    return {
        **_filters(),
        "target_type": ma.fields.String(
            validate=ma.validate.OneOf(sorted(PREFIXES)), metadata={"description": "The type of the target."}
        ),
        "target_id": ma.fields.String(
            validate=ma.validate.Regexp(r"^[a-z]{3}_[0-9a-z]{26}$", error="Not an id."),
            metadata={
                "description": "The id of the target, also of a deleted one.",
                "example": "src_01h455vb4pex5vsknk084sn02q",
            },
        ),
        "request_id": ma.fields.String(
            validate=ma.validate.Regexp(r"^[A-Za-z0-9][A-Za-z0-9_-]{7,63}$", error="Not a request id."),
            metadata={
                "description": "What one request did.",
                "example": "5f0c3c1e9a4b4d0f8a7b6c5d4e3f2a1b",
            },
        ),
        "ip": Address(metadata={"description": "From this address.", "example": "203.0.113.7"}),
        "q": SearchText(
            metadata={
                "description": "Part of the name of the actor or the target, or of the details, in any case.",
                "maxLength": LONGEST_SEARCH,
            }
        ),
    }


AuditQuery = page_query("Audit", ("at",), **_filters())
WorkspaceAuditQuery = page_query("WorkspaceAudit", ("at",), **_filters_of_workspaces())
AuditExportQuery: type[Schema] = type("AuditExportQuery", (Schema,), _filters_of_workspaces())
AuditPage = page_of(AuditRecord, "Audit")


class AuditActionRecord(Schema):
    """An action of the audit log."""

    action = ma.fields.String(required=True, metadata={"example": "member.role_changed"})
    label = ma.fields.String(required=True, metadata={"example": "Member: role changed"})


class AuditSubject(Schema):
    """The actions of one subject. The filter `action` accepts the subject for all of them."""

    subject = ma.fields.String(required=True, metadata={"example": "member"})
    label = ma.fields.String(required=True, metadata={"example": "Members"})
    in_workspaces = ma.fields.Boolean(
        required=True, metadata={"description": "Whether these entries are in the logs of workspaces."}
    )
    actions = ma.fields.List(ma.fields.Nested(AuditActionRecord), required=True)


class AuditSubjects(Schema):
    """All actions of the audit log by subject."""

    items = ma.fields.List(ma.fields.Nested(AuditSubject), required=True)
