"""Browser sessions: sign-in, look-up by cookie, step-up and sign-out (specification 11.2)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import peewee

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.people import session
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.domain.workspaces.roles import Role
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.live import feed
from inbox.models.people import session_lookup
from inbox.models.people.accounts import Session, User
from inbox.models.people.session_lookup import SignedInRow
from inbox.services.people import known_clients, trusted_browsers
from inbox.services.people.devices import end_all as end_all_devices
from inbox.services.records import audit

IDLE, ABSOLUTE = session.IDLE, session.ABSOLUTE
SEEN_EVERY = timedelta(minutes=1)
LONGEST_AGENT = 300
MAX_SHOWN = ("user_agent", "address", "created_at", "last_seen_at")
"""The columns of an ended session that the audit log keeps."""

FACTORS = ("password", "totp", "passkey", "oidc")
"""The possible factors of an account, in the listed order (specification 11.4)."""

SECOND_FACTORS = ("totp", "passkey")


@dataclass(frozen=True, slots=True)
class Client:
    """The browser that signs in: its address, its user agent, and its present session token, if any.

    `browser` is the value by which an account recognises the browser. With `trusted_token`, the sign-in may skip the
    second factor.
    """

    address: str = ""
    user_agent: str = ""
    token: str = ""
    browser: str = ""
    trusted_token: str = ""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The person of a session, and their role in each workspace that is not deleted. `factors` prove in a step-up.

    `barred` are the workspaces that require a second factor, if the person has none (specification 12.3).
    """

    session_id: UUID
    user_id: UUID
    name: str
    email: str
    is_instance_admin: bool
    proved_at: datetime
    factors: tuple[str, ...]
    roles: Mapping[UUID, Role]
    barred: frozenset[UUID]

    @property
    def needs_second_factor(self) -> bool:
        """Whether only a second factor counts as a proof: the sign-in skipped it, and no proof followed."""
        return self.proved_at == session.NEVER_PROVED and not set(SECOND_FACTORS).isdisjoint(self.factors)


def begin(user_id: UUID, now: datetime, *, client: Client, by: str = "password") -> str:
    """Start a session with a fresh proof. Return its token, of which only the SHA-256 is stored."""
    with work() as done:
        return start(user_id, client, now, by=by, done=done)


def start(
    user_id: UUID, client: Client, now: datetime, *, by: str, done: AfterCommit, proved_at: datetime | None = None
) -> str:
    """Start a session within the caller's unit of work. The browser's earlier session ends.

    The sign-in counts as a proof of now, except where `proved_at` is given.
    """
    if client.token:
        _end(Session.token_hash == digest(client.token), now, done)
    token, session_id = secrets.token_urlsafe(32), new_id(now)
    Session.create(
        id=session_id,
        user=user_id,
        token_hash=digest(token),
        created_at=now,
        last_seen_at=now,
        proved_at=proved_at or now,
        address=client.address[:64],
        user_agent=client.user_agent[:LONGEST_AGENT],
    )
    known_clients.record_sign_in(user_id, client.address, client.browser, now)
    _note("session.started", session_id, now, by=by)
    return token


def find(token: str, now: datetime) -> SignedIn | None:
    """Return the session of this token. None when it is unknown, revoked or expired, or the person is disabled.

    The time of the last use is written at most once a minute.
    """
    providers = [provider.id for provider in settings.current().oidc_providers]
    rows = session_lookup.by_token(
        digest(token), seen_after=now - IDLE, created_after=now - ABSOLUTE, providers=providers
    )
    if not rows:
        return None
    first = rows[0]
    if first.last_seen_at <= now - SEEN_EVERY:
        Session.update(last_seen_at=now).where(Session.id == first.session_id, Session.last_seen_at < now).execute()
    has = (first.has_password, first.has_totp, first.has_passkey, first.has_oidc)
    found = SignedIn(
        session_id=first.session_id,
        user_id=first.user_id,
        name=first.name,
        email=first.email,
        is_instance_admin=first.is_instance_admin,
        proved_at=first.proved_at,
        factors=tuple(name for name, has_it in zip(FACTORS, has, strict=True) if has_it),
        roles={row.workspace_id: Role(row.role) for row in rows if row.workspace_id is not None and row.role},
        barred=_barred(rows),
    )
    if not found.needs_second_factor:
        return found
    second = tuple(name for name in found.factors if name in SECOND_FACTORS)
    return replace(found, factors=(*second, "recovery_code"))


