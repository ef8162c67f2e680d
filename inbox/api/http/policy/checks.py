"""Checks one request against the policy of its endpoint. Views call these functions for the records that they read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

import structlog
from flask import g, request

from inbox.api.http.callers import caller
from inbox.api.http.policy.columns import WINDOWS, EndpointPolicy, StepUp
from inbox.api.http.policy.table import POLICY
from inbox.domain.values import ids
from inbox.domain.values.refusals import Fault, Forbidden, MfaRequired, NotFound, ReauthRequired, ValidationFailed
from inbox.domain.workspaces.roles import Role
from inbox.models.people import factors

Row = TypeVar("Row")


def entry() -> EndpointPolicy:
    """Returns the policy of this request's endpoint."""
    return POLICY[request.endpoint or ""]


def find_entry() -> EndpointPolicy | None:
    """Returns the policy as `entry` does, or None where the address belongs to no endpoint."""
    return POLICY.get(request.endpoint or "")


def authorize(row: Row | None) -> Row:
    """Returns the row, if the policy of this endpoint allows the caller to use it.

    Raises `NotFound` for a missing, deleted or foreign row, so that all three get the same answer. Raises `Forbidden`
    with `requiredRole` when the caller's role there is too low.
    """
    if row is None or getattr(row, "deleted_at", None) is not None:
        raise NotFound()
    authorize_in(row.workspace_id)  # type: ignore[attr-defined]
    return row


def authorize_deleted(row: Row | None) -> Row:
    """Returns the row, deleted or not, if the caller may restore it. Raises as `authorize` does for a missing one."""
    if row is None:
        raise NotFound()
    authorize_in(row.workspace_id)  # type: ignore[attr-defined]
    return row


def authorize_in(workspace_id: UUID | None) -> UUID:
    """Returns the workspace, if the caller may use this endpoint in it. Raises as `check_role` does."""
    workspace_id = check_role(workspace_id)
    g.permitted = True
    structlog.contextvars.bind_contextvars(workspace_id=ids.encode("wsp", workspace_id))
    return workspace_id


def check_role(workspace_id: UUID | None) -> UUID:
    """Returns the workspace, if the caller's role in it is sufficient for this endpoint.

    A foreign workspace and a missing one get the same answer: `NotFound`. A workspace named in a body gets
    `ValidationFailed` at `/workspaceId`. Raises `Forbidden` with `requiredRole` when the caller's role is too low, and
    `MfaRequired`.
    """
    here, role = entry(), caller().roles.get(workspace_id) if workspace_id is not None else None
    if workspace_id is None or role is None:
        if here.workspace_from == "body":
            raise ValidationFailed(errors=[Fault("/workspaceId", "Not one of your workspaces.")])
        raise NotFound()
    if here.mfa and workspace_id in without_required_mfa():
        raise MfaRequired()
    if here.role is not None and not role.allows(here.role):
        raise _too_low(here.role)
    return workspace_id


def readable_workspaces(workspace_id: UUID | None) -> list[UUID]:
    """Returns the workspaces that a list covers: all that the caller may read, or the one that the query names.

    A foreign workspace has no rows, like a missing one. Raises `Forbidden` with `requiredRole` when the caller's role
    is too low in the named workspace, or in all of them.
    """
    here, roles = entry(), caller().roles
    if workspace_id is not None and workspace_id in without_required_mfa():
        raise MfaRequired()
    open_ones = {w: role for w, role in roles.items() if w not in without_required_mfa()}
    selected = open_ones if workspace_id is None else {w: role for w, role in open_ones.items() if w == workspace_id}
    allowed = [w for w, role in selected.items() if here.role is None or role.allows(here.role)]
    if selected and not allowed:
        raise _too_low(here.role or Role.VIEWER)
    return allowed


def require_step_up(step_up: StepUp) -> None:
    """Raises `ReauthRequired` unless the caller's last proof is recent enough. A device has none."""
    if datetime.now(UTC) - caller().proved_at > WINDOWS[step_up]:
        raise ReauthRequired(extra={"factors": list(caller().factors)})


def without_required_mfa() -> frozenset[UUID]:
    """Returns the caller's workspaces whose required second factor the caller lacks. Looked up once a request."""
    if (barred := caller().barred) is not None:
        return barred
    if "barred" not in g:
        g.barred = factors.requiring_mfa(caller().user_id, caller().workspace_ids) if caller().roles else frozenset()
    found: frozenset[UUID] = g.barred
    return found


def _too_low(needed: Role) -> Forbidden:
    return Forbidden(f"You need the {needed.capitalize()} role in this workspace.", extra={"requiredRole": str(needed)})
