"""Creates the sample workspace in one transaction, and removes it completely."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inbox.config import settings
from inbox.database.base import connect, connect_arguments
from inbox.domain.values.refusals import Conflict
from inbox.domain.workspaces.roles import Role
from inbox.flow.routing import evaluate
from inbox.flow.unit_of_work import backdated_work, work
from inbox.flow.upkeep import purge
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName
from inbox.services.people.signin import email_key
from inbox.services.workspaces import deletion, members, workspaces
from ops.demo import script
from ops.demo.company import DAYS, PEOPLE, WORKSPACE
from ops.demo.configuration import Configuration
from ops.demo.heartbeats import Heartbeats
from ops.demo.player import Player

LOCK = 0xDE30
"""The advisory lock of a run. Of two concurrent ones, the second one finds the workspace."""

TRIES, PAUSE_SECONDS = 40, 0.25
"""The number of attempts and their pauses when workers lock rows that are to be removed."""


Removal = Callable[[UUID], dict[str, int]]


class NoAdministrator(Exception):
    """No account can own the workspace."""


@dataclass(frozen=True, slots=True)
class Demo:
    """The workspace, and the number of events of its history. `existed`: an earlier run made it."""

    workspace: Workspace
    events: int = 0
    existed: bool = False


def find() -> Workspace | None:
    """Returns the sample workspace, also a closed one that the purge has not removed.

    Its mark is a member with a fixed id, whose account was created at the same moment. One of the two is enough: an
    administrator of the workspace can remove the other one.
    """
    ids = [person.id for person in PEOPLE.values()]
    found: Workspace | None = (
        Workspace.select()
        .join(Member)
        .join(User)
        .where(User.id.in_(ids), User.created_at == Workspace.created_at)
        .first()
    )
    return found


def make(address: str, now: datetime, *, owner_email: str | None = None) -> Demo:
    """Creates the workspace with its history, which ends now, or finds the workspace of an earlier run.

    `address` is the receiver's. The owner is the oldest instance administrator, unless `owner_email` names one.
    Accounts whose workspace was removed in another way are replaced. Raises `NoAdministrator`, and `Conflict` when a
    workspace of an earlier run is closed but not removed.
    """
    with _alone():
        existing = find()
        if existing is None:
            return _made(address, now, _owner(owner_email))
        if existing.deleted_at is not None:
            raise Conflict("The workspace Demo is closed but not removed. Remove it first.")
        return Demo(existing, existed=True)


def _made(address: str, now: datetime, owner: User) -> Demo:
    _remove_people(now)
    with evaluate.trace_cache.cleared_on_failure(), backdated_work():
        begins = now - timedelta(days=DAYS)
        configuration = Configuration(*_people_and_workspace(owner, begins), address)
        configuration.create(begins)
        player = Player(configuration.workspace.id, now, configuration.accounts, configuration.source_keys)
        player.use_targets(configuration.targets)
        monitors = Heartbeats(
            configuration.workspace, {name: key[0] for name, key in configuration.source_keys.items()}
        )
        monitors.create(begins)
        entries = [
            *script.entries(now, configuration.workspace.timezone),
            *configuration.changes(now),
            *monitors.pings(player.backdating, now),
        ]
        events = player.play(sorted(entries, key=lambda one: one.at))
    _announce(configuration.workspace.id, owner.id)
    return Demo(configuration.workspace, events)


def remove(now: datetime) -> dict[str, int] | None:
    """Removes the workspace and its accounts with all rows. Returns the number of rows by table.

    None when there is neither. Nothing is sent: deliveries of a closed workspace are not claimed. The audit log keeps
    its entries, as for each removed workspace.
    """
    with _alone():
        removed: dict[str, int] = {}
        workspace = find()
        if workspace is not None:
            if workspace.deleted_at is None:
                deletion.close_for_removal(workspace.id, now=now)
            removed = _until_gone(Workspace, workspace.id, purge.remove_workspace)
        removed["users"] = removed.get("users", 0) + _remove_people(now)
    return removed if any(removed.values()) else None


@contextmanager
def _alone() -> Iterator[None]:
    """Holds the lock in a transaction of its own: a pooler keeps no lock of a session."""
    chosen = settings.current()
    arguments = connect_arguments(chosen.database_url, application="inbox-demo", pooled=bool(chosen.database_pooler))
    with closing(connect(arguments)) as connection, connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        yield


def _remove_people(now: datetime) -> int:
    """Removes the accounts, and returns their number. They are left over when a person deletes the workspace."""
    removed = 0
    for person in PEOPLE.values():
        if User.select().where(User.id == person.id, User.deleted_at.is_null()).exists():
            deletion.close_account(person.id, expected_rev=None, now=now)
        removed += _until_gone(User, person.id, purge.remove_account).get("users", 0)
    return removed


def _owner(email: str | None) -> User:
    able = User.is_instance_admin & User.disabled_at.is_null() & User.deleted_at.is_null()
    if email is not None:
        able &= User.email_key == email_key(email)
    owner: User | None = User.select().where(able).order_by(User.created_at).first()
    if owner is None:
        raise NoAdministrator
    return owner


def _people_and_workspace(owner: User, begins: datetime) -> tuple[Workspace, dict[str, User]]:
    """Returns the workspace of the owner, and the other members."""
    with work() as done:
        workspace = workspaces.create_within(WORKSPACE, owner.timezone, owner.id, begins, done)
        accounts = {"owner": owner}
        for name, person in PEOPLE.items():
            user: User = User.create(
                id=person.id, email=person.email, email_key=email_key(person.email), name=person.name,
                timezone=owner.timezone, created_at=begins,
            )  # fmt: skip
            members.join(workspace, user, Role(person.role), begins, done)
            Member.update(last_seen_at=begins + timedelta(days=DAYS)).where(Member.user == user).execute()
            accounts[name] = user
    return workspace, accounts


def _announce(workspace_id: UUID, owner_id: UUID) -> None:
    """Publishes the new workspace to the owner's streams, and wakes the workers for work that is due from now on."""
    with work() as done:
        done.publish_change("me", owner_id, None)
        done.publish_change("workspace", workspace_id, workspace_id, op="created", rev=1)
        for queue in (QueueName.TIMERS, QueueName.DELIVERY):
            done.wake(queue)


def _until_gone(table: type[Workspace | User], id: UUID, removal: Removal) -> dict[str, int]:
    """Repeats the removal until the row is gone, because it skips rows that a worker locks."""
    total: dict[str, int] = {}
    for _ in range(TRIES):
        for name, rows in removal(id).items():
            total[name] = total.get(name, 0) + rows
        if not table.select().where(table.id == id).exists():
            return total
        time.sleep(PAUSE_SECONDS)
    raise Conflict("Other transactions lock rows of the workspace. Try again.")
