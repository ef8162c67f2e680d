"""Who may do what: one line for every endpoint, checked before the view and, for its records, by the view."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Literal, TypeVar
from uuid import UUID

import structlog
from flask import g, request

from inbox.api.callers import caller
from inbox.domain import ids
from inbox.domain.refusals import Fault, Forbidden, MfaRequired, NotFound, ValidationFailed
from inbox.domain.roles import Role
from inbox.models import factors

log = structlog.get_logger("inbox.policy")

Row = TypeVar("Row")
FoundBy = Literal["record", "body", "path", "caller", "none"]


class Credential(StrEnum):
    """What a caller must show (spec 5)."""

    NONE = "none"
    SESSION = "session"
    DEVICE = "device"
    USER = "user"
    """A session or a paired device."""
    SOURCE_KEY = "sourceKey"
    HEARTBEAT_TOKEN = "heartbeatToken"
    METRICS_TOKEN = "metricsToken"


class StepUp(StrEnum):
    """How recent the last proof of who one is must be (decision 2)."""

    RECENT = "recent"
    REAUTH = "reauth"


WINDOWS = {StepUp.RECENT: timedelta(minutes=15), StepUp.REAUTH: timedelta(minutes=5)}


@dataclass(frozen=True, slots=True)
class Entry:
    """One endpoint: the credential, the least role, the step-up, and where its workspace is found.

    `found_by`: of a `record` that was read (`permitted`), of the `body`, or of the `path` (`permitted_in`); a list spans
    the `caller`'s workspaces. The first three must be checked by the view, or its answer is thrown away. `database` is
    off where no connection is wanted, `instance_admin` on where only administrators of the instance are let in.
    `heeds` is a credential that is not asked for at the door, but heeded by the view. `mfa` is off for what a member may do
    whom the workspace's `requireMfa` shuts out.
    """

    credential: Credential = Credential.USER
    role: Role | None = None
    step_up: StepUp | None = None
    found_by: FoundBy = "caller"
    database: bool = True
    instance_admin: bool = False
    heeds: Credential | None = None
    mfa: bool = True


NONE, USER, SESSION = Credential.NONE, Credential.USER, Credential.SESSION
SOURCE_KEY = Credential.SOURCE_KEY
VIEWER, MEMBER, ADMIN, OWNER = Role.VIEWER, Role.MEMBER, Role.ADMIN, Role.OWNER
RECENT, REAUTH = StepUp.RECENT, StepUp.REAUTH

POLICY: dict[str, Entry] = {
    "admin.edit_user": Entry(USER, step_up=RECENT, found_by="none", instance_admin=True),
    "admin.purge": Entry(USER, step_up=RECENT, found_by="none", instance_admin=True),
    "admin.system": Entry(USER, found_by="none", instance_admin=True),
    "admin.users": Entry(USER, found_by="none", instance_admin=True),
    "admin.workspaces": Entry(USER, found_by="none", instance_admin=True),
    "audit.list": Entry(USER, ADMIN, found_by="path"),
    "audit.list_instance": Entry(USER, found_by="none", instance_admin=True),
    "audit.list_own": Entry(SESSION, found_by="none"),
    "auth.login": Entry(NONE, found_by="none"),
    "auth.login_factor": Entry(NONE, found_by="none"),
    "auth.login_options": Entry(NONE, found_by="none"),
    "auth.logout": Entry(SESSION, found_by="none"),
    "auth.passkey": Entry(NONE, found_by="none"),
    "auth.passkey_options": Entry(NONE, found_by="none"),
    "auth.step_up": Entry(SESSION, found_by="none"),
    "auth.step_up_options": Entry(SESSION, found_by="none"),
    "closing.account": Entry(USER, step_up=REAUTH, found_by="none"),
    "closing.workspace": Entry(USER, OWNER, step_up=REAUTH, found_by="path"),
    "deliveries.list": Entry(USER, VIEWER),
    "deliveries.read": Entry(USER, VIEWER, found_by="record"),
    "deliveries.replay": Entry(USER, ADMIN, found_by="record"),
    "destinations.create": Entry(USER, ADMIN, found_by="body"),
    "destinations.edit": Entry(USER, ADMIN, found_by="record"),
    "destinations.list": Entry(USER, VIEWER),
    "destinations.read": Entry(USER, VIEWER, found_by="record"),
    "destinations.remove": Entry(USER, ADMIN, found_by="record"),
    "destinations.replay": Entry(USER, ADMIN, found_by="record"),
    "destinations.test": Entry(USER, ADMIN, found_by="record"),
    "devices.edit": Entry(USER, found_by="none"),
    "devices.list": Entry(USER, found_by="none"),
    "devices.pair": Entry(NONE, found_by="none"),
    "devices.read_pairing": Entry(SESSION, found_by="none"),
    "devices.refresh": Entry(NONE, found_by="none"),
    "devices.remove": Entry(USER, found_by="none"),
    "devices.start_pairing": Entry(SESSION, found_by="none"),
    "document.read": Entry(NONE, found_by="none", database=False),
    "events.create": Entry(SOURCE_KEY, found_by="none", database=False),
    "events.explain": Entry(USER, VIEWER, found_by="record"),
    "events.list": Entry(USER, VIEWER),
    "events.read": Entry(USER, VIEWER, found_by="record"),
    "export.read": Entry(USER, OWNER, step_up=REAUTH, found_by="path"),
    "factors.add_passkey": Entry(SESSION, step_up=RECENT, found_by="none"),
    "factors.begin_totp": Entry(SESSION, step_up=RECENT, found_by="none"),
    "factors.confirm_totp": Entry(SESSION, step_up=RECENT, found_by="none"),
    "factors.passkey_options": Entry(SESSION, step_up=RECENT, found_by="none"),
    "factors.read": Entry(SESSION, found_by="none"),
    "factors.remove_passkey": Entry(SESSION, step_up=RECENT, found_by="none"),
    "factors.remove_totp": Entry(SESSION, step_up=RECENT, found_by="none"),
    "factors.replace_recovery_codes": Entry(SESSION, step_up=RECENT, found_by="none"),
    "front.page": Entry(NONE, found_by="none", database=False),
    "front.setup": Entry(NONE, found_by="none"),
    "front.setup_script": Entry(NONE, found_by="none", database=False),
    "health.healthz": Entry(NONE, found_by="none", database=False),
    "health.readyz": Entry(NONE, found_by="none", database=False),
    "incidents.acknowledge": Entry(USER, MEMBER, found_by="record"),
    "incidents.bulk": Entry(USER, MEMBER),
    "incidents.counts": Entry(USER, VIEWER),
    "incidents.deliveries": Entry(USER, VIEWER, found_by="record"),
    "incidents.edit": Entry(USER, MEMBER, found_by="record"),
    "incidents.events": Entry(USER, VIEWER, found_by="record"),
    "incidents.explain": Entry(USER, VIEWER, found_by="record"),
    "incidents.list": Entry(USER, VIEWER),
    "incidents.note": Entry(USER, MEMBER, found_by="record"),
    "incidents.read": Entry(USER, VIEWER, found_by="record"),
    "incidents.reopen": Entry(USER, MEMBER, found_by="record"),
    "incidents.resolve": Entry(USER, MEMBER, found_by="record"),
    "incidents.similar": Entry(USER, VIEWER, found_by="record"),
    "incidents.snooze": Entry(USER, MEMBER, found_by="record"),
    "incidents.timeline": Entry(USER, VIEWER, found_by="record"),
    "incidents.unacknowledge": Entry(USER, MEMBER, found_by="record"),
    "incidents.undo": Entry(USER, MEMBER),
    "incidents.unsnooze": Entry(USER, MEMBER, found_by="record"),
    "info.read": Entry(NONE, found_by="none"),
    "invites.accept": Entry(NONE, found_by="none", heeds=USER),
    "invites.create": Entry(USER, OWNER, StepUp.RECENT, found_by="path"),
    "invites.list": Entry(USER, VIEWER, found_by="path"),
    "invites.preview": Entry(NONE, found_by="none"),
    "invites.withdraw": Entry(USER, OWNER, StepUp.RECENT, found_by="path"),
    "keys.create": Entry(USER, ADMIN, found_by="record"),
    "keys.list": Entry(USER, ADMIN),
    "keys.of_source": Entry(USER, ADMIN, found_by="record"),
    "keys.revoke": Entry(USER, ADMIN, found_by="record"),
    "keys.rotate": Entry(USER, ADMIN, found_by="record"),
    "links.ask_for_email_change": Entry(USER, step_up=RECENT, found_by="none"),
    "links.ask_for_reset": Entry(NONE, found_by="none", database=False),
    "links.change_email": Entry(NONE, found_by="none"),
    "links.reset": Entry(NONE, found_by="none"),
    "links.sign_up": Entry(NONE, found_by="none", database=False),
    "links.verify_email": Entry(NONE, found_by="none"),
    "me.change_password": Entry(SESSION, step_up=RECENT, found_by="none"),
    "me.edit": Entry(USER, found_by="none"),
    "me.end_other_sessions": Entry(SESSION, found_by="none"),
    "me.end_session": Entry(SESSION, found_by="none"),
    "me.read": Entry(USER, found_by="none"),
    "me.sessions": Entry(SESSION, found_by="none"),
    "members.change": Entry(USER, OWNER, StepUp.RECENT, found_by="path"),
    "members.leave": Entry(USER, VIEWER, found_by="path", mfa=False),
    "members.list": Entry(USER, VIEWER, found_by="path"),
    "members.remove": Entry(USER, OWNER, StepUp.RECENT, found_by="path"),
    "metrics.read": Entry(NONE, found_by="none", database=False, heeds=Credential.METRICS_TOKEN),
    "oidc.callback": Entry(NONE, found_by="none", database=False, heeds=SESSION),
    "oidc.providers": Entry(NONE, found_by="none", database=False),
    "oidc.start": Entry(NONE, found_by="none", database=False, heeds=SESSION),
    "oidc.unlink": Entry(SESSION, step_up=RECENT, found_by="none"),
    "previews.create": Entry(USER, ADMIN, found_by="body"),
    "previews.create_of_event": Entry(USER, ADMIN, found_by="body"),
    "previews.read": Entry(USER, ADMIN, found_by="record"),
    "previews.remove": Entry(USER, ADMIN, found_by="record"),
    "problems.list": Entry(NONE, found_by="none", database=False),
    "problems.read": Entry(NONE, found_by="none", database=False),
    "profiles.create": Entry(USER, ADMIN, found_by="body"),
    "profiles.edit": Entry(USER, ADMIN, found_by="record"),
    "profiles.list": Entry(USER, VIEWER),
    "profiles.read": Entry(USER, VIEWER, found_by="record"),
    "profiles.remove": Entry(USER, ADMIN, found_by="record"),
    "profiles.simulate": Entry(USER, VIEWER, found_by="record"),
    "profiles.simulate_draft": Entry(USER, VIEWER, found_by="body"),
    "rules.create": Entry(USER, ADMIN, found_by="body"),
    "rules.edit": Entry(USER, ADMIN, found_by="record"),
    "rules.list": Entry(USER, VIEWER),
    "rules.parse": Entry(USER, found_by="none"),
    "rules.read": Entry(USER, VIEWER, found_by="record"),
    "rules.remove": Entry(USER, ADMIN, found_by="record"),
    "rules.reorder": Entry(USER, ADMIN, found_by="body"),
    "setup.create": Entry(NONE, found_by="none"),
    "silences.create": Entry(USER, MEMBER, found_by="body"),
    "silences.edit": Entry(USER, MEMBER, found_by="record"),
    "silences.end": Entry(USER, MEMBER, found_by="record"),
    "silences.extend": Entry(USER, MEMBER, found_by="record"),
    "silences.list": Entry(USER, VIEWER),
    "silences.preview": Entry(USER, MEMBER, found_by="body"),
    "silences.read": Entry(USER, VIEWER, found_by="record"),
    "silences.remove": Entry(USER, MEMBER, found_by="record"),
    "sources.create": Entry(USER, ADMIN, found_by="body"),
    "sources.edit": Entry(USER, ADMIN, found_by="record"),
    "sources.list": Entry(USER, VIEWER),
    "sources.read": Entry(USER, VIEWER, found_by="record"),
    "sources.remove": Entry(USER, ADMIN, found_by="record"),
    "statistics.read": Entry(USER, VIEWER),
    "stream.read": Entry(USER, found_by="caller"),
    "views.create": Entry(USER, VIEWER, found_by="body"),
    "views.edit": Entry(USER, VIEWER, found_by="record"),
    "views.list": Entry(USER, VIEWER),
    "views.read": Entry(USER, VIEWER, found_by="record"),
    "views.remove": Entry(USER, VIEWER, found_by="record"),
    "workspaces.change": Entry(USER, ADMIN, found_by="path"),
    "workspaces.change_default_route": Entry(USER, ADMIN, found_by="path"),
    "workspaces.create": Entry(USER, found_by="none"),
    "workspaces.list": Entry(USER, found_by="caller"),
    "workspaces.read": Entry(USER, VIEWER, found_by="path"),
    "workspaces.read_default_route": Entry(USER, VIEWER, found_by="path"),
}
"""Sorted by noun. A route without a line here stops the server from starting."""


def entry() -> Entry:
    """The policy of this request's endpoint."""
    return POLICY[request.endpoint or ""]


