"""What the policy says of one endpoint: the columns of the table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Literal

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


@dataclass(frozen=True, slots=True)
class EndpointPolicy:
    """One endpoint: the credential, the least role, the step-up, and where its workspace is found.

    `workspace_from`: of a `record` that was read (`permitted`), of the `body`, or of the `path` (`permitted_in`); a
    list spans the `caller`'s workspaces. The first three must be checked by the view, or its answer is thrown away.
    `database` is off where no connection is wanted, `instance_admin` on where only administrators of the instance are
    let in. `optional_credential` is a credential that is not asked for at the door, but heeded by the view. `mfa` is
    off for what a member may do whom the workspace's `requireMfa` shuts out.
    """

    credential: Credential = Credential.USER
    role: Role | None = None
    step_up: StepUp | None = None
    workspace_from: WorkspaceFrom = "caller"
    database: bool = True
    instance_admin: bool = False
    optional_credential: Credential | None = None
    mfa: bool = True
