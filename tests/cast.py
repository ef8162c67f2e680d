"""The cast of the tests: people, their workspaces, a source with a key, and browsers that are signed in."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.domain import ids, keys
from inbox.models.accounts import Session, User
from inbox.models.base import db, new_id
from inbox.models.sources import Source, SourceKey
from inbox.models.workspaces import Member, Workspace, WorkspaceCounter

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
"""A fixed moment for tests that pass time as an argument."""


def present() -> datetime:
    """The real time, for rows that the running app compares with its own clock."""
    return datetime.now(UTC)


@dataclass
class Cast:
    """Everybody: `users` by first name, the workspace they share, Eve's own, and a source with its key in each."""

    users: dict[str, User] = field(default_factory=dict)
    workspace: Workspace = None  # type: ignore[assignment]
    foreign: Workspace = None  # type: ignore[assignment]
    source: Source = None  # type: ignore[assignment]
    key: str = ""
    foreign_source: Source = None  # type: ignore[assignment]
    foreign_key: str = ""

    @classmethod
    @db.atomic()
    def assemble(cls) -> Cast:
        cast = cls()
        for name in ("olga", "adam", "mia", "vic", "eve"):
            cast.users[name] = make_user(name)
        cast.workspace = make_workspace("Acme", olga=cast.users["olga"])
        for name, role in (("adam", "admin"), ("mia", "member"), ("vic", "viewer")):
            join(cast.workspace, cast.users[name], role)
        cast.foreign = make_workspace("Elsewhere", eve=cast.users["eve"])
        cast.source, cast.key = make_source(cast.workspace, "Prometheus")
        cast.foreign_source, cast.foreign_key = make_source(cast.foreign, "Cron")
        return cast

    def cookie(self, name: str) -> str:
        """A fresh session token of that person, as the session cookie would carry it."""
        return sign_in(self.users[name])


def make_user(name: str, **more: Any) -> User:
    return User.create(
        id=new_id(),
        email=f"{name}@example.org",
        email_key=f"{name}@example.org",
        name=name.title(),
        created_at=present(),
        **more,
    )


def make_workspace(name: str, **owners: User) -> Workspace:
    workspace = Workspace.create(id=new_id(), name=name, slug=name.lower(), created_at=present())
    WorkspaceCounter.create(workspace=workspace)
    for owner in owners.values():
        join(workspace, owner, "owner")
    return workspace


def join(workspace: Workspace, user: User, role: str) -> Member:
    return Member.create(id=new_id(), workspace=workspace, user=user, role=role, joined_at=present())


def make_source(workspace: Workspace, name: str, **more: Any) -> tuple[Source, str]:
    source = Source.create(id=new_id(), workspace=workspace, name=name, created_at=present(), **more)
    return source, make_key(source)


def make_key(source: Source, **more: Any) -> str:
    secret = keys.mint(keys.KeyKind.SOURCE, secrets.token_bytes(32))
    SourceKey.create(
        id=new_id(),
        workspace_id=source.workspace_id,
        source=source,
        hash=keys.digest(secret),
        hint=keys.hint(secret),
        created_at=present(),
        **more,
    )
    return secret


def sign_in(user: User, **more: Any) -> str:
    token = secrets.token_urlsafe(32)
    now = present()
    Session.create(
        id=new_id(),
        user=user,
        token_hash=hashlib.sha256(token.encode()).digest(),
        **{"created_at": now, "last_seen_at": now, "proved_at": now, **more},
    )
    return token


def typeid(prefix: str, value: UUID) -> str:
    return ids.encode(prefix, value)