def permitted(row: Row | None) -> Row:
    """The row, if the caller may do with it what this endpoint does.

    Raises `NotFound` when there is none, when it is deleted, or when it is in a workspace that is not the caller's: one
    answer for all. Raises `Forbidden` with `requiredRole` when the caller's role there is too low.
    """
    if row is None or getattr(row, "deleted_at", None) is not None:
        raise NotFound()
    permitted_in(row.workspace_id)  # type: ignore[attr-defined]
    return row


def permitted_in(workspace_id: UUID | None) -> UUID:
    """The workspace, if the caller may do there what this endpoint does.

    A foreign one and one that does not exist are told apart by nobody: `NotFound`, and for a workspace named in a body
    `ValidationFailed` at `/workspaceId`. Raises `Forbidden` with `requiredRole` when the caller's role is too low, and
    `MfaRequired`.
    """
    here, role = entry(), caller().roles.get(workspace_id) if workspace_id is not None else None
    if workspace_id is None or role is None:
        if here.found_by == "body":
            raise ValidationFailed(errors=[Fault("/workspaceId", "No workspace of yours.")])
        raise NotFound()
    if here.mfa and workspace_id in barred():
        raise MfaRequired()
    if here.role is not None and not role.allows(here.role):
        raise _too_low(here.role)
    g.permitted = True
    structlog.contextvars.bind_contextvars(workspace_id=ids.encode("wsp", workspace_id))
    return workspace_id


