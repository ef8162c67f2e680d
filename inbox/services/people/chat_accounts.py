"""Accounts of people at chat services: offer to link one, link, find and unlink it (specification 9.18)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import peewee

from inbox.config import settings
from inbox.database.base import db, new_id
from inbox.destinations import KINDS
from inbox.domain.values.refusals import Conflict, Forbidden, TokenInvalid
from inbox.domain.workspaces.roles import Role
from inbox.flow.unit_of_work import work
from inbox.identity import tickets
from inbox.identity.tickets import Ticket, TicketRefused
from inbox.models.people.accounts import User
from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.people.factors import UsedTicket
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room, lock_person

PURPOSE, LIFETIME = "chat_account", timedelta(minutes=15)
PATH = "/chat-account/"
MAX_ACCOUNTS = 100
"""The chat accounts of a person, over all workspaces."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account at a chat service, as a verified request named it. `service` is the kind of the destination.

    `verifier` is a digest of the key that verified the request. The same name verified by another key is another
    account.
    """

    workspace_id: UUID
    service: str
    account_id: str
    name: str
    verifier: str = ""

    @property
    def service_label(self) -> str:
        """The name of the service for people."""
        return KINDS[self.service].description.label


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer to link an account. It can be taken once."""

    account: Account
    workspace: Workspace
    ticket: Ticket


def offer_url(account: Account, now: datetime) -> str:
    """Return the address of the page that links the account. Only the person who pressed the button sees it."""
    values = {
        "workspace": account.workspace_id.hex,
        "service": account.service,
        "account": account.account_id,
        "name": account.name,
        "verifier": account.verifier,
    }
    chosen = settings.current()
    token = tickets.issue(chosen.signing_key, PURPOSE, values, now=now, lifetime=LIFETIME)
    return f"{chosen.base_url}{PATH}{token}"


def find_offer(token: str, now: datetime) -> Offer:
    """Return the offer of a token. Raises `TokenInvalid`."""
    try:
        ticket = tickets.verify(settings.current().signing_key, PURPOSE, token, now=now)
        values = ticket.values
        workspace_id, verifier = UUID(values["workspace"]), values["verifier"]
        account = Account(workspace_id, values["service"], values["account"], values["name"], verifier)
    except (TicketRefused, KeyError, TypeError, ValueError, AttributeError):
        raise TokenInvalid from None
    workspace = Workspace.get_or_none((Workspace.id == account.workspace_id) & Workspace.deleted_at.is_null())
    is_used = UsedTicket.select().where(UsedTicket.digest == ticket.digest).exists()
    if workspace is None or account.service not in KINDS or is_used:
        raise TokenInvalid
    return Offer(account, workspace, ticket)


def link(offer: Offer, user_id: UUID, now: datetime) -> ChatAccount:
    """Link the account with the person, a member of the workspace who is signed in.

    Raises `TokenInvalid` for an offer that was taken. Raises `Conflict` for an account linked with somebody else, and
    beyond `MAX_ACCOUNTS`.
    """
    account = offer.account
    with work() as done:
        if not UsedTicket.consume(offer.ticket.digest, offer.ticket.expires_at):
            raise TokenInvalid
        key = f"{account.workspace_id}\n{account.service}\n{account.account_id}"
        db.execute_sql("SELECT pg_advisory_xact_lock(hashtextextended(%s, 4))", (key,))
        found = _of_account(account)
        if found is not None and found.user_id != user_id:
            raise Conflict("This chat account is linked to another member. They or an administrator can unlink it.")
        if found is not None:
            return found
        lock_person(user_id)
        own = ChatAccount.select().where(ChatAccount.user_id == user_id)
        check_room(own, MAX_ACCOUNTS, "A person can link at most {} chat accounts. Unlink one that you do not use.")
        made: ChatAccount = ChatAccount.create(
            id=new_id(now),
            user_id=user_id,
            workspace_id=account.workspace_id,
            service=account.service,
            account_id=account.account_id,
            name=account.name,
            verifier=account.verifier,
            created_at=now,
        )
        _record("chat_account.linked", made, now)
        done.publish_change("me", user_id, None, rev=User.get_by_id(user_id).rev)
    return made


def holder(account: Account, now: datetime) -> tuple[User, Role] | None:
    """Return the member who linked this account, with their present role.

    None when nobody linked it, and when the member may not act any more.
    """
    found = (
        ChatAccount.select(ChatAccount, User)
        .join(User)
        .where(_is_account(account), User.disabled_at.is_null(), User.deleted_at.is_null())
        .first()
    )
    if found is None:
        return None
    member = Member.get_or_none((Member.workspace == account.workspace_id) & (Member.user == found.user_id))
    if member is None:
        return None
    ChatAccount.update(last_used_at=now).where(ChatAccount.id == found.id).execute()
    return found.user, Role(member.role)


def visible(user_id: UUID, workspace_ids: Collection[UUID], administered: Collection[UUID]) -> peewee.ModelSelect[Any]:
    """Select the person's own links in these workspaces, and all links of workspaces that the person administers."""
    own = (ChatAccount.user == user_id) & (ChatAccount.workspace.in_(list(workspace_ids)))
    of_others = ChatAccount.workspace.in_([each for each in administered if each in workspace_ids])
    query: peewee.ModelSelect[Any] = ChatAccount.select().where(own | of_others)
    return query


def unlink(account: ChatAccount, *, by: UUID, role: Role, now: datetime) -> None:
    """End a link: one's own or, as an administrator, any. Raises `Forbidden`."""
    if account.user_id != by and not role.allows(Role.ADMIN):
        raise Forbidden(
            "Only administrators can unlink the accounts of others.", extra={"requiredRole": str(Role.ADMIN)}
        )
    with work() as done:
        if ChatAccount.delete().where(ChatAccount.id == account.id).execute():
            _record("chat_account.unlinked", account, now)
            done.publish_change("me", account.user_id, None, rev=User.get_by_id(account.user_id).rev)


def _of_account(account: Account) -> ChatAccount | None:
    found: ChatAccount | None = ChatAccount.get_or_none(_is_account(account))
    return found


def _is_account(account: Account) -> peewee.Expression:
    of_service = (ChatAccount.workspace == account.workspace_id) & (ChatAccount.service == account.service)
    verified = (ChatAccount.account_id == account.account_id) & (ChatAccount.verifier == account.verifier)
    found: peewee.Expression = of_service & verified
    return found


def _record(action: Any, account: ChatAccount, now: datetime) -> None:
    details = {"service": account.service, "accountId": account.account_id}
    about = audit.target("chatAccount", account.id, account.name)
    audit.record(action, target=about, now=now, workspace_id=account.workspace_id, details=details)
