"""Invites into a workspace: a link for one person, valid once and for seven days (specification 12.4).

All faults of an invite raise `InviteInvalid` without details. They are: unknown, expired, used, withdrawn, for another
person, its workspace closed, its inviter no longer an owner.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import peewee

from inbox.config.settings import current
from inbox.database.base import new_id
from inbox.domain.values.networks import network
from inbox.domain.values.refusals import Conflict, Fault, InviteInvalid, NotFound, RateLimited, ValidationFailed
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.domain.workspaces.roles import Role
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.limits import rates
from inbox.mail import templates
from inbox.models.people.accounts import User
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import authentication_factors, passwords, sessions
from inbox.services.people.sessions import Client
from inbox.services.people.signin import email_key
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room
from inbox.services.workspaces import members

LIFETIME = timedelta(days=7)
PAGE = "/invite"
"""The page of the dashboard that sends the link's token back in the body of a request."""

MAILS_PER_HOUR = 50
"""The limit of invite mails of one workspace, which prevents mass mail to strangers."""


@dataclass(frozen=True, slots=True)
class InvitePreview:
    """The content of an invite for display."""

    workspace_name: str
    role: str
    inviter: str
    email: str | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NewAccount:
    """The values for the account of a person without one."""

    email: str
    name: str
    password: str
    timezone: str = "UTC"
    locale: str = "en"


@dataclass(frozen=True, slots=True)
class AcceptedInvite:
    """The new membership. `token` is the token of the new session when the account was created, else None."""

    user: User
    workspace: Workspace
    role: Role
    token: str | None = None


MAX_WAITING = 500
"""The invitations of a workspace that wait for an answer."""


def of_workspace(workspace_id: UUID) -> peewee.ModelSelect[Invite]:
    """Select the invites that were not withdrawn, including accepted and expired ones."""
    return Invite.select().where(Invite.workspace == workspace_id, Invite.deleted_at.is_null())


def create(workspace_id: UUID, role: Role, email: str | None, *, by: UUID, now: datetime) -> tuple[Invite, str]:
    """Create an invite and its link, which is returned once. A mail is sent if an address and a mail server exist.

    The token is in the link's fragment, which browsers send to no server. Only its SHA-256 is stored. Raises `Conflict`
    for the address of a member and beyond `MAX_WAITING`, and `RateLimited` for too many mails. Raises `Forbidden` when
    `by` is no longer an owner.
    """
    if email is not None and current().can_send_mail:
        _admit_mail(workspace_id, now)
    token = secrets.token_urlsafe(32)
    link = f"{current().base_url}{PAGE}#token={token}"
    with work() as done:
        workspace = members.lock_as_owner(workspace_id, by)
        if email is not None and _is_member(workspace_id, email):
            raise Conflict("A person with this address is already a member.")
        waiting = of_workspace(workspace_id).where(Invite.accepted_at.is_null(), Invite.expires_at > now)
        check_room(waiting, MAX_WAITING, "A workspace has at most {} pending invitations. Withdraw one.")
        invite: Invite = Invite.create(
            id=new_id(now),
            workspace=workspace,
            token_hash=sessions.digest(token),
            email=email,
            role=str(role),
            created_by=by,
            created_at=now,
            expires_at=now + LIFETIME,
        )
        if email is not None:
            inviter = User.get_by_id(by).name
            values = {"inviter": inviter, "workspace": workspace.name, "role": str(role), "link": link}
            mail_outbox.enqueue(done, templates.fill("invitation", **values), email, now)
        _note("invite.created", invite, now)
        done.publish_change("invite", invite.id, workspace_id, op="created")
    return invite, link


def withdraw(workspace_id: UUID, invite_id: UUID, *, by: UUID, now: datetime) -> None:
    """End an invite at once. Raises `NotFound`, and `Conflict` when it was accepted: remove the member instead."""
    with work() as done:
        members.lock_as_owner(workspace_id, by)
        invite = of_workspace(workspace_id).where(Invite.id == invite_id).for_update().first()
        if invite is None:
            raise NotFound
        if invite.accepted_at is not None:
            raise Conflict("The invitation was accepted. Remove the member instead.")
        Invite.update(deleted_at=now).where(Invite.id == invite_id).execute()
        _note(
            "invite.withdrawn",
            invite,
            now,
            audit.removed(audit.columns(invite, "role", "email", "created_at", "expires_at")),
        )
        done.publish_change("invite", invite_id, workspace_id, op="deleted")


def preview(token: object, now: datetime, *, address: str) -> InvitePreview:
    """Return the content of the invite. Raises `InviteInvalid`, and `RateLimited` after too many refusals."""
    _admit(address, now)
    invite = _find_valid(token, now)
    _forgive(address)
    inviter = User.get_by_id(invite.created_by_id)
    return InvitePreview(invite.workspace.name, invite.role, inviter.name, invite.email, invite.expires_at)


def accept(token: object, user_id: UUID | None, now: datetime, *, address: str) -> AcceptedInvite | None:
    """Make a person with an account a member. Return None when nobody is signed in and the invite is valid.

    Raises `InviteInvalid`, also for a present member, and `RateLimited`.
    """
    _admit(address, now)
    invite = _find_valid(token, now)
    if user_id is None:
        _forgive(address)
        return None
    with work() as done:
        user = authentication_factors.lock_user(user_id)
        if user is None:
            raise InviteInvalid  # the account was closed at this moment
        joined = _join(invite, user, now, done)
    _forgive(address)
    return joined


