"""Writes the events of checks, like received events, in the transaction that changes the watcher."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from inbox.domain.events.fields import Action
from inbox.domain.heartbeats import watchers
from inbox.domain.heartbeats.watchers import Check, CheckStatus
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.flow.ingest import own_events
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.heartbeats.locked_watchers import dedup_key
from inbox.models.heartbeats.watchers import Watcher


def store(
    watcher: Watcher, changed: Iterable[Check], removed: Iterable[Check], now: datetime, done: AfterCommit
) -> int:
    """Stores an event for each changed check, and a resolving event for each removed one. Returns their number."""
    documents = [_changed(watcher, check) for check in changed]
    documents += [
        _resolved(watcher, check, watchers.REMOVED_TITLE.format(watcher.name, check.name)) for check in removed
    ]
    if documents:
        sender = SourceKeyContext(watcher.id, watcher.source_id, watcher.workspace_id, Severity.INFO, ())
        own_events.store(documents, sender, now, done)
    return len(documents)


def _changed(watcher: Watcher, check: Check) -> dict[str, Any]:
    title = watchers.title(watcher.name, check)
    if check.status is CheckStatus.OK:
        return _resolved(watcher, check, title)
    severity = watchers.SEVERITIES[check.status]
    return _document(watcher, check, title) | {"severity": str(severity), "action": str(Action.TRIGGER)}


def _resolved(watcher: Watcher, check: Check, title: str) -> dict[str, Any]:
    resolving = {"severity": str(Severity.SUCCESS), "action": str(Action.RESOLVE)}
    return _document(watcher, check, title) | resolving


def _document(watcher: Watcher, check: Check, title: str) -> dict[str, Any]:
    return {
        "title": title,
        "type": watchers.EVENT_TYPE,
        "dedupKey": dedup_key(watcher, check.name),
        "resource": f"host:{watcher.hostname}" if watcher.hostname else None,
        "body": check.message or None,
        "metadata": {
            "watcher": watcher.name,
            "watcherId": ids.encode(Prefix.WATCHER, watcher.id),
            "check": check.name,
            "labels": watcher.labels,
        },
    }
