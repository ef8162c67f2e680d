"""Use cases of watchers: check in, rename, delete (specification 20)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from inbox.database.base import db, new_id
from inbox.domain.heartbeats import pings
from inbox.domain.heartbeats import watchers as rules
from inbox.domain.heartbeats.watchers import CheckStatus
from inbox.domain.incidents.incident import Actor
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.networks import Client, network
from inbox.domain.values.refusals import Conflict, NotFound, RateLimited, Unauthenticated
from inbox.flow.heartbeats import ping
from inbox.flow.ingest import test_event
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.flow.watchers import check_events, check_in
from inbox.flow.watchers.check_in import Report
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.events.ingest_store import IngestStore
from inbox.models.heartbeats import locked_watchers as queries
from inbox.models.heartbeats import monitors
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.heartbeats.watchers import Watcher
from inbox.models.routing import routing_config
from inbox.models.senders import sources
from inbox.models.senders.sources import Source
from inbox.services.heartbeats import monitors as heartbeats
from inbox.services.records import audit
from inbox.services.records.resources import Resource

LOCK_MS = 3_000
USED_INTERVAL = timedelta(minutes=1)
"""The shortest interval between two updates of the last use of a key."""

WATCHERS = Resource(Watcher, "watcher")
existing, find = WATCHERS.existing, WATCHERS.find


@dataclass(frozen=True, slots=True)
class CheckedIn:
    """The watcher after a check-in, and whether this was the first one."""

    watcher: Watcher
    monitor: HeartbeatMonitor
    is_new: bool


def receive(key_digest: str, report: Report, client: Client, now: datetime) -> CheckedIn:
    """Apply a check-in of a source. The first one creates the watcher with its heartbeat monitor.

    `key_digest` is the SHA-256 of the source key in hex. Raises `Unauthenticated` for a key that is not live, and
    `RateLimited`. Raises `Conflict` when the watcher belongs to another source, or the workspace has too many monitors.
    """
    sender = _sender(key_digest, client, now)
    bad = sum(check.status is not CheckStatus.OK for check in report.checks or ())
    test_event.charge(sender.source_id, sender.workspace_id, max(1, bad))
    with work() as done:
        watcher = _locked_own(sender, report)
        created = watcher is None
        if watcher is None:
            watcher, monitor = _enrol(sender, report, now, done)
        else:
            monitor = _monitor(watcher)
        wait = ping.charge(monitor, now)
        if wait:
            raise RateLimited("The watcher checks in too often.", retry_after=math.ceil(wait.total_seconds()))
        check_in.apply(watcher, monitor, report, now, done)
        watcher.save()
    return CheckedIn(watcher, monitor, created)


def edit(watcher: Watcher, *, name: str | None, expected_rev: int | None, now: datetime) -> Watcher:
    """Set the name of the watcher; None restores the name that it reports. Raises `RevMismatch`."""
    with work() as done:
        watcher = WATCHERS.lock(watcher, expected_rev)
        chosen = watcher.reported_name if name is None else name
        WATCHERS.note("watcher.changed", watcher, now, audit.changes({"name": watcher.name}, {"name": chosen}))
        WATCHERS.save(watcher, name=chosen)
        monitor = _monitor(watcher)
        monitor.name, monitor.rev = chosen, monitor.rev + 1
        monitor.save()
        WATCHERS.publish(done, watcher)
        done.publish_change("monitor", monitor.id, monitor.workspace_id, rev=monitor.rev)
    return watcher


def remove(watcher: Watcher, *, expected_rev: int | None, now: datetime) -> None:
    """Delete the watcher and its monitor; their open incidents resolve. Its next check-in creates it again."""
    with work() as done:
        watcher = WATCHERS.lock(watcher, expected_rev)
        open_checks = [check for check in watcher.stored_checks if check.sent is not CheckStatus.OK]
        check_events.store(watcher, (), open_checks, now, done)
        heartbeats.delete(_monitor(watcher), now, done)
        WATCHERS.save(watcher, deleted_at=now)
        WATCHERS.note("watcher.deleted", watcher, now, audit.removed(_audit_view(watcher)))
        WATCHERS.publish(done, watcher, "deleted")


def _sender(key_digest: str, client: Client, now: datetime) -> SourceKeyContext:
    found = IngestStore(db.connection(), lock_ms=LOCK_MS).find_keys([(key_digest, None)]).keys.get(key_digest)
    if found is None:
        raise Unauthenticated
    address, agent = client
    sources.record_use({found.key_id: (network(address), pings.short_agent(agent))}, now, now - USED_INTERVAL)
    return found


def _locked_own(sender: SourceKeyContext, report: Report) -> Watcher | None:
    """Lock the watcher. Of several concurrent first check-ins, one creates it, and the others wait and find it."""
    found = queries.lock_own(sender.workspace_id, report.watcher_id)
    if found is None:
        routing_config.bump_revision(sender.workspace_id)
        found = queries.lock_own(sender.workspace_id, report.watcher_id)
    if found is not None and found.source_id != sender.source_id:
        raise Conflict("Another source of this workspace has a watcher with this id.")
    return found


def _enrol(
    sender: SourceKeyContext, report: Report, now: datetime, done: AfterCommit
) -> tuple[Watcher, HeartbeatMonitor]:
    fields = {
        "source_id": sender.source_id,
        "name": report.name,
        "schedule": check_in.schedule(report.interval_seconds),
        "grace_seconds": rules.default_grace(report.interval_seconds),
    }
    monitor = heartbeats.insert(sender.workspace_id, fields, now, done).monitor
    watcher: Watcher = Watcher.create(
        id=new_id(now),
        workspace_id=sender.workspace_id,
        source_id=sender.source_id,
        monitor_id=monitor.id,
        watcher_id=report.watcher_id,
        name=report.name,
        reported_name=report.name,
        interval_seconds=report.interval_seconds,
        last_check_in_at=now,
        created_at=now,
    )
    source = Source.get_by_id(sender.source_id)
    about = audit.target("watcher", watcher.id, watcher.name)
    by = Actor("source", ids.encode(Prefix.SOURCE, source.id), source.name)
    details = {"watcherId": watcher.watcher_id, "monitorId": ids.encode(Prefix.MONITOR, monitor.id)}
    audit.record("watcher.created", target=about, now=now, workspace_id=watcher.workspace_id, actor=by, details=details)
    WATCHERS.publish(done, watcher, "created")
    return watcher, monitor


def _monitor(watcher: Watcher) -> HeartbeatMonitor:
    found = monitors.lock(watcher.monitor_id)
    if found is None:
        raise NotFound
    return found


def _audit_view(watcher: Watcher) -> dict[str, Any]:
    return audit.columns(watcher, "watcher_id", "name", "hostname", "version", "interval_seconds", "labels")


def remove_of_source(source: Source, done: AfterCommit, now: datetime) -> None:
    """Delete the watchers of a source. The deletion of the source ends their monitors and incidents."""
    for row in queries.delete_of_source(source.id, now):
        details = {"source": source.name, "sourceId": ids.encode(Prefix.SOURCE, source.id)}
        WATCHERS.note("watcher.deleted", row, now, details)
        WATCHERS.publish(done, row, "deleted")
