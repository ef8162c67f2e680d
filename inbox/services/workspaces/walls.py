"""The link to the wall display: whoever has it reads the open incidents of a workspace, without an account.

Specification 12.11. It is one secret a workspace, of which only the hash is stored.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.config.settings import current
from inbox.domain.heartbeats import monitor as rules
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values.networks import network
from inbox.domain.values.refusals import NotFound, RateLimited
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.unit_of_work import work
from inbox.limits import rates
from inbox.models.heartbeats import monitors
from inbox.models.workspaces.tables import Workspace
from inbox.services.records import audit

PAGE = "/wall"
"""The page of the dashboard that shows the display. The token is in the fragment, which browsers send to no server."""

READS_A_MINUTE = 120
"""The reads of wall displays from one network. A display reads every ten seconds."""

MAX_NAMED = 12
"""The monitors that a display names. All of them are counted."""

NAMED = (str(rules.HeartbeatStatus.DOWN), str(rules.HeartbeatStatus.LATE))


def create(workspace_id: UUID, now: datetime) -> str:
    """Create the link, which is returned once. A former one ends."""
    token = keys.mint(KeyKind.WALL, secrets.token_bytes(keys.ENTROPY_BYTES))
    with work():
        link = {"wall_hash": keys.digest(token), "wall_created_at": now}
        Workspace.update(**link).where(Workspace.id == workspace_id).execute()
        _note("workspace.wall_link_created", workspace_id, now)
    return f"{current().base_url}{PAGE}#token={token}"


def remove(workspace_id: UUID, now: datetime) -> None:
    """End the link. A workspace without one stays unchanged."""
    with work():
        with_link = (Workspace.id == workspace_id) & Workspace.wall_hash.is_null(False)
        if Workspace.update(wall_hash=None, wall_created_at=None).where(with_link).execute():
            _note("workspace.wall_link_removed", workspace_id, now)


def find(token: object, now: datetime, *, address: str) -> Workspace:
    """Return the workspace of a link. Raises `NotFound`, also for a closed workspace, and `RateLimited`."""
    wait = rates.take(f"walls:address:{network(address)}", READS_A_MINUTE, READS_A_MINUTE / 60, now)
    if wait:
        raise RateLimited("Too many reads of wall displays.", retry_after=wait)
    if not isinstance(token, str) or not keys.well_formed(KeyKind.WALL, token):
        raise NotFound
    found: Workspace | None = Workspace.get_or_none(
        Workspace.wall_hash == keys.digest(token), Workspace.deleted_at.is_null()
    )
    if found is None:
        raise NotFound
    return found


def heartbeats(workspace_id: UUID, now: datetime) -> dict[str, Any]:
    """Return the number of monitors with each status, and the names of some that are down or late, down ones first."""
    by_status: dict[str, list[str]] = {str(status): [] for status in rules.HeartbeatStatus}
    for each in monitors.existing([workspace_id]):
        by_status[str(rules.status(each.state, each.settings, now))].append(each.name)
    named = [{"name": name, "status": status} for status in NAMED for name in sorted(by_status[status])]
    return {"by_status": {status: len(found) for status, found in by_status.items()}, "named": named[:MAX_NAMED]}


def _note(action: AuditAction, workspace_id: UUID, now: datetime) -> None:
    workspace = Workspace.get_by_id(workspace_id)
    about = audit.target("workspace", workspace_id, workspace.name)
    audit.record(action, target=about, now=now, workspace_id=workspace_id)
