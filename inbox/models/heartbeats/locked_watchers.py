"""Reads and locks watchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.heartbeats.watchers import Watcher
from inbox.models.incidents.open_by_key import open_by_key


def lock_own(workspace_id: UUID, watcher_id: str) -> Watcher | None:
    """Locks the watcher of a workspace with this `watcher_id`; None when there is none."""
    found: Watcher | None = (
        Watcher.select()
        .where(Watcher.workspace_id == workspace_id, Watcher.watcher_id == watcher_id, Watcher.deleted_at.is_null())
        .for_update("FOR NO KEY UPDATE")
        .first()
    )
    return found


def of_monitors(monitor_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Returns the watcher of each of these monitors that belongs to one."""
    required = list(monitor_ids)
    if not required:
        return {}
    found = Watcher.select(Watcher.monitor_id, Watcher.id).where(Watcher.monitor_id.in_(required))
    return dict(found.tuples())


def monitors_of(watchers: Sequence[Watcher]) -> dict[UUID, HeartbeatMonitor]:
    """Returns the heartbeat monitors of these watchers, by their ids."""
    required = [each.monitor_id for each in watchers]
    return {row.id: row for row in HeartbeatMonitor.select().where(HeartbeatMonitor.id.in_(required))}


def delete_of_source(source_id: UUID, now: datetime) -> list[Watcher]:
    """Deletes the watchers of a source, and returns them. The caller deletes their monitors."""
    of_source = (Watcher.source_id == source_id) & Watcher.deleted_at.is_null()
    changed = Watcher.update(deleted_at=now, rev=Watcher.rev + 1).where(of_source)
    return list(changed.returning(Watcher).execute())


def dedup_key(watcher: Watcher, check: str) -> str:
    """Returns the dedup key of the events of a check."""
    return f"watcher:{ids.encode(Prefix.WATCHER, watcher.id)}:{check}"


def check_incidents(watchers: Sequence[Watcher]) -> dict[tuple[UUID, str], UUID]:
    """Returns the unresolved incidents of these watchers' checks, by the id of the watcher and the name of the check."""
    named = [(watcher, check["name"]) for watcher in watchers for check in watcher.checks]
    found = open_by_key((watcher.source_id, dedup_key(watcher, name)) for watcher, name in named)
    pairs = ((watcher, name, found.get((watcher.source_id, dedup_key(watcher, name)))) for watcher, name in named)
    return {(watcher.id, name): incident_id for watcher, name, incident_id in pairs if incident_id is not None}