def _barred(rows: Sequence[SignedInRow]) -> frozenset[UUID]:
    if rows[0].has_totp or rows[0].has_passkey:
        return frozenset()
    return frozenset(row.workspace_id for row in rows if row.workspace_id is not None and row.requires_mfa)


def of_person(user_id: UUID, now: datetime) -> peewee.ModelSelect[Session]:
    """Select the valid sessions of this person."""
    return Session.select().where(Session.user == user_id, *_good(now))


def prove(session_id: UUID, now: datetime, *, by: str = "password") -> None:
    """Record a fresh proof for this session only. It runs within a unit of work, or as a separate one."""
    Session.update(proved_at=now).where(Session.id == session_id).execute()
    _note("session.reauthenticated", session_id, now, by=by)


def renew(session_id: UUID) -> str:
    """Replace the token of a continuing session. The old token becomes invalid with the commit."""
    token = secrets.token_urlsafe(32)
    Session.update(token_hash=digest(token)).where(Session.id == session_id).execute()
    return token


def end(session_id: UUID, now: datetime) -> None:
    """Revoke the session and close its streams. A second call changes nothing."""
    with work() as done:
        _end(Session.id == session_id, now, done)
        done.after(lambda: feed.close_streams(session_id=session_id))


def end_one(user_id: UUID, session_id: UUID, now: datetime) -> bool:
    """End a session of this person. Return False when no valid session of theirs has this id."""
    with work() as done:
        own_session = (Session.id == session_id) & (Session.user == user_id)
        return _end(own_session, now, done) > 0


def end_others(user_id: UUID, session_id: UUID, now: datetime) -> None:
    """End all sessions of this person except one, and the trust in all browsers. Paired devices stay."""
    with work() as done:
        trusted_browsers.end_all(user_id, now)  # first, because it locks the person's row before any other
        _end((Session.user == user_id) & (Session.id != session_id), now, done)


def end_all(user_id: UUID, now: datetime, done: AfterCommit, *, but: UUID | None = None, devices: bool = True) -> int:
    """End the person's sessions, except `but`, trusted browsers and paired devices, in the caller's unit of work.

    Every open stream of the person is closed after the commit. The client of the remaining session reconnects. Return
    the number of ended sessions. Used for a changed or reset password and a disabled account (specification 11.2).
    """
    if devices:
        end_all_devices(user_id, now, done)  # first, because it locks the person's row before any other
    trusted_browsers.end_all(user_id, now)
    own_session = Session.user == user_id
    ended = _end(own_session if but is None else own_session & (Session.id != but), now, done)
    done.after(lambda: feed.close_streams(user_id=user_id))
    return ended


def digest(token: str) -> bytes:
    """Compute the stored digest of a token. A token has 256 random bits, so a plain hash cannot be searched."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _end(which: Any, now: datetime, done: AfterCommit) -> int:
    rows = list(Session.select().where(which, Session.revoked_at.is_null()).for_update())
    for row in rows:
        Session.update(revoked_at=now).where(Session.id == row.id).execute()
        _note("session.ended", row.id, now, **audit.removed(audit.columns(row, *MAX_SHOWN)))
        done.after(_closing(row.id))
    return len(rows)


def _closing(session_id: UUID) -> Any:
    return lambda: feed.close_streams(session_id=session_id)


def _note(action: AuditAction, session_id: UUID, now: datetime, **details: Any) -> None:
    user = User.select().join(Session).where(Session.id == session_id).get_or_none()
    if user is not None:
        about = audit.target("session", session_id, user_id=user.id)
        audit.record(action, target=about, now=now, actor=audit.caller_or(user), details=details)


def _good(now: datetime) -> tuple[Any, ...]:
    return Session.revoked_at.is_null(), Session.last_seen_at > now - IDLE, Session.created_at > now - ABSOLUTE