def accept_as_new(token: object, new_account: NewAccount, now: datetime, *, client: Client) -> AcceptedInvite:
    """Create an account, its membership and its session, all or nothing.

    Raises `InviteInvalid`, `Conflict` when the address has an account, `ValidationFailed` for the password, and
    `RateLimited`. None of these consumes the invite.
    """
    _admit(client.address, now)
    invite = _find_valid(token, now)
    key = email_key(new_account.email)
    if not _is_for(invite, key):
        raise InviteInvalid
    reason = passwords.weakness(new_account.password, email=new_account.email)
    if reason is not None:
        raise ValidationFailed(errors=[Fault("/password", reason)])
    if User.select(User.id).where(User.email_key == key).exists():
        raise Conflict(HAS_ACCOUNT)
    password_hash = passwords.hashed(new_account.password)
    with work() as done:
        user = _account(new_account, key, password_hash, now)
        joined = _join(invite, user, now, done)
        session = sessions.start(user.id, client, now, by="invitation", done=done)
    _forgive(client.address)
    return AcceptedInvite(joined.user, joined.workspace, joined.role, session)


HAS_ACCOUNT = "An account with this address exists. Sign in, then accept the invitation."


def _find_valid(token: object, now: datetime) -> Invite:
    """Return the valid invite of this token. Nothing is locked yet."""
    waiting = Invite.accepted_at.is_null() & Invite.deleted_at.is_null() & (Invite.expires_at > now)
    token_hash = sessions.digest(token if isinstance(token, str) else "")
    found: Invite | None = (
        Invite.select(Invite, Workspace)
        .join(Workspace)
        .where(Invite.token_hash == token_hash, waiting, Workspace.deleted_at.is_null())
        .first()
    )
    if found is None or not members.owns(found.workspace_id, found.created_by_id):
        raise InviteInvalid
    return found


def _join(invite: Invite, user: User, now: datetime, done: AfterCommit) -> AcceptedInvite:
    """Consume the invite.

    Of concurrent calls, one succeeds. The checks of `_find_valid` are repeated under the lock.
    """
    try:
        workspace = members.locked(invite.workspace_id)
    except NotFound:
        raise InviteInvalid from None
    here = (Member.workspace == workspace.id) & (Member.user == user.id)
    if not _is_for(invite, user.email_key) or Member.select(Member.id).where(here).exists():
        raise InviteInvalid
    if not members.owns(workspace.id, invite.created_by_id):
        raise InviteInvalid
    waiting = Invite.accepted_at.is_null() & Invite.deleted_at.is_null() & (Invite.expires_at > now)
    if not Invite.update(accepted_at=now, accepted_by=user.id).where(Invite.id == invite.id, waiting).execute():
        raise InviteInvalid
    members.join(workspace, user, Role(invite.role), now, done)
    _note("invite.accepted", invite, now)
    done.publish_change("invite", invite.id, workspace.id)
    return AcceptedInvite(user, workspace, Role(invite.role))


def _account(new_account: NewAccount, key: str, password_hash: str, now: datetime) -> User:
    """Create the account. Its address stays unconfirmed, because the inviter has seen the link, too."""
    columns: dict[Any, Any] = {
        User.id: new_id(now),
        User.email: new_account.email,
        User.email_key: key,
        User.name: new_account.name,
        User.password_hash: password_hash,
        User.timezone: new_account.timezone,
        User.locale: new_account.locale,
        User.created_at: now,
    }
    made = list(User.insert(columns).on_conflict_ignore().returning(User).execute())
    if not made:
        raise Conflict(HAS_ACCOUNT)
    user: User = made[0]
    audit.set_actor(audit.person(user))  # from here on the actor of this request is the new user
    audit.record(
        "account.created", target=audit.target("user", user.id, user.name), now=now, details={"by": "invitation"}
    )
    return user


def _is_for(invite: Invite, key: str) -> bool:
    return invite.email is None or email_key(invite.email) == key


def _is_member(workspace_id: UUID, email: str) -> bool:
    is_member_email = (Member.workspace == workspace_id) & (User.email_key == email_key(email))
    return bool(Member.select(Member.id).join(User).where(is_member_email).exists())


def _admit(address: str, now: datetime) -> None:
    """Count a request about an invite. `_forgive` refunds requests that are not refused."""
    an_hour = current().account_links_per_hour_address
    wait = rates.take(_bucket(address), an_hour, an_hour / 3_600, now)
    if wait:
        raise RateLimited("Too many requests for invitations.", retry_after=wait)


def _forgive(address: str) -> None:
    rates.refund(_bucket(address), current().account_links_per_hour_address)


def _bucket(address: str) -> str:
    return f"invites:address:{network(address)}"


def _admit_mail(workspace_id: UUID, now: datetime) -> None:
    wait = rates.take(f"invites:mail:{workspace_id}", MAILS_PER_HOUR, MAILS_PER_HOUR / 3_600, now)
    if wait:
        raise RateLimited("This workspace has sent too many invitations by mail.", retry_after=wait)


def _note(action: AuditAction, invite: Invite, now: datetime, more: Mapping[str, Any] | None = None) -> None:
    details = {"role": invite.role, "email": invite.email, **(more or {})}
    about = audit.target("invite", invite.id)
    audit.record(action, target=about, now=now, workspace_id=invite.workspace_id, details=details)
