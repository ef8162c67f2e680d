"""The declaration of one endpoint. It stands between the route and the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Literal, TypeVar

from inbox.domain.workspaces.roles import Role

WorkspaceFrom = Literal["record", "body", "path", "caller", "none"]


class Credential(StrEnum):
    """The credential that a caller must present (specification 11.1)."""

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
    """The maximum age of the last authentication (specification 11.5)."""

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
    """Declares one endpoint: who may call it, and how its request is read and answered.

    A decorator, between the route and all others. An endpoint without it is never served.
    """

    credential: Credential = USER
    role: Role | None = None
    """The lowest role in the workspace."""
    step_up: StepUp | None = None
    workspace_from: WorkspaceFrom = "caller"
    """The source of the workspace.

    A `record` is read by the view (`authorize`); `body` and `path` name it (`authorize_in`). A list covers the
    workspaces of the `caller`. The answer of a view that has not checked its record, body or path is dropped.
    """
    database: bool = True
    """Whether the view has a connection."""
    instance_admin: bool = False
    """Whether only administrators of the instance have access."""
    optional_credential: Credential | None = None
    """A credential that the view uses if it is sent, and does not require."""
    mfa: bool = True
    """Whether members without a second factor are refused in a workspace that requires one."""
    own_key: bool = False
    """Whether the view itself reads the source key, because some tools cannot send it as bearer."""
    own_body: bool = False
    """Whether the view itself reads the body, within `body_cap` or by dropping the rest."""
    own_address: bool = False
    """Whether the view itself checks the text of path and query."""
    body_cap: int | None = None
    """The most bytes of the body.

    None: the cap of `inbox.api.http.body_limits` for the credential; no cap with `own_body`.
    """
    forms: tuple[str, ...] = ()
    """The types of forms that are accepted beside JSON.

    Such a form or its address contains a token that no other site knows, or a service has signed it.
    """
    quiet: bool = False
    """Whether successes are logged at DEBUG."""
    tagged: bool = False
    """Whether the answer has an `ETag` although no credential is needed. Reads of people always have one."""
    read_slot: bool = True
    """Whether a read of a person takes a slot of `inbox.api.http.read_slots`."""
    replica: bool = False
    """Whether a replica may answer, as `inbox.api.http.replica_reads` decides. The view reads only."""
    section: str = ""
    """The section of the specification, where it differs from the section of the blueprint."""

    def __call__(self, view: View) -> View:
        """Returns the view with this declaration, which `functools.wraps` copies to all outer decorators."""
        setattr(view, _ATTRIBUTE, self)
        return view


def declared(view: Callable[..., Any] | None) -> EndpointPolicy | None:
    """Returns the declaration of a view."""
    return getattr(view, _ATTRIBUTE, None)
