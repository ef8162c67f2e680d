"""The cast of the tests: people, their workspaces, a source with a key, and browsers that are signed in."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar
from uuid import UUID

from inbox.database.base import db, new_id
from inbox.domain.senders import keys
from inbox.domain.values import ids
from inbox.models.people.accounts import Session, User
from inbox.models.people.members import Member
from inbox.models.senders.sources import Source, SourceKey
from inbox.models.workspaces.tables import Workspace, WorkspaceCounter
from inbox.services.senders import keys as source_keys
from inbox.services.senders.signing_secrets import SecretDraft

Row = TypeVar("Row")

ROLES = {"olga": "owner", "adam": "admin", "mia": "member", "vic": "viewer"}

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
        cast.users = {name: _user(name) for name in ("olga", "adam", "mia", "vic", "eve")}
        cast.workspace, cast.foreign = _workspace("Acme"), _workspace("Elsewhere")
        cast.source, cast.foreign_source = _source(cast.workspace, "Prometheus"), _source(cast.foreign, "Cron")
        (cast.key, key), (cast.foreign_key, foreign_key) = _key(cast.source), _key(cast.foreign_source)
        _store(*cast.users.values())
        _store(cast.workspace, cast.foreign)
        _store(WorkspaceCounter(workspace=cast.workspace), WorkspaceCounter(workspace=cast.foreign))
        _store(
            *(_member(cast.workspace, cast.users[name], role) for name, role in ROLES.items()),
            _member(cast.foreign, cast.users["eve"], "owner"),
        )
        _store(cast.source, cast.foreign_source)
        _store(key, foreign_key)
        return cast

    def cookie(self, name: str) -> str:
        """A fresh session token of that person, as the session cookie would carry it."""
        return sign_in(self.users[name])


def make_user(name: str, **more: Any) -> User:
    return _stored(_user(name, **more))


def make_workspace(name: str, **owners: User) -> Workspace:
    workspace = _stored(_workspace(name))
    _store(WorkspaceCounter(workspace=workspace))
    for owner in owners.values():
        join(workspace, owner, "owner")
    return workspace


def join(workspace: Workspace, user: User, role: str) -> Member:
    return _stored(_member(workspace, user, role))


def make_source(workspace: Workspace, name: str, **more: Any) -> tuple[Source, str]:
    source = _stored(_source(workspace, name, **more))
    return source, make_key(source)


def make_key(source: Source, **more: Any) -> str:
    secret, key = _key(source, **more)
    _store(key)
    return secret


def make_signing_secret(source: Source, tool: str = "gitlab", text: str | None = None) -> str:
    draft = SecretDraft(tool, text)
    return source_keys.create_signing_secret(source, "Webhook", draft, by=None, now=present())[1]


def _user(name: str, **more: Any) -> User:
    email = f"{name}@example.org"
    return User(id=new_id(), email=email, email_key=email, name=name.title(), created_at=present(), **more)


def _workspace(name: str) -> Workspace:
    return Workspace(id=new_id(), name=name, slug=name.lower(), created_at=present())


def _member(workspace: Workspace, user: User, role: str) -> Member:
    return Member(id=new_id(), workspace=workspace, user=user, role=role, joined_at=present())


def _source(workspace: Workspace, name: str, **more: Any) -> Source:
    return Source(**{"id": new_id(), "workspace": workspace, "name": name, "created_at": present(), **more})


def _key(source: Source, **more: Any) -> tuple[str, SourceKey]:
    """The secret, and what is kept of it."""
    kind = keys.SenderKeyKind(more.get("kind", "source_key"))
    secret = keys.mint(kind.form, secrets.token_bytes(32))
    retained = {"hash": keys.digest(secret), "hint": keys.hint(secret), "created_at": present(), **more}
    return secret, SourceKey(id=new_id(), workspace_id=source.workspace_id, source=source, **retained)


def _stored(row: Row) -> Row:
    _store(row)
    return row


def _store(*rows: Any) -> None:
    """Rows of one table, in one statement."""
    model, names = type(rows[0]), tuple(rows[0].__data__)
    fields = [model._meta.fields[name] for name in names]
    values = [field.db_value(row.__data__[name]) for row in rows for name, field in zip(names, fields, strict=True)]
    db.execute_sql(_insertion(model, names, len(rows)), values)


@cache
def _insertion(model: Any, names: tuple[str, ...], rows: int) -> str:
    """The statement, which Peewee would build for each test."""
    columns = ", ".join(f'"{model._meta.fields[name].column_name}"' for name in names)
    values = f"({', '.join(['%s'] * len(names))})"
    return f'INSERT INTO "{model._meta.table_name}" ({columns}) VALUES {", ".join([values] * rows)}'


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
