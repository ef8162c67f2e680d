"""The declaration of one endpoint, which stands between its route and its view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Literal, TypeVar

from inbox.domain.roles import Role

WorkspaceFrom = Literal["record", "body", "path", "caller", "none"]


class Credential(StrEnum):
    """What a caller must show (specification 11.1)."""

    NONE = "none"
    SESSION = "session"
    DEVICE = "device"
    USER = "user"
    """A session or a paired device."""
    SOURCE_KEY = "sourceKey"
    ALIAS_TOKEN = "aliasToken"
    HEARTBEAT_TOKEN = "heartbeatToken"
    PING_KEY = "pingKey"
    SIGNATURE = "signature"
    METRICS_TOKEN = "metricsToken"


class StepUp(StrEnum):
    """How recent the last authentication must be (specification 11.5)."""

    RECENT = "recent"
    REAUTH = "reauth"


WINDOWS = {StepUp.RECENT: timedelta(minutes=15), StepUp.REAUTH: timedelta(minutes=5)}


NONE, SESSION, DEVICE, USER = Credential.NONE, Credential.SESSION, Credential.DEVICE, Credential.USER
SOURCE_KEY, ALIAS_TOKEN, SIGNATURE = Credential.SOURCE_KEY, Credential.ALIAS_TOKEN, Credential.SIGNATURE
HEARTBEAT_TOKEN, PING_KEY, METRICS_TOKEN = Credential.HEARTBEAT_TOKEN, Credential.PING_KEY, Credential.METRICS_TOKEN
VIEWER, MEMBER, ADMIN, OWNER = Role.VIEWER, Role.MEMBER, Role.ADMIN, Role.OWNER
RECENT, REAUTH = StepUp.RECENT, StepUp.REAUTH

PEOPLE = frozenset({SESSION, DEVICE, USER})
"""The credentials of people."""

FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"

_ATTRIBUTE = "endpoint_policy"

View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class EndpointPolicy:
    """One endpoint: who may call it, and how its request is read and answered. A decorator directly below the route.

    `workspace_from`: of a `record` that was read (`authorize`), of the `body`, or of the `path` (`authorize_in`); a
    list spans the `caller`'s workspaces. The first three must be checked by the view, or its answer is thrown away.
    `optional_credential` is not required, but heeded by the view. `mfa` is off for what a member may do whom the
    workspace's `requireMfa` shuts out. `own_key`, `own_body` and `own_address` are on where the view reads the source
    key, the body, or path and query itself.
    """

    credential: Credential = USER
    role: Role | None = None
    step_up: StepUp | None = None
    workspace_from: WorkspaceFrom = "caller"
    database: bool = True
    """Whether a connection is taken for the view."""
    instance_admin: bool = False
    optional_credential: Credential | None = None
    mfa: bool = True
    own_key: bool = False
    own_body: bool = False
    own_address: bool = False
    body_cap: int | None = None
    """Most bytes of the body; None: as `inbox.api.body_limits` says, or with `own_body` any number."""
    forms: tuple[str, ...] = ()
    """Types of forms that are accepted beside JSON: the form or its address has a token that no other site knows, or a
    service has signed it."""
    quiet: bool = False
    """Whether successes are logged at DEBUG only."""
    tagged: bool = False
    """Whether answers get an `ETag` although nobody signs in. Reads of people always have one."""
    read_slot: bool = True
    """Whether a read of a person waits for one of the slots of `inbox.api.read_slots`."""
    section: str = ""
    """The section of the specification, where it is not that of the blueprint."""

    def __call__(self, view: View) -> View:
        """The view with this declaration. Decorators of `functools.wraps` keep it."""
        setattr(view, _ATTRIBUTE, self)
        return view


def declared(view: Callable[..., Any] | None) -> EndpointPolicy | None:
    """The declaration of a view."""
    return getattr(view, _ATTRIBUTE, None)