def spanned(workspace_id: UUID | None) -> list[UUID]:
    """The workspaces that a list spans: those where the caller may read it, or the one it is narrowed to.

    A foreign workspace has nothing in it, like one that does not exist. Raises `Forbidden` with `requiredRole` when the
    caller's role is too low in the one that is named, or everywhere.
    """
    here, roles = entry(), caller().roles
    if workspace_id is not None and workspace_id in barred():
        raise MfaRequired()
    open_ones = {w: role for w, role in roles.items() if w not in barred()}
    wanted = open_ones if workspace_id is None else {w: role for w, role in open_ones.items() if w == workspace_id}
    allowed = [w for w, role in wanted.items() if here.role is None or role.allows(here.role)]
    if wanted and not allowed:
        raise _too_low(here.role or Role.VIEWER)
    return allowed


def barred() -> frozenset[UUID]:
    """The caller's workspaces that want a second factor of them which they do not have; looked up once a request."""
    if "barred" not in g:
        g.barred = factors.barred(caller().user_id, caller().workspace_ids) if caller().roles else frozenset()
    found: frozenset[UUID] = g.barred
    return found


def _too_low(needed: Role) -> Forbidden:
    return Forbidden(f"This takes the role {needed} in the workspace.", extra={"requiredRole": str(needed)})
