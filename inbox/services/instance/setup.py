"""First run: a one-time link, or the environment, creates the instance administrator (specification 13.1)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from inbox.config.settings import Settings, current
from inbox.database.base import db, new_id
from inbox.domain.values.refusals import Fault, NotFound, TokenInvalid, ValidationFailed
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import SetupLink, User
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import passwords, sessions
from inbox.services.people.signin import email_key
from inbox.services.records import audit
from inbox.services.workspaces import workspaces

LOCK = 0x5E709
"""The advisory lock for the first account. Of concurrent requests, one creates it."""

FIRST_WORKSPACE = "Home"


@dataclass(frozen=True, slots=True)
class First:
    """The values for the administrator and the first workspace."""

    email: str
    password: str
    name: str
    workspace_name: str
    timezone: str = "UTC"
    locale: str = "en"


def is_required() -> bool:
    """Return whether no account exists yet."""
    return not User.select().exists()


def setup_link(now: datetime) -> str | None:
    """Create a one-time link, which ends all earlier ones. Return None when an account exists.

    The token is in the fragment, which browsers send to no server. Only its SHA-256 is stored.
    """
    token = secrets.token_urlsafe(32)
    with db.atomic():
        _alone()
        if not is_required():
            return None
        SetupLink.delete().execute()
        SetupLink.create(token_hash=sessions.digest(token), created_at=now)
    return f"{current().base_url}/setup#token={token}"


def create_first_administrator(settings: Settings, now: datetime) -> bool:
    """Create the administrator from the environment. Return False without such settings, or when an account exists.

    Raises `ValidationFailed` when the password in the environment is not acceptable.
    """
    if not settings.admin_email or not is_required():
        return False
    first = First(
        settings.admin_email, settings.admin_password, settings.admin_email.partition("@")[0], FIRST_WORKSPACE
    )
    _acceptable(first)
    password_hash = passwords.hashed(first.password)
    return _make(first, password_hash, now, token=None) is not None


def set_up(token: str, first: First, now: datetime) -> tuple[User, Workspace]:
    """Create the administrator for the bearer of the link.

    Raises `NotFound` when an account exists, `TokenInvalid`, and `ValidationFailed` for the password.
    """
    if not _is_good(token):
        # The order matters: the loser of a race finds no link because an account exists.
        raise TokenInvalid() if is_required() else NotFound()
    _acceptable(first)
    made = _make(first, passwords.hashed(first.password), now, token=token)
    if made is None:
        raise NotFound()
    return made


def _make(first: First, password_hash: str, now: datetime, *, token: str | None) -> tuple[User, Workspace] | None:
    with work() as done:
        _alone()
        if not is_required():
            return None
        if token is not None and not _is_good(token):
            raise TokenInvalid()
        user = User.create(
            id=new_id(now),
            email=first.email,
            email_key=email_key(first.email),
            email_verified_at=now,
            name=first.name,
            password_hash=password_hash,
            is_instance_admin=True,
            timezone=first.timezone,
            locale=first.locale,
            created_at=now,
        )
        SetupLink.delete().execute()
        about, by = audit.target("user", user.id, user.name), audit.person(user)
        audit.record("account.created", target=about, now=now, actor=by, details={"instanceAdmin": True})
        return user, workspaces.create_within(first.workspace_name, first.timezone, user.id, now, done)


def _is_good(token: str) -> bool:
    return bool(SetupLink.select().where(SetupLink.token_hash == sessions.digest(token)).exists())


def _acceptable(first: First) -> None:
    reason = passwords.weakness(first.password, email=first.email)
    if reason is not None:
        raise ValidationFailed(errors=[Fault("/password", reason)])


def _alone() -> None:
    db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
