"""Identifies the caller once per request: the person behind a session cookie or a paired device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import structlog
from flask import Response, g, request

from inbox.api.http import cookies
from inbox.domain.incidents.incident import Actor
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values import ids
from inbox.domain.values.refusals import Unauthenticated
from inbox.domain.workspaces.roles import Role
from inbox.services.people import devices, sessions
from inbox.services.people.devices import PairedDevice
from inbox.services.people.sessions import SignedIn
from inbox.services.records import audit

LONGEST_TOKEN = 128
NEVER = datetime.min.replace(tzinfo=UTC)
REFUSED_COOKIE, REFUSED_BEARER = "Sign in first.", "This credential is not valid here."
OF_SENDERS = "A source key is valid for events and check-ins only."


@dataclass(frozen=True, slots=True)
class Caller:
    """A person, by a session or by a paired device, and their role in each of their workspaces.

    `proved_at` is the time of the last proof in this session; None for a device. `barred` are the workspaces that
    require a second factor, if the person has none. None means that the look-up of the credential did not read them.
    """

    user_id: UUID
    name: str
    email: str
    credential_id: UUID
    proved_at: datetime
    is_instance_admin: bool
    roles: Mapping[UUID, Role]
    factors: tuple[str, ...] = ()
    by_device: bool = False
    barred: frozenset[UUID] | None = None

    @property
    def session_id(self) -> UUID:
        """The session. Raises `Unauthenticated` for a device, which the policy accepts at `USER` only."""
        if self.by_device:
            raise Unauthenticated(REFUSED_BEARER)
        return self.credential_id

    @property
    def device_id(self) -> UUID | None:
        """The device, or None for a session."""
        return self.credential_id if self.by_device else None

    @property
    def workspace_ids(self) -> tuple[UUID, ...]:
        """The workspaces whose records the caller can see. Lists are limited to them."""
        return tuple(self.roles)

    @property
    def actor(self) -> dict[str, str]:
        """The caller as the actor of a timeline entry."""
        return {"type": "user", "id": ids.encode("usr", self.user_id), "name": self.name}


def caller() -> Caller:
    """Returns the caller of this request. Raises `Unauthenticated` where the policy accepts anonymous requests."""
    found = g.get("caller")
    if found is None:
        raise Unauthenticated()
    assert isinstance(found, Caller)
    return found


def identify(*, devices_too: bool = False, sessions_too: bool = True) -> Caller:
    """Identifies the caller by the session cookie or, with `devices_too`, a device's token. Raises `Unauthenticated`.

    A bearer credential beside the cookie is refused, because only one of them can be meant.
    """
    cookie = cookies.read(cookies.SESSION)
    if _has_bearer():
        found = _device() if devices_too and not cookie else None
        if found is None:
            raise Unauthenticated(OF_SENDERS if _bearer().startswith(KeyKind.SOURCE) else REFUSED_BEARER)
        who = _of_device(found)
    else:
        is_session_cookie = sessions_too and 0 < len(cookie) <= LONGEST_TOKEN
        signed_in = sessions.find(cookie, datetime.now(UTC)) if is_session_cookie else None
        if signed_in is None:
            raise Unauthenticated(REFUSED_COOKIE)
        who = _of_session(signed_in)
    g.caller = who
    structlog.contextvars.bind_contextvars(user_id=ids.encode("usr", who.user_id))
    audit.set_actor(Actor(**who.actor))
    return who


def _has_bearer() -> bool:
    """Returns whether the request has a bearer credential of any kind. No browser sends one by itself."""
    return request.headers.get("Authorization", "").lower().startswith("bearer")


def _bearer() -> str:
    scheme, _, token = request.headers["Authorization"].partition(" ")
    return token.strip(" ") if scheme.lower() == "bearer" else ""


def _device() -> PairedDevice | None:
    token = _bearer()
    return devices.find(token, datetime.now(UTC)) if 0 < len(token) <= LONGEST_TOKEN else None


def _of_device(found: PairedDevice) -> Caller:
    return Caller(
        user_id=found.user_id,
        name=found.name,
        email=found.email,
        credential_id=found.device_id,
        proved_at=NEVER,
        is_instance_admin=found.is_instance_admin,
        roles=found.roles,
        by_device=True,
    )


def _of_session(found: SignedIn) -> Caller:
    return Caller(
        user_id=found.user_id,
        name=found.name,
        email=found.email,
        credential_id=found.session_id,
        proved_at=found.proved_at,
        is_instance_admin=found.is_instance_admin,
        roles=found.roles,
        factors=found.factors,
        barred=found.barred,
    )


def set_session_cookie(response: Response, token: str) -> None:
    """Sets the session cookie (specification 11.2)."""
    cookies.set_cookie(response, cookies.SESSION, token, sessions.ABSOLUTE)


def delete_session_cookie(response: Response) -> None:
    """Deletes the session cookie."""
    cookies.delete_cookie(response, cookies.SESSION)
