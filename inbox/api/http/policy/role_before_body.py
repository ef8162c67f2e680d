"""Checks the role of the caller before the costly validation of a body (decision 0009)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import marshmallow as ma
from flask import request

from inbox.api.http.parsing import INVALID, faults, first, json_body
from inbox.api.http.policy import check_role, entry
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.jsonbody import escaped
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.models.records import workspace_of_record

LONGEST_TEXT = 200
"""Characters of a text that is validated in a body without a workspace."""


def check(schema: ma.Schema, path: Mapping[str, Any]) -> None:
    """Checks the caller's role in the workspace of this request, as `check_role` does.

    A body that names no workspace is refused here, with the faults of the members that `schema` validates at once.
    """
    match entry().workspace_from:
        case "path":
            check_role(path["workspace_id"])
        case "record":
            check_role(workspace_of_record.find(path))
        case "body":
            body = json_body(request)
            sent = body.get("workspaceId")
            workspace_id = ids.decode(Prefix.WORKSPACE, sent) if isinstance(sent, str) else None
            if workspace_id is None:
                raise ValidationFailed(INVALID, errors=first(_cheap_faults(schema, body)))
            check_role(workspace_id)


def _cheap_faults(schema: ma.Schema, body: Mapping[str, Any]) -> Iterator[Fault]:
    """Yields the faults of the body without its objects, arrays and long texts, which are not checked."""
    short = {name: value for name, value in body.items() if _is_short(value)}
    unread = {escaped(name) for name in body.keys() - short.keys()}
    for fault in faults(schema.validate(short)):
        if fault.pointer.split("/", 2)[1] not in unread:
            yield fault


def _is_short(value: object) -> bool:
    return len(value) <= LONGEST_TEXT if isinstance(value, str) else not isinstance(value, dict | list)
